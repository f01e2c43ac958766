#pragma once

#include "parts/set_hashes/linear.hh"
#include "parts/set_hashes/polynomial.hh"

namespace memsim::mem {

/// The set of a line by a SetHash policy. Common policies are inlined.
class SetIndex {
  public:
    /// The policy outlives it.
    explicit SetIndex(const Policy<parts::SetHash>& hash) : hash_(&hash) {}
    std::uint64_t operator()(std::uint64_t line) const {
        return hash_->with<parts::LinearSets, parts::PolynomialSets>(
            [line](const auto& policy) { return policy.set(line); });
    }

  private:
    const Policy<parts::SetHash>* hash_;
};

} // namespace memsim::mem
