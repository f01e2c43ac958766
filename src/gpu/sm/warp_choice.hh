#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace memsim::gpu {

enum class Scheduler : std::uint8_t { loose_round_robin, greedy_then_oldest };
constexpr std::array<std::string_view, 2> names_of(Scheduler) {
    return {"loose_round_robin", "greedy_then_oldest"};
}

/// Which of the ready warps, a bit each, a scheduler takes that took `last` before. age(warp):
/// smaller for one that came earlier. Precondition: some are ready.
template <class Age>
std::uint32_t choose_warp(Scheduler scheduler, std::uint64_t ready, std::uint32_t last, Age&& age) {
    if (scheduler == Scheduler::loose_round_robin) {
        const unsigned from = (last + 1) & 63;
        const auto ahead = std::countr_zero(std::rotr(ready, static_cast<int>(from)));
        return (static_cast<unsigned>(ahead) + from) & 63;
    }
    if (ready >> last & 1) return last;
    auto oldest = static_cast<std::uint32_t>(std::countr_zero(ready));
    for (std::uint64_t rest = ready & (ready - 1); rest; rest &= rest - 1) {
        const auto w = static_cast<std::uint32_t>(std::countr_zero(rest));
        if (age(w) < age(oldest)) oldest = w;
    }
    return oldest;
}

} // namespace memsim::gpu
