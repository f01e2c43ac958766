#pragma once

#include "cmd/tables/block.hh"
#include "core/kernel/policy.hh"

namespace memsim::cmd {

/// A policy that compresses whole blocks on their way to memory: none, bpc, bcd
/// (src/cmd/compress/policies/), or a user's policy. It records the places that hold compressed
/// blocks and their sectors there. A compressed block is always transferred as a whole, because its
/// bits depend on each other. Host copies are raw.
class Compressor : public PolicyBase {
  public:
    static constexpr std::string_view family = "block compressor";

    virtual bool compresses() const { return true; }
    /// Whether the policy finds equal data itself. Such a policy excludes other deduplication.
    virtual bool deduplicates() const { return false; }
    virtual unsigned pack_cycles() const = 0;   ///< to compress a block
    virtual unsigned unpack_cycles() const = 0; ///< to expand a block

    virtual void resize(std::uint32_t blocks) = 0;
    virtual bool compressed(std::uint32_t place) const = 0;
    /// Sectors that a compressed block occupies in memory, from the first of its place; 0: it is on
    /// chip.
    virtual std::uint32_t sectors(std::uint32_t place) const = 0;
    /// Whether memory holds codes of compressed blocks instead of their bytes.
    virtual bool codes() const { return false; }
    virtual BlockBytes decode(std::uint32_t, const BlockBytes& code) const { return code; }
    /// Writes a whole block to a place. `data` holds its bytes and receives its code, if any.
    virtual void write(std::uint32_t place, BlockBytes& data) = 0;
    /// Marks the data in a place as raw.
    virtual void set_raw(std::uint32_t place) = 0;
};

} // namespace memsim::cmd
