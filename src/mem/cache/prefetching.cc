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
    ++c_.stat.hints;
    if (missing == 0) {
        ++c_.stat.hints_useless;
        return;
    }
    std::uint32_t line = a.line;
    const bool dropped = held || (a.found() && c_.lines.tags.locked(line)) ||
                         !c_.mshr_use.room(a.place.line, c_.config.demand_mshrs) ||
                         !c_.outlet.room(1) ||
                         (!a.found() && evictions_.take_way(a, false, 1, line) != CacheStall::none);
    if (dropped) {
        ++c_.stat.hints_dropped;
        return;
    }
    ++c_.stat.prefetches;
    c_.lines.tags.set_prefetched(line, true);
    misses_.fetch(misses_.take_mshr(line), a.place.line, missing, a.request);
    c_.occupy(a.place.bank, c_.config.read_cycles);
}

} // namespace memsim::mem::cache
