#pragma once

#include "workload/simt/simt.hh"

/// The largest of many values.
namespace memsim::workload {

inline constexpr float least_logit = -3e38f; ///< below all logits

/// A value and its index. The larger value is better; among equals, the lower index.
struct Best {
    Lanes<float> value;
    Lanes<u32> place;

    /// Keeps the better of two values in each lane.
    void improve(Warp& w, const Lanes<float>& other, const Lanes<u32>& there) {
        constexpr u32 instructions = 3; // two comparisons and a selection
        const Lanes<float> mine = value;
        const Lanes<u32> here = place;
        const auto better = [&](u32 i) {
            return other[i] > mine[i] || (other[i] == mine[i] && there[i] < here[i]);
        };
        value = w.apply<float>(
            instructions, [&](u32 i) { return better(i) ? other[i] : mine[i]; }, other, mine, there,
            here);
        place = w.apply<u32>(
            1, [&](u32 i) { return better(i) ? there[i] : here[i]; }, there, here);
    }
    void improve_over_lanes(Warp& w) {
        for (u32 distance = 1; distance < warp_lanes; distance *= 2) {
            const auto from = [distance](u32 i) { return i ^ distance; };
            const auto other = w.shuffle(value, from);
            const auto there = w.shuffle(place, from);
            improve(w, other, there);
        }
    }
};

} // namespace memsim::workload
