#pragma once

#include "core/kernel/policy.hh"

#include <vector>

namespace memsim::flash {

/// A closed block that may be collected: some of its pages are invalid.
struct VictimBlock {
    std::uint32_t valid = 0;  ///< valid pages
    std::uint32_t pages = 0;  ///< all pages
    std::uint32_t erases = 0; ///< erases of the block
    std::uint64_t age = 0;    ///< blocks of the drive closed since this one
};

/// Selects the block of a plane that a flash translation layer collects. Of two equal blocks the
/// one found first is kept.
class VictimPolicy : public PolicyBase {
  public:
    static constexpr std::string_view family = "victim policy";
    /// Whether `a` is collected rather than `b`.
    virtual bool before(const VictimBlock& a, const VictimBlock& b) const = 0;
    static constexpr std::uint64_t forever = ~std::uint64_t {0};
    /// Given that `a` is preferred to `b` now: the smallest increase of both ages after which that
    /// may change.
    virtual std::uint64_t holds(const VictimBlock&, const VictimBlock&) const { return 1; }
};

/// The block of `closed` that the policy selects; `none` if no block has an invalid page.
/// as_victim(number) describes a block.
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
