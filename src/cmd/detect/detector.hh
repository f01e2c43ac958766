#pragma once

#include "cmd/tables/block.hh"
#include "cmd/tables/reference_store.hh"
#include "core/kernel/policy.hh"

namespace memsim::cmd {

/// What tells that two blocks are equal: a digest of their bytes. none, md5, ecc
/// (src/cmd/detectors/), or one of your own.
class Detector : public PolicyBase {
  public:
    static constexpr std::string_view family = "duplicate detector";

    virtual bool detects() const { return true; }
    /// Different blocks may have one digest, so the reference is read and compared; the references
    /// that fewest blocks are mapped to make room for others.
    virtual bool verifies() const { return false; }
    /// Of the sectors in the mask.
    virtual Reference::Digest digest(Block block, std::uint32_t mask) const = 0;
    /// From a block's entry into the unit to its digest, and to the next block's entry.
    virtual unsigned cycles(std::uint32_t sectors) const = 0;
    virtual unsigned interval() const = 0;
};

} // namespace memsim::cmd
