#pragma once

#include "core/state/fifo.hh"

#include <algorithm>
#include <cstdint>

namespace memsim::link {

/// A virtual channel at one input of a router, with the sender's credits: waiting packets, buffer
/// space known to the sender, and space being returned. Cycles are those of the sender's clock. A
/// value for State.
template <class Packet>
struct VirtualChannel {
    struct Held {
        Packet packet;
        std::int64_t ready = 0; ///< first cycle in which it may leave
        Tick entered = 0;
        bool waited = false; ///< counted as waiting
    };
    struct Return {
        std::int64_t at = 0; ///< cycle
        std::uint32_t flits = 0;
    };

    Fifo<Held> packets;
    Fifo<Return> returning;
    std::uint32_t room = 0;
    bool wanted = false; ///< the sender waits for more than is being returned

    /// Whether there is space. If not, `next` is lowered to the cycle in which there will be, if
    /// known.
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
        wanted = true; // the packet that frees the space determines when
        return false;
    }
    /// Space that is free or being returned.
    std::uint32_t all_room() const {
        std::uint32_t flits = room;
        for (std::uint32_t i = 0; i < returning.size(); ++i) flits += returning[i].flits;
        return flits;
    }
};

} // namespace memsim::link
