#pragma once

#include "protocol/flash.hh"

#include <algorithm>
#include <string>

/// Programs that wait in a channel until a collection has ended. They leave a quarter of the
/// channel's places, and at least one, to the operations of that collection and to reads.
namespace memsim::flash {

/// Commands that the channel behind a port holds.
inline unsigned places_of(const Requester<protocol::Flash>& channel) {
    return std::min(channel.depth(), channel.peer()->depth());
}
/// Whether the channel has space for a program that may wait.
inline bool may_hold(const Requester<protocol::Flash>& channel) {
    const unsigned places = places_of(channel);
    return channel.outstanding() + std::max(1u, places / 4) < places;
}
/// Refuses a channel with a single place.
inline void check_places_to_wait(const Requester<protocol::Flash>& channel) {
    if (places_of(channel) < 2)
        throw ConfigError(channel.owner().path() +
                          ".gc_holds_writes: a program that waits would occupy the only place of " +
                          channel.neighbour_path() +
                          ": set queue_depth and the channel's queue to 2 or more");
}

} // namespace memsim::flash
