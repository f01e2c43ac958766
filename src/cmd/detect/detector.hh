#pragma once

#include "cmd/tables/block.hh"
#include "cmd/tables/reference_store.hh"
#include "core/kernel/policy.hh"

namespace memsim::cmd {

/// A policy that detects equal blocks by a digest of their bytes: none, md5, ecc
/// (src/cmd/detect/policies/), or a user's policy.
class Detector : public PolicyBase {
  public:
    static constexpr std::string_view family = "duplicate detector";

    virtual bool detects() const { return true; }
    /// Whether a match must be verified by reading the reference, because different blocks may have
    /// equal digests. The references with the fewest mapped blocks are then replaced first.
    virtual bool verifies() const { return false; }
    /// The digest of the sectors in the mask.
    virtual Reference::Digest digest(Block block, std::uint32_t mask) const = 0;
    /// Cycles from a block's entry to its digest, and to the entry of the next block.
    virtual unsigned cycles(std::uint32_t sectors) const = 0;
    virtual unsigned interval() const = 0;
};

} // namespace memsim::cmd
