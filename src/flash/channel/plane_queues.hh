#pragma once

#include "core/state/archive.hh"
#include "protocol/flash.hh"

#include <array>
#include <vector>

namespace memsim::flash {

/// Requests waiting at the planes of a channel. Plain values for State.
struct PlaneQueuesState {
    static constexpr std::uint32_t none = ~0u;
    /// Queues of a plane: reads by class, programs of collections, other programs, erases.
    static constexpr unsigned kinds = protocol::flash_classes + 3;
    struct Queue {
        std::uint32_t head = none, tail = none;
    };
    std::vector<std::uint32_t> next;              ///< by slot of the channel
    std::vector<std::array<Queue, kinds>> queues; ///< by package and plane
    /// By package and kind: bit per plane whose queue is not empty.
    std::vector<std::array<std::uint64_t, kinds>> waiting;
};

/// One queue of each kind for each plane; planes are numbered within their package. A part: its
/// owner selects the next request.
class PlaneQueues {
  public:
    static constexpr std::uint32_t none = PlaneQueuesState::none;
    static constexpr unsigned kinds = PlaneQueuesState::kinds;
    static constexpr unsigned program = kinds - 2, erase = kinds - 1;
    static unsigned kind_of(const protocol::FlashRequest& r) {
        return r.op == protocol::FlashOp::read      ? static_cast<unsigned>(r.urgency)
               : r.op == protocol::FlashOp::program ? program - r.collects
                                                    : erase;
    }

    PlaneQueues(std::uint32_t slots, std::uint32_t packages, std::uint32_t planes,
                PlaneQueuesState& state)
        : planes_(planes), state_(state) {
        state_.next.assign(slots, none);
        state_.queues.assign(std::size_t {packages} * planes, {});
        state_.waiting.assign(packages, {});
    }

    std::uint64_t waiting(std::uint32_t package, unsigned kind) const {
        return state_.waiting[package][kind];
    }
    std::uint32_t front(std::uint32_t package, std::uint32_t plane, unsigned kind) const {
        return state_.queues[package * planes_ + plane][kind].head;
    }
    void push(std::uint32_t package, std::uint32_t plane, unsigned kind, std::uint32_t slot) {
        auto& q = state_.queues[package * planes_ + plane][kind];
        state_.next[slot] = none;
        (q.head == none ? q.head : state_.next[q.tail]) = slot;
        q.tail = slot;
        state_.waiting[package][kind] |= 1ull << plane;
    }
    std::uint32_t pop(std::uint32_t package, std::uint32_t plane, unsigned kind) {
        auto& q = state_.queues[package * planes_ + plane][kind];
        const std::uint32_t slot = q.head;
        q.head = state_.next[slot];
        if (q.head == none) state_.waiting[package][kind] &= ~(1ull << plane);
        return slot;
    }
    /// Removes the slots for which wanted(slot) is true, in order, and calls taken(slot) for each.
    template <class Wanted, class Taken>
    void take(std::uint32_t package, std::uint32_t plane, unsigned kind, Wanted&& wanted,
              Taken&& taken) {
        auto& q = state_.queues[package * planes_ + plane][kind];
        std::uint32_t before = none;
        for (std::uint32_t at = q.head, next = none; at != none; at = next) {
            next = state_.next[at];
            if (!wanted(at)) {
                before = at;
                continue;
            }
            (before == none ? q.head : state_.next[before]) = next;
            if (next == none) q.tail = before;
            taken(at);
        }
        if (q.head == none) state_.waiting[package][kind] &= ~(1ull << plane);
    }

    void check_loaded(Loader& l) const;

  private:
    std::uint32_t planes_; ///< planes of a package
    PlaneQueuesState& state_;
};

} // namespace memsim::flash
