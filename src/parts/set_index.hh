#pragma once

#include "parts/set_hashes/linear.hh"
#include "parts/set_hashes/polynomial.hh"

namespace memsim::parts {

/// The set of a line, by a policy whose look-up is inlined where it is one of these.
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

} // namespace memsim::parts
