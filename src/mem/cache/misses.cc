#include "mem/cache/misses.hh"

namespace memsim::mem::cache {

using device_parts::TagArray;
using protocol::MemRequest;

CacheStall Misses::miss(const Access& a) {
    const MemRequest& r = a.request;
    TagArray& tags = use_.lines.tags;
    Mshrs& mshrs = use_.lines.mshrs;
    const std::uint32_t claims = a.is_read() ? 0 : use_.claims.messages(a);
    SectorMask missing = without(a.touched, a.valid);
    if (a.is_write()) missing = without(missing, a.whole);
    std::uint32_t line = a.line, mshr = 0;
    if (a.found() && tags.locked(line)) {
        mshr = tags.lock(line);
        // A fetch from before a write that dropped it is too old for this request.
        if (mshrs.targets_full(mshr) || mshrs[mshr].dropped) return CacheStall::targets;
        missing = without(missing, a.pending);
        if ((missing || claims) && !use_.outlet.room(1 + claims)) return CacheStall::mem_side;
        tags.touch(line);
        if (missing == 0) ++use_.stat.merged;
    } else {
        if (!use_.mshr_use.room(a.place.line)) return CacheStall::mshrs;
        if (a.found()) {
            if (!use_.outlet.room(1 + claims)) return CacheStall::mem_side;
            tags.touch(line);
        } else if (const CacheStall cause =
                       use_.evictions.take_way(a, !a.is_read(), 1 + claims, line);
                   cause != CacheStall::none)
            return cause;
        mshr = take_mshr(line);
    }
    if (!a.is_read() && use_.lines.keep(line)) ++use_.stat.kept_writes;
    if (r.needs_response()) ++use_.owed;
    if (missing) fetch(mshr, a.place.line, missing, r);
    if (!a.is_read()) {
        use_.lines.take_contents(line, r, a.touched); // before it claims its sectors
        use_.claims.claim(a);
    }
    mshrs.add(mshr, {protocol::answer(r), a.touched, r.posted, missing != 0});
    use_.banks.occupy(a.place.bank, use_.config.read_cycles);
    use_.accounting.count(a);
    return CacheStall::none;
}

void Misses::fetch(std::uint32_t mshr, std::uint64_t line, SectorMask sectors, MemRequest r) {
    r.command = protocol::Command::read;
    r.posted = false;
    r.source = 0;
    r.tag = mshr;
    r.packed = {};
    r.contents = {};
    Lines& lines = use_.lines;
    auto& entry = lines.mshrs[mshr];
    if (lines.bytes) lines.bytes->begin_fetch(entry.line, sectors, lines.claimed(entry.line));
    use_.map.name(r, line, sectors, 0);
    entry.pending |= sectors;
    const std::uint32_t bytes = r.payload();
    ++use_.stat.fetches;
    use_.stat.fetched_bytes += bytes;
    use_.fetching += bytes;
    use_.outlet.send(r);
}

std::uint32_t Misses::take_mshr(std::uint32_t line) {
    const std::uint32_t mshr = use_.lines.mshrs.allocate(line, use_.sim.now());
    use_.lines.tags.lock(line, mshr);
    use_.mshr_use.take(use_.lines.tags.tag(line));
    use_.stat.mshrs_used.set(use_.sim.now(), use_.mshr_use.used());
    return mshr;
}

} // namespace memsim::mem::cache
