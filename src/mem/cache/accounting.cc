#include "mem/cache/accounting.hh"

namespace memsim::mem::cache {

using protocol::CacheEventKind;
using protocol::MemRequest;

void Accounting::count(const Access& a) {
    const bool is_read = a.is_read();
    const SectorMask missing = a.missing();
    const SectorMask missed = without(missing, a.pending);
    ++stat_.accesses;
    stat_.bytes += a.request.payload();
    stat_.sectors += bits_set(a.touched);
    if (is_read) {
        ++stat_.reads;
        stat_.read_sectors += bits_set(a.touched);
    } else
        ++(a.is_write() ? stat_.writes : stat_.atomics);
    if (missing) {
        ++stat_.misses;
        if (a.found()) ++stat_.sector_misses;
        stat_.missed_sectors += bits_set(missed);
        if (is_read) stat_.missed_read_sectors += bits_set(missed);
        if (a.pending) {
            stat_.pending_sectors += bits_set(missing & a.pending);
            if (is_read) stat_.pending_read_sectors += bits_set(missing & a.pending);
        }
    } else {
        ++stat_.hits;
        if (is_read) ++stat_.read_hits;
        if (a.is_write()) ++stat_.write_hits;
    }
    if (config_.observed && is_read) {
        const MemRequest& r = a.request;
        report({r.address, r.pc, r.source, r.warp, r.application,
                missing ? CacheEventKind::read_miss : CacheEventKind::read_hit, false});
    }
    if (a.found() && lines_.tags.prefetched(a.line)) {
        ++stat_.prefetches_used;
        lines_.tags.set_prefetched(a.line, false);
    }
}

void Accounting::count_eviction(std::uint32_t line) {
    ++stat_.evictions;
    const bool unused = lines_.tags.prefetched(line);
    if (unused) ++stat_.prefetches_unused;
    if (config_.observed)
        report({map_.address_of(lines_.tags.tag(line)), 0, 0, 0,
                static_cast<std::uint16_t>(lines_.tags.application(line)), CacheEventKind::eviction,
                unused});
}

} // namespace memsim::mem::cache
