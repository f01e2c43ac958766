#pragma once

#include "core/base/bits.hh"
#include "device_parts/interleave.hh"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace memsim::gpu {

/// Cycles in which the active threads of this mask execute an instruction on so many lanes: one for
/// each group of threads, and at least one.
inline std::uint32_t passes(std::uint32_t mask, std::uint32_t lanes) {
    constexpr std::uint32_t threads = 32;
    if (lanes == threads) return 1;
    std::uint32_t n = 0;
    for (std::uint32_t first = 0; first < threads; first += lanes)
        n += ((mask >> first) & low_bits(lanes)) != 0;
    return std::max(n, 1u);
}

/// The cycles in which an SM's schedulers issue, `width` instructions each. A sequence of n
/// dependent instructions issues one every `latency` cycles. It is booked as a whole: it occupies
/// one phase (cycle modulo latency) of one port for n turns, while other warps issue in the
/// remaining phases. The schedulers are thus exact to the cycle without cost during a sequence.
class IssueSlots {
  public:
    using Cycle = std::int64_t;
    static constexpr std::size_t none = ~std::size_t {0};
    static constexpr Cycle never = Cycle {1} << 62;

    IssueSlots() = default;
    /// `free`: in State; the first free cycle of each scheduler, port and phase.
    IssueSlots(unsigned schedulers, unsigned width, unsigned latency, std::vector<Cycle>& free)
        : free_(&free), width_(width), latency_(latency) {
        free.assign(std::size_t {schedulers} * width * latency, 0);
    }

    unsigned latency() const { return static_cast<unsigned>(latency_.value()); }
    /// A slot of this scheduler that is free in this cycle.
    std::size_t find(unsigned scheduler, Cycle cycle) const {
        const auto phases = static_cast<std::size_t>(latency_.value());
        std::size_t slot = scheduler * width_ * phases + phase(cycle);
        for (unsigned k = 0; k < width_; ++k, slot += phases)
            if ((*free_)[slot] <= cycle) return slot;
        return none;
    }
    /// Books the slot for `instructions` dependent instructions, the first one in `cycle`.
    void hold(std::size_t slot, Cycle cycle, std::uint32_t instructions) {
        (*free_)[slot] = cycle + Cycle {instructions} * static_cast<Cycle>(latency_.value());
    }
    /// The first cycle from `from` on in which the scheduler has a free slot.
    Cycle next(unsigned scheduler, Cycle from) const {
        const auto phases = static_cast<std::size_t>(latency_.value());
        Cycle first = never;
        for (unsigned k = 0; k < width_; ++k) {
            const std::size_t port = (scheduler * width_ + k) * phases;
            std::size_t at = phase(from);
            for (Cycle c = from; c < from + static_cast<Cycle>(phases) && c < first; ++c) {
                first = std::min(first, std::max(c, (*free_)[port + at]));
                if (++at == phases) at = 0;
            }
        }
        return first;
    }

  private:
    std::size_t phase(Cycle c) const {
        return static_cast<std::size_t>(latency_.remainder(static_cast<std::uint64_t>(c)));
    }

    std::vector<Cycle>* free_ = nullptr;
    unsigned width_ = 1;
    device_parts::Divider latency_;
};

} // namespace memsim::gpu
