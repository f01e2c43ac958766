#pragma once

#include "cmd/tables/block.hh"
#include "core/kernel/policy.hh"

namespace memsim::cmd {

/// How whole blocks are made smaller on their way to memory: none, bpc, bcd (src/cmd/compressors/),
/// or one of your own. It says which places hold compressed blocks, and how many sectors these take
/// there. A compressed block is moved as a whole, whatever is asked of it: its bits belong to all
/// of it. What the host copies is raw.
class Compressor : public PolicyBase {
  public:
    static constexpr std::string_view family = "block compressor";

    virtual bool compresses() const { return true; }
    /// It finds equal data itself, block by block, and so goes with no other deduplication.
    virtual bool deduplicates() const { return false; }
    virtual unsigned pack_cycles() const = 0;   ///< to compress a block
    virtual unsigned unpack_cycles() const = 0; ///< to expand one

    virtual void resize(std::uint32_t blocks) = 0;
    virtual bool compressed(std::uint32_t place) const = 0;
    /// That a compressed block takes in memory, from the place's first on; 0: it is on chip.
    virtual std::uint32_t sectors(std::uint32_t place) const = 0;
    /// Memory holds codes of compressed blocks, and not their bytes.
    virtual bool codes() const { return false; }
    virtual BlockBytes decode(std::uint32_t, const BlockBytes& code) const { return code; }
    /// A whole block is written to a place. `data` holds its bytes, and gets its code if it has
    /// one.
    virtual void write(std::uint32_t place, BlockBytes& data) = 0;
    /// What lies in a place is raw from now on.
    virtual void set_raw(std::uint32_t place) = 0;
};

} // namespace memsim::cmd
