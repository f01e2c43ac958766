#include "mem/cache/misses.hh"

namespace memsim::mem::cache {

using parts::TagArray;
using protocol::MemRequest;

CacheStall Misses::miss(const Access& a) {
    const MemRequest& r = a.request;
    TagArray& tags = c_.lines.tags;
    Mshrs& mshrs = c_.lines.mshrs;
    const std::uint32_t claims = a.is_read() ? 0 : c_.claims(a);
    SectorMask missing = without(a.touched, a.valid);
    if (a.is_write()) missing = without(missing, a.whole);
    std::uint32_t line = a.line, mshr = 0;
    if (a.found() && tags.locked(line)) {
        mshr = tags.lock(line);
        // A fetch from before a write that dropped it is too old for this request.
        if (mshrs.targets_full(mshr) || mshrs[mshr].dropped) return CacheStall::targets;
        missing = without(missing, a.pending);
        if ((missing || claims) && !c_.outlet.room(1 + claims)) return CacheStall::mem_side;
        tags.touch(line);
        if (missing == 0) ++c_.stat.merged;
    } else {
        if (!c_.mshr_use.room(a.place.line)) return CacheStall::mshrs;
        if (a.found()) {
            if (!c_.outlet.room(1 + claims)) return CacheStall::mem_side;
            tags.touch(line);
        } else if (const CacheStall cause = evictions_.take_way(a, !a.is_read(), 1 + claims, line);
                   cause != CacheStall::none)
            return cause;
        mshr = take_mshr(line);
    }
    if (!a.is_read()) c_.keep(line);
    if (r.needs_response()) ++c_.state.owed;
    if (missing) fetch(mshr, a.place.line, missing, r);
    if (!a.is_read()) {
        c_.lines.take_contents(line, r, a.touched); // before it claims its sectors
        c_.claim(a);
    }
    mshrs.add(mshr, {protocol::answer(r), a.touched, r.posted, missing != 0});
    c_.occupy(a.place.bank, c_.config.read_cycles);
    c_.count(a);
    return CacheStall::none;
}

void Misses::fetch(std::uint32_t mshr, std::uint64_t line, SectorMask sectors, MemRequest r) {
    r.command = protocol::Command::read;
    r.posted = false;
    r.source = 0;
    r.tag = mshr;
    r.packed = {};
    r.contents = {};
    Lines& lines = c_.lines;
    auto& entry = lines.mshrs[mshr];
    if (lines.bytes) lines.bytes->begin_fetch(entry.line, sectors, lines.claimed(entry.line));
    c_.map.name(r, line, sectors, 0);
    entry.pending |= sectors;
    const std::uint32_t bytes = r.payload();
    ++c_.stat.fetches;
    c_.stat.fetched_bytes += bytes;
    c_.state.fetching += bytes;
    c_.outlet.send(r);
}

std::uint32_t Misses::take_mshr(std::uint32_t line) {
    const std::uint32_t mshr = c_.lines.mshrs.allocate(line, c_.sim.now());
    c_.lines.tags.lock(line, mshr);
    c_.mshr_use.take(c_.lines.tags.tag(line));
    c_.stat.mshrs_used.set(c_.sim.now(), c_.mshr_use.used());
    return mshr;
}

} // namespace memsim::mem::cache
