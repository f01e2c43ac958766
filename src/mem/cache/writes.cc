#include "mem/cache/writes.hh"

namespace memsim::mem::cache {

using device_parts::TagArray;
using protocol::Command;
using protocol::MemRequest;

/// Partly written sectors were valid before, or are fetched when a read needs them.
CacheStall Writes::stay(const Access& a) {
    TagArray& tags = use_.lines.tags;
    const std::uint32_t claims = use_.claims.messages(a);
    std::uint32_t line = a.line;
    const bool elsewhere = a.found() && use_.reserved && !tags.locked(line) &&
                           line - tags.line(a.place.set, 0) >= use_.reserved;
    if (a.found() && !elsewhere) {
        if (claims && !use_.outlet.room(claims)) return CacheStall::mem_side;
        tags.touch(line);
    } else {
        const CacheStall cause = use_.evictions.take_way(a, true, claims, line);
        if (cause != CacheStall::none) return cause;
        tags.add_valid(line, a.valid);
        tags.add_dirty(line, a.written);
        if (a.found()) {
            if (use_.lines.bytes) use_.lines.bytes->move(a.line, line);
            tags.drop(a.line);
        }
    }
    use_.lines.take_contents(line, a.request, a.touched);
    tags.add_valid(line, a.whole);
    tags.add_dirty(line, a.touched);
    if (use_.lines.keep(line)) ++use_.stat.kept_writes;
    use_.claims.claim(a);
    use_.banks.occupy(a.place.bank, use_.config.write_cycles);
    use_.accounting.count(a);
    return CacheStall::none;
}

CacheStall Writes::perform_atomic(const Access& a) {
    if (const std::uint32_t claims = use_.claims.messages(a); claims && !use_.outlet.room(claims))
        return CacheStall::mem_side;
    use_.lines.tags.touch(a.line);
    use_.banks.occupy(a.place.bank, use_.config.read_cycles + use_.config.write_cycles);
    use_.lines.tags.add_dirty(a.line, a.touched);
    use_.accounting.count(a);
    use_.lines.take_contents(a.line, a.request, a.touched);
    use_.claims.claim(a);
    return CacheStall::none;
}

CacheStall Writes::forward(const Access& a) {
    MemRequest r = a.request;
    TagArray& tags = use_.lines.tags;
    Mshrs& mshrs = use_.lines.mshrs;
    const bool drops =
        r.command == Command::atomic || use_.config.policy == WritePolicy::write_evict;
    const bool allocates = !drops && use_.config.allocates;
    SectorMask rest = 0; // bytes missing in partly written sectors
    if (allocates && use_.config.fetches)
        rest = without(without(a.touched, a.whole), a.valid | a.pending);
    const bool locked = a.found() && tags.locked(a.line);
    if (r.needs_response() && !use_.outlet.can_expect()) return CacheStall::mem_side;
    if (rest && locked && mshrs[tags.lock(a.line)].dropped) return CacheStall::targets;
    if (rest && !locked && !use_.mshr_use.room(a.place.line)) return CacheStall::mshrs;
    const std::uint32_t messages = rest ? 2 : 1;
    std::uint32_t line = a.line;
    if (allocates && !a.found()) {
        const CacheStall cause = use_.evictions.take_way(a, false, messages, line);
        if (cause == CacheStall::mem_side) return cause;
        if (cause != CacheStall::none)
            line = TagArray::none,
            rest = 0; // all lines are being filled: the write bypasses the cache
    }
    if (!use_.outlet.room(messages)) return CacheStall::mem_side;

    const SectorMask kept = line == TagArray::none ? SectorMask {0} : update(a, line, drops);
    use_.banks.occupy(a.place.bank, kept ? use_.config.write_cycles : use_.config.read_cycles);
    use_.accounting.count(a);
    if (r.needs_response()) {
        ++use_.owed;
        r.tag = use_.outlet.expect({r.tag, r.source});
    }
    r.source = 0;
    ++use_.stat.passed_on;
    use_.outlet.send(r);
    if (rest) {
        r.stamps = {};
        use_.misses.fetch(locked ? tags.lock(line) : use_.misses.take_mshr(line), a.place.line,
                          rest, r);
    }
    return CacheStall::none;
}

/// Updates a line with a forwarded write. Returns the sectors that the line keeps.
SectorMask Writes::update(const Access& a, std::uint32_t line, bool drops) {
    TagArray& tags = use_.lines.tags;
    if (drops) {
        tags.drop(line, a.touched);
        if (tags.locked(line)) use_.lines.mshrs[tags.lock(line)].dropped = true;
        return 0;
    }
    tags.touch(line);
    const SectorMask here = a.valid | a.pending;
    const SectorMask kept = use_.config.allocates ? a.touched : a.touched & here;
    if (use_.lines.bytes) use_.lines.bytes->write(line, a.request, kept, use_.lines.claimed(line));
    tags.add_valid(line, kept & a.whole);
    tags.add_dirty(line, without(kept, a.valid | a.whole)); // partly written
    return kept;
}

} // namespace memsim::mem::cache
