#pragma once

#include "cmd/tables/line_store.hh"

namespace memsim::cmd {

/// The representation of a block under BCD. A value for State.
struct BaseDelta {
    enum class Kind : std::uint8_t {
        raw,        ///< uncompressed, in memory
        difference, ///< base on chip, difference in memory
        duplicate,  ///< base and difference on chip
    };
    Kind kind = Kind::raw;
    std::uint8_t bytes = block_bytes;           ///< bytes in memory, in the block's own place
    std::uint32_t base = LineStore::none;       ///< none for a raw block
    std::uint32_t difference = LineStore::none; ///< of a duplicate; none: the block equals its base

    /// Bytes that a read or a write of the block transfers: whole sectors.
    std::uint32_t moved() const { return (bytes + sector_bytes - 1) / sector_bytes * sector_bytes; }
};

/// Base and Compressed Difference deduplication (Park, Kang, Moon, Ahn and Suh, ASPLOS 2021), used
/// to save bandwidth only: blocks stay in their places.
///
/// Models        clusters of blocks whose words have the same high bits. The first block of a
///               cluster is its base. For other blocks only the difference to the base is stored,
///               and not even this if an equal difference is known. A difference is the exclusive
///               or of words, so it occupies their low bits; equal differences of different
///               clusters are shared. In memory a difference starts with 8 bytes, 2 bits per word
///               that give the number of low bytes stored: 0, 1, 2 or 4. A difference that does not
///               save a sector is not used; the block stays raw.
///               Bases and differences on chip are copies. The block from which a base was made is
///               raw in memory, and the block of a difference has it in memory; neither needs the
///               copy. A copy that other blocks need is kept until all of them are released.
///               Without room for a base, blocks of its cluster stay raw. Without room for a
///               difference, it is not shared.
/// Requires      Assumption: each base and each difference occupies 128 bytes on chip.
///
/// A value for State.
class BaseDeltaStores {
  public:
    static constexpr std::string_view archived_as = "BaseDeltaStores";
    template <class Archive>
    void archive(Archive& a) {
        a(bases_), a(differences_);
    }

    /// Sets the lines of each store, their ways, and the number of high bits of a word that select
    /// its cluster (below 32).
    void resize(std::uint32_t bases, std::uint32_t differences, std::uint32_t ways,
                std::uint32_t high_bits);

    /// Encodes a block; `data` receives the bytes to store in memory.
    BaseDelta encode(Block block, BlockBytes& data);
    /// Decodes a block. Only as many bytes of `data` are read as encode() stored.
    BlockBytes decode(const BaseDelta& how, const BlockBytes& data) const;
    /// Releases a representation, because the block was rewritten.
    void release(const BaseDelta& how);

    /// Whether a loaded representation is valid.
    bool has(const BaseDelta& how) const;

    /// A 64-bit hash of the words' bits selected by `mask`. Differences are compared after a match.
    /// Clusters with equal hashes are treated as one, which reduces compression only.
    static Reference::Digest digest_of(Block block, std::uint32_t mask);

  private:
    LineStore bases_, differences_;
    std::uint32_t high_mask_ = 0; ///< of a word
};

} // namespace memsim::cmd
