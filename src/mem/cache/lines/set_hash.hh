#pragma once

#include "core/kernel/policy.hh"

#include <cstdint>

namespace memsim::mem {

/// Maps lines to sets of a cache.
///
/// Guarantees    Each aligned run of `sets` lines has one line in each set, so that the quotient of
///               a line's number by the number of sets, with its set, identifies the line.
class SetHash : public PolicyBase {
  public:
    static constexpr std::string_view family = "set hash";

    /// Called once, before the first lookup. Any number of sets.
    virtual void resize(std::uint64_t sets) = 0;
    virtual std::uint64_t set(std::uint64_t line) const = 0;
};

} // namespace memsim::mem
