#include "mem/cache/commands.hh"

namespace memsim::mem::cache {

using device_parts::TagArray;
using protocol::Command;
using protocol::MemRequest;

CacheStall Commands::invalidate() {
    if (use_.config.victims && !use_.outlet.room(1)) return CacheStall::mem_side;
    TagArray& tags = use_.lines.tags;
    for (std::uint64_t s = 0; s < tags.sets(); ++s)
        for (std::uint32_t l = tags.line(s, 0); l < tags.line(s, tags.ways()); ++l)
            tags.drop(l, use_.config.write_back() || tags.kept(l)
                             ? static_cast<SectorMask>(~tags.dirty(l))
                             : SectorMask {0xffff});
    use_.lines.mshrs.drop_all(); // outstanding fetches were sent before the invalidation
    if (use_.config.victims) tell_below(protocol::every_application);
    ++use_.stat.invalidations;
    return CacheStall::none;
}

CacheStall Commands::flush(const MemRequest& r, std::uint32_t port) {
    if (busy()) return CacheStall::flush;
    use_.flush = {true, 0, 0, 0, port, r};
    use_.flush.dropped = use_.lines.mshrs.drop_and_await(
        [&](std::uint32_t line) { return flushes(use_.lines.tags.application(line)); });
    if (r.needs_response()) ++use_.owed;
    ++use_.stat.flushes;
    walk();
    return CacheStall::none;
}

void Commands::walk() {
    TagArray& tags = use_.lines.tags;
    for (; use_.flush.set < tags.sets(); ++use_.flush.set)
        for (std::uint32_t l = tags.line(use_.flush.set, 0);
             l < tags.line(use_.flush.set, tags.ways()); ++l) {
            if (!flushes(tags.application(l))) continue;
            if (use_.lines.claimed(l)) return; // its writes wait for the fetch
            if (tags.empty(l)) continue;
            if (use_.lines.must_write_back(l)) {
                if (!use_.outlet.room(1) || !use_.outlet.can_expect()) return;
                ++use_.flush.unacked;
                static constexpr Forwarded flushed {0, 0, true, false};
                use_.evictions.write_back(l, &flushed);
            }
            if (tags.prefetched(l)) ++use_.stat.prefetches_unused;
            tags.drop(l);
            ++use_.stat.flushed_lines;
        }
    if (use_.config.victims) { // lines of other applications may have been evicted meanwhile
        if (!use_.outlet.room(1)) return;
        tell_below(use_.flush.request.application);
    }
    use_.flush.unacked += use_.outlet.await_evicted(); // also those evicted during the walk
    use_.flush.walking = false;
}

bool Commands::finished() {
    if (busy() || !use_.flush.request.needs_response()) return false;
    --use_.owed;
    use_.flush.request.posted = true; // answered
    return true;
}

/// Components that keep copies for this cache drop them.
void Commands::tell_below(std::uint16_t application) {
    MemRequest r;
    r.command = Command::invalidate;
    r.posted = true;
    r.application = application;
    use_.outlet.send(r);
}

} // namespace memsim::mem::cache
