#pragma once

#include "cmd/tables/line_store.hh"

namespace memsim::cmd {

/// How BCD keeps a block. A value for State.
struct BaseDelta {
    enum class Kind : std::uint8_t {
        raw,        ///< as it is, in memory
        difference, ///< to a base; the difference is in memory
        duplicate,  ///< base and difference are on chip
    };
    Kind kind = Kind::raw;
    std::uint8_t bytes = block_bytes;           ///< in memory, at the block's own place
    std::uint32_t base = LineStore::none;       ///< not of a raw block
    std::uint32_t difference = LineStore::none; ///< of a duplicate; none: it equals the base

    /// What a write or a read of the block moves: whole sectors.
    std::uint32_t moved() const { return (bytes + sector_bytes - 1) / sector_bytes * sector_bytes; }
};

/// Base and Compressed Difference deduplication (Park, Kang, Moon, Ahn and Suh, ASPLOS 2021), for
/// bandwidth alone: blocks keep their places. Blocks whose words have the same high bits are a
/// cluster. The first block of a cluster is its base. Of each other block only the difference to
/// the base is kept, and not even that if an equal difference is known. Differences are by
/// exclusive or and so lie in the words' low bits; equal ones of different clusters are one.
///
/// A difference in memory has 2 bits for each word, 8 bytes in all, that say how many of its bytes
/// follow, the low ones: 0, 1, 2 or 4. It must save a sector, else the block is kept raw.
///
/// Bases and differences are copies on chip. The block that a base was made of is raw in memory,
/// and that of a difference has it in memory: neither needs the copy. A copy that another block
/// needs stays until each of these blocks was released. If there is no room for a base, blocks of
/// its cluster are raw; if there is none for a difference, it is not shared.
///
/// Assumption: bases and differences take 128 bytes on chip each. A value for State.
class BaseDeltaStores {
  public:
    static constexpr std::string_view archived_as = "BaseDeltaStores";
    template <class Archive>
    void archive(Archive& a) {
        a(bases_), a(differences_);
    }

    /// Lines of each store, their ways, and how many bits of a word tell its cluster (below 32).
    void resize(std::uint32_t bases, std::uint32_t differences, std::uint32_t ways,
                std::uint32_t high_bits);

    /// Keeps a block from now on; `data` gets the bytes that lie in memory.
    BaseDelta encode(Block block, BlockBytes& data);
    /// The block, given the bytes that lie in memory; only so many are read as encode() has put
    /// there.
    BlockBytes decode(const BaseDelta& how, const BlockBytes& data) const;
    /// The block is no longer kept like this: it was written again.
    void release(const BaseDelta& how);

    /// Whether a block may be kept like this: of what was loaded.
    bool has(const BaseDelta& how) const;

    /// A hash of 64 bits of the words' bits that a mask names. Two differences may have the same
    /// one, so they are compared; two clusters that have are taken for one, and compress badly.
    static Reference::Digest digest_of(Block block, std::uint32_t mask);

  private:
    LineStore bases_, differences_;
    std::uint32_t high_mask_ = 0; ///< of a word
};

} // namespace memsim::cmd
