#pragma once

#include "gpu_program/kernel_source.hh"

#include <array>
#include <string_view>

namespace memsim::workload {

/// The distribution of work-groups over hardware threads.
enum class GroupOrder : std::uint8_t { chunks, interleaved };
constexpr std::array<std::string_view, 2> names_of(GroupOrder) { return {"chunks", "interleaved"}; }

/// The distribution of a launch's work-groups over hardware threads. A block of the new launch is
/// one warp's share of one round: each of its lanes runs one work-group. A value for State.
struct SerialLaunch {
    std::uint32_t groups = 0; ///< work-groups of the launch
    std::uint32_t warps = 0;  ///< warps with work-groups
    std::uint32_t rounds = 0; ///< maximum number of work-groups per hardware thread

    static constexpr std::uint32_t none = ~std::uint32_t {0};

    /// For a launch of `groups` work-groups over at most `most_warps` warps.
    static SerialLaunch of(std::uint32_t groups, std::uint32_t most_warps, std::uint32_t lanes) {
        const auto up = [](std::uint32_t n, std::uint32_t of) { return (n - 1) / of + 1; };
        SerialLaunch s;
        s.groups = groups;
        s.rounds = up(groups, most_warps * lanes);
        s.warps = up(up(groups, s.rounds), lanes);
        return s;
    }
    std::uint32_t blocks() const { return warps * rounds; }
    /// The work-group of a lane in a block, or none.
    std::uint32_t group(std::uint32_t block, std::uint32_t lane, std::uint32_t lanes,
                        GroupOrder order) const {
        const std::uint32_t round = block / warps;
        const std::uint64_t thread = std::uint64_t {block % warps} * lanes + lane;
        const std::uint64_t g = order == GroupOrder::chunks
                                    ? thread * rounds + round
                                    : std::uint64_t {round} * warps * lanes + thread;
        return g < groups ? static_cast<std::uint32_t>(g) : none;
    }
};

} // namespace memsim::workload
