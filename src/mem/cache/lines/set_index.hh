#pragma once

#include "mem/cache/set_hashes/linear.hh"
#include "mem/cache/set_hashes/polynomial.hh"

namespace memsim::mem {

/// The set of a line by a SetHash policy. Common policies are inlined.
class SetIndex {
  public:
    /// The policy outlives it.
    explicit SetIndex(const Policy<SetHash>& hash) : hash_(&hash) {}
    std::uint64_t operator()(std::uint64_t line) const {
        return hash_->with<LinearSets, PolynomialSets>(
            [line](const auto& policy) { return policy.set(line); });
    }

  private:
    const Policy<SetHash>* hash_;
};

} // namespace memsim::mem
