#include "mem/cache/commands.hh"

namespace memsim::mem::cache {

using parts::TagArray;
using protocol::Command;
using protocol::MemRequest;

CacheStall Commands::invalidate() {
    if (c_.config.victims && !c_.outlet.room(1)) return CacheStall::mem_side;
    TagArray& tags = c_.lines.tags;
    for (std::uint64_t s = 0; s < tags.sets(); ++s)
        for (std::uint32_t l = tags.line(s, 0); l < tags.line(s, tags.ways()); ++l)
            tags.drop(l, c_.config.write_back() || tags.kept(l)
                             ? static_cast<SectorMask>(~tags.dirty(l))
                             : SectorMask {0xffff});
    c_.lines.mshrs.drop_if([](std::uint32_t) {
        return true;
    }); // outstanding fetches were sent before the invalidation
    if (c_.config.victims) tell_below(protocol::every_application);
    ++c_.stat.invalidations;
    return CacheStall::none;
}

CacheStall Commands::flush(const MemRequest& r, std::uint32_t port) {
    if (busy()) return CacheStall::flush;
    flush_ = {true, 0, 0, 0, port, r};
    flush_.dropped = c_.lines.mshrs.drop_and_await(
        [&](std::uint32_t line) { return flushes(c_.lines.tags.application(line)); });
    flush_.unacked = c_.outlet.await_evicted();
    if (r.needs_response()) ++c_.state.owed;
    ++c_.stat.flushes;
    walk();
    return CacheStall::none;
}

void Commands::walk() {
    TagArray& tags = c_.lines.tags;
    for (; flush_.set < tags.sets(); ++flush_.set)
        for (std::uint32_t l = tags.line(flush_.set, 0); l < tags.line(flush_.set, tags.ways());
             ++l) {
            if (tags.empty(l) || !flushes(tags.application(l))) continue;
            if (c_.lines.must_write_back(l)) {
                if (!c_.outlet.room(1) || !c_.outlet.can_expect()) return;
                ++flush_.unacked;
                static constexpr Forwarded flushed {0, 0, true, false};
                evictions_.write_back(l, &flushed);
            }
            if (tags.prefetched(l)) ++c_.stat.prefetches_unused;
            tags.drop(l);
            ++c_.stat.flushed_lines;
        }
    if (c_.config.victims) { // lines of other applications may have been evicted meanwhile
        if (!c_.outlet.room(1)) return;
        tell_below(flush_.request.application);
    }
    flush_.walking = false;
}

bool Commands::finished() {
    if (busy() || !flush_.request.needs_response()) return false;
    --c_.state.owed;
    flush_.request.posted = true; // answered
    return true;
}

/// Components that keep copies for this cache drop them.
void Commands::tell_below(std::uint16_t application) {
    MemRequest r;
    r.command = Command::invalidate;
    r.posted = true;
    r.application = application;
    c_.outlet.send(r);
}

} // namespace memsim::mem::cache
