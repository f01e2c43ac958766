#include "mem/cache/writes.hh"

namespace memsim::mem::cache {

using parts::TagArray;
using protocol::Command;
using protocol::MemRequest;

/// Partly written sectors were valid before, or are fetched when a read needs them.
CacheStall Writes::stay(const Access& a) {
    TagArray& tags = c_.lines.tags;
    const std::uint32_t claims = c_.claims(a);
    std::uint32_t line = a.line;
    const bool elsewhere = a.found() && c_.state.reserved && !tags.locked(line) &&
                           line - tags.line(a.place.set, 0) >= c_.state.reserved;
    if (a.found() && !elsewhere) {
        if (claims && !c_.outlet.room(claims)) return CacheStall::mem_side;
        tags.touch(line);
    } else {
        const CacheStall cause = evictions_.take_way(a, true, claims, line);
        if (cause != CacheStall::none) return cause;
        tags.add_valid(line, a.valid);
        tags.add_dirty(line, a.written);
        if (a.found()) {
            if (c_.lines.bytes) c_.lines.bytes->move(a.line, line);
            tags.drop(a.line);
        }
    }
    c_.lines.take_contents(line, a.request, a.touched);
    tags.add_valid(line, a.whole);
    tags.add_dirty(line, a.touched);
    c_.keep(line);
    c_.claim(a);
    c_.occupy(a.place.bank, c_.config.write_cycles);
    c_.count(a);
    return CacheStall::none;
}

CacheStall Writes::perform(const Access& a) {
    if (const std::uint32_t claims = c_.claims(a); claims && !c_.outlet.room(claims))
        return CacheStall::mem_side;
    c_.lines.tags.touch(a.line);
    c_.occupy(a.place.bank, c_.config.read_cycles + c_.config.write_cycles);
    c_.lines.tags.add_dirty(a.line, a.touched);
    c_.count(a);
    c_.lines.take_contents(a.line, a.request, a.touched);
    c_.claim(a);
    return CacheStall::none;
}

CacheStall Writes::forward(const Access& a) {
    MemRequest r = a.request;
    TagArray& tags = c_.lines.tags;
    Mshrs& mshrs = c_.lines.mshrs;
    const bool drops = r.command == Command::atomic || c_.config.policy == WritePolicy::write_evict;
    const bool allocates = !drops && c_.config.allocates;
    SectorMask rest = 0; // bytes missing in partly written sectors
    if (allocates && c_.config.fetches)
        rest = without(without(a.touched, a.whole), a.valid | a.pending);
    const bool locked = a.found() && tags.locked(a.line);
    if (r.needs_response() && !c_.outlet.can_expect()) return CacheStall::mem_side;
    if (rest && locked && mshrs[tags.lock(a.line)].dropped) return CacheStall::targets;
    if (rest && !locked && !c_.mshr_use.room(a.place.line)) return CacheStall::mshrs;
    const std::uint32_t messages = rest ? 2 : 1;
    std::uint32_t line = a.line;
    if (allocates && !a.found()) {
        const CacheStall cause = evictions_.take_way(a, false, messages, line);
        if (cause == CacheStall::mem_side) return cause;
        if (cause != CacheStall::none)
            line = TagArray::none,
            rest = 0; // all lines are being filled: the write bypasses the cache
    }
    if (!c_.outlet.room(messages)) return CacheStall::mem_side;

    const SectorMask kept = line == TagArray::none ? SectorMask {0} : update(a, line, drops);
    c_.occupy(a.place.bank, kept ? c_.config.write_cycles : c_.config.read_cycles);
    c_.count(a);
    if (r.needs_response()) {
        ++c_.state.owed;
        r.tag = c_.outlet.expect({r.tag, r.source});
    }
    r.source = 0;
    ++c_.stat.passed_on;
    c_.outlet.send(r);
    if (rest) {
        r.stamps = {};
        misses_.fetch(locked ? tags.lock(line) : misses_.take_mshr(line), a.place.line, rest, r);
    }
    return CacheStall::none;
}

/// Updates a line with a forwarded write. Returns the sectors that the line keeps.
SectorMask Writes::update(const Access& a, std::uint32_t line, bool drops) {
    TagArray& tags = c_.lines.tags;
    if (drops) {
        tags.drop(line, a.touched);
        if (tags.locked(line)) c_.lines.mshrs[tags.lock(line)].dropped = true;
        return 0;
    }
    tags.touch(line);
    const SectorMask here = a.valid | a.pending;
    const SectorMask kept = c_.config.allocates ? a.touched : a.touched & here;
    if (c_.lines.bytes) c_.lines.bytes->write(line, a.request, kept, c_.lines.claimed(line));
    tags.add_valid(line, kept & a.whole);
    tags.add_dirty(line, without(kept, a.valid | a.whole)); // partly written
    return kept;
}

} // namespace memsim::mem::cache
