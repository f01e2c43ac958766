#pragma once

#include "gpu/sm/warp_set.hh"

#include <string_view>

namespace memsim::gpu {

enum class Scheduler : std::uint8_t { loose_round_robin, greedy_then_oldest };
constexpr std::array<std::string_view, 2> names_of(Scheduler) {
    return {"loose_round_robin", "greedy_then_oldest"};
}

/// The ready warp that a scheduler selects after `last`. age(warp): smaller for a warp that arrived
/// earlier. Requires: a warp is ready.
template <class Age>
std::uint32_t choose_warp(Scheduler scheduler, const WarpSet& ready, std::uint32_t last,
                          Age&& age) {
    if (scheduler == Scheduler::loose_round_robin) return ready.first_from(last + 1);
    if (ready.has(last)) return last;
    std::uint32_t oldest = ready.first();
    ready.for_each([&](std::uint32_t w) {
        if (age(w) < age(oldest)) oldest = w;
    });
    return oldest;
}

} // namespace memsim::gpu
