#pragma once

#include "gpu/sm/issue_slots.hh"

namespace memsim::gpu {

/// An assist warp (Vijaykumar et al., reference 28 of ZnG): dependent instructions of a helper
/// thread. It uses issue slots of an SM's first scheduler, but no warp slot. A value for State.
struct AssistWarp {
    std::int64_t end = 0; ///< end of its last instruction; 0: idle

    bool over(std::int64_t cycle) const { return end && end <= cycle; }
    /// Reports the end of its instructions at the helper's port, or starts those that wait there
    /// and counts them. Returns false if neither is possible in this cycle.
    template <class Port, class Count>
    bool serve(Port& helper, IssueSlots& slots, std::int64_t cycle, Count& instructions) {
        if (over(cycle)) {
            helper.pop();
            helper.send({});
            end = 0;
            return true;
        }
        const std::uint32_t n = helper.front().instructions;
        if (!begin(slots, cycle, n, slots.latency())) return false;
        instructions += n;
        return true;
    }
    /// Starts `instructions` in this cycle. Returns false if the warp is busy or no slot is free.
    bool begin(IssueSlots& slots, std::int64_t cycle, std::uint32_t instructions,
               unsigned latency) {
        if (end) return false;
        const std::size_t slot = slots.find(0, cycle);
        if (slot == IssueSlots::none) return false;
        slots.hold(slot, cycle, instructions);
        end = cycle + std::int64_t {instructions} * latency;
        return true;
    }
    /// The first cycle from `from` on in which it may continue.
    std::int64_t next(const IssueSlots& slots, std::int64_t from) const {
        return end ? end : slots.next(0, from);
    }
};

} // namespace memsim::gpu
