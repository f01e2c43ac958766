#pragma once

#include "core/state/fifo.hh"

#include <algorithm>
#include <cstdint>

namespace memsim::link {

/// A virtual channel at one input of a router, with the credits of who sends into it: packets that
/// wait, room for flits as the sender knows it, and room on its way back. Cycles are those of the
/// sender's clock. A value for State.
template <class Packet>
struct VirtualChannel {
    struct Held {
        Packet packet;
        std::int64_t ready = 0; ///< the first cycle in which it may leave
        Tick entered = 0;
        bool waited = false; ///< it was counted as such
    };
    struct Return {
        std::int64_t at = 0; ///< cycle
        std::uint32_t flits = 0;
    };

    Fifo<Held> packets;
    Fifo<Return> returning;
    std::uint32_t room = 0;
    bool wanted = false; ///< the sender waits for more than is on its way back

    /// Whether there is room; if not, `next` is no later than when there is, as far as is known.
    bool has_room(std::uint32_t flits, std::int64_t cycle, std::int64_t& next) {
        while (!returning.empty() && returning.front().at <= cycle) room += returning.pop().flits;
        wanted = false;
        if (room >= flits) return true;
        std::uint32_t sum = room;
        for (std::uint32_t i = 0; i < returning.size(); ++i)
            if ((sum += returning[i].flits) >= flits) {
                next = std::min(next, returning[i].at);
                return false;
            }
        wanted = true; // the packet that makes room will say when
        return false;
    }
    /// Room that is there or on its way back.
    std::uint32_t all_room() const {
        std::uint32_t flits = room;
        for (std::uint32_t i = 0; i < returning.size(); ++i) flits += returning[i].flits;
        return flits;
    }
};

} // namespace memsim::link
