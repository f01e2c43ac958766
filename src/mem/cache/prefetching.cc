#include "mem/cache/prefetching.hh"

namespace memsim::mem::cache {

using protocol::MemRequest;

MemRequest Prefetching::part(const MemRequest& h, std::uint32_t done, std::uint32_t bytes) {
    MemRequest r;
    r.address = h.address + done;
    r.bytes = bytes;
    r.pc = h.pc;
    r.warp = h.warp;
    r.application = h.application;
    return r;
}

void Prefetching::hint(const Access& a, bool held) {
    const SectorMask missing = without(a.touched, a.valid | a.pending);
    ++use_.stat.hints;
    if (missing == 0) {
        ++use_.stat.hints_useless;
        return;
    }
    std::uint32_t line = a.line;
    const bool dropped =
        held || (a.found() && use_.lines.tags.locked(line)) ||
        !use_.mshr_use.room(a.place.line, use_.config.demand_mshrs) || !use_.outlet.room(1) ||
        (!a.found() && use_.evictions.take_way(a, false, 1, line) != CacheStall::none);
    if (dropped) {
        ++use_.stat.hints_dropped;
        return;
    }
    ++use_.stat.prefetches;
    use_.lines.tags.set_prefetched(line, true);
    use_.misses.fetch(use_.misses.take_mshr(line), a.place.line, missing, a.request);
    use_.banks.occupy(a.place.bank, use_.config.read_cycles);
}

} // namespace memsim::mem::cache
