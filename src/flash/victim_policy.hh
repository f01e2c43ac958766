#pragma once

#include "core/policy.hh"

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
};

} // namespace memsim::flash
