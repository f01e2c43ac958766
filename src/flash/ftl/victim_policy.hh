#pragma once

#include "core/kernel/policy.hh"

#include <vector>

namespace memsim::flash {

/// A closed block that may be collected: some of its pages hold nothing.
struct VictimBlock {
    std::uint32_t valid = 0;  ///< pages that hold something
    std::uint32_t pages = 0;  ///< all of them
    std::uint32_t erases = 0; ///< that it has gone through
    std::uint64_t age = 0;    ///< blocks of the drive that were closed since it was
};

/// Which block of a plane a flash translation layer collects. Of two that are equal the one stays
/// that was found first.
class VictimPolicy : public PolicyBase {
  public:
    static constexpr std::string_view family = "victim policy";
    /// Whether `a` is to be collected rather than `b`.
    virtual bool before(const VictimBlock& a, const VictimBlock& b) const = 0;
    static constexpr std::uint64_t forever = ~std::uint64_t {0};
    /// `a` is preferred to `b` now: the least by which both must have aged until that may change.
    virtual std::uint64_t holds(const VictimBlock&, const VictimBlock&) const { return 1; }
};

/// The one of `closed` that the policy takes; `none` if there is nothing to gain. as_victim(number)
/// says what it is; without an invalid page it is not taken.
template <class F>
std::uint32_t choose_victim(const VictimPolicy& policy, const std::vector<std::uint32_t>& closed,
                            std::uint32_t none, F&& as_victim) {
    std::uint32_t best = none;
    VictimBlock taken;
    for (const std::uint32_t index : closed) {
        const VictimBlock here = as_victim(index);
        if (here.valid == here.pages) continue;
        if (best == none || policy.before(here, taken)) best = index, taken = here;
    }
    return best;
}

} // namespace memsim::flash
