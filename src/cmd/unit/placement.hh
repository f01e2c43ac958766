#pragma once

#include "cmd/tables/block_table.hh"
#include "cmd/tables/fingerprint_store.hh"
#include "cmd/tables/hash_store.hh"
#include "core/declare/stats.hh"

#include <optional>

namespace memsim::cmd {

struct PlacementStats {
    using group = void;
    Counter inter {Unit::count,
                   "Blocks written that were mapped to another block's data, and not written"};
    Counter silent {Unit::count,
                    "Blocks written back that equal what the place to which they are mapped "
                    "holds already, and so cause no write"};
    Counter silent_shared {Unit::count,
                           "Silent blocks whose data another block has, too: duplicates of another "
                           "address that are written again"};
    Counter uncounted {Unit::count, "Duplicates written: the reference's count is full"};
    Counter unlisted {Unit::count, "Blocks written whose hash found no room in the store"};
    Counter forgotten {Unit::count, "References that made room in the hash store"};
};
struct PlacementState {
    BlockTable table;
    HashStore store;               ///< of a strong hash
    FingerprintStore fingerprints; ///< of a weak one
};

/// In which place each block's data lie, and which places hold data that others may share. It
/// knows no time and no bytes: who calls moves the data and charges the tables.
///
/// A block is put into its own place, or, where others' data lie there, into that of a donor: a
/// whole block whose own place holds nothing. There is one, or a block that is not whole can be
/// brought home: places are as many as blocks. A part.
class Placement {
    /// Calls f with the store of references.
    template <class F>
    auto store(F&& f) const {
        return weak_ ? f(s_.fingerprints) : f(s_.store);
    }

  public:
    static constexpr std::uint32_t nowhere = BlockTable::nowhere;
    static constexpr std::uint32_t group_blocks = 8 * sector_bytes / 2; ///< type flags in 32 bytes

    /// `weak`: digests are fingerprints.
    Placement(bool weak, PlacementState& state, PlacementStats& stat)
        : weak_(weak), s_(state), stat_(stat) {}
    static void resize(PlacementState& s, std::uint32_t blocks, bool weak, std::uint32_t entries,
                       std::uint32_t ways);

    const BlockTable& table() const { return s_.table; }
    /// The reference with this digest of these sectors, or nullptr; valid until the next change.
    const Reference* find(const Reference::Digest& digest, std::uint32_t mask) const {
        return store([&](const auto& s) { return s.find(digest, mask); });
    }
    /// Others' data lie in the block's place: what is written of it must be all of it, as it goes
    /// to a place where nothing of it lies.
    bool must_be_whole(std::uint32_t block, std::uint32_t mask) const {
        return mask != all_sectors && s_.table.type(block) == BlockType::own &&
               s_.table.shared(block);
    }
    /// Where a block can be put without a donor: its own place, or the one that it has alone.
    std::optional<std::uint32_t> place_for(std::uint32_t block) const;
    /// Groups of blocks whose type flags are read at once, up to the last that was written back.
    std::uint32_t groups() const {
        return (s_.table.written_end() + group_blocks - 1) / group_blocks;
    }
    /// The first block of a group whose type flag lets it lend its place, or nowhere. Its mask may
    /// not.
    std::uint32_t candidate(std::uint32_t group) const;
    /// A donor of a group, or nowhere.
    std::uint32_t donor(std::uint32_t group) const;
    /// A block that is mapped to this one and lends its place, else one that can be brought home,
    /// else nowhere.
    std::uint32_t duplicate_of(std::uint32_t block) const;
    bool can_lend(std::uint32_t block) const { return s_.table.can_lend(block); }
    /// There is no donor while places hold data of blocks that are not whole, and whose own places
    /// are therefore in use: the first of them from a block on, or nowhere. Written as it is to its
    /// own place, which is no other's, as it is not whole, it frees one, or makes a donor. `except`
    /// is about to leave its place.
    std::uint32_t next_to_bring_home(std::uint32_t except, std::uint32_t from) const;

    /// A place that is free to be lent again, or nowhere: its mask says so.
    using Freed = std::uint32_t;
    /// The block is an intra-duplicate from now on.
    Freed set_intra(std::uint32_t block, std::uint32_t mask, std::uint32_t word);
    enum class Joined : std::uint8_t {
        mapped,
        already, ///< it was mapped to it before: nothing changes
        full     ///< no more can be counted there: nothing changes
    };
    struct Join {
        Joined result = Joined::mapped;
        Freed freed = nowhere;
    };
    /// The block is mapped to the place of a reference.
    Join join(std::uint32_t block, std::uint32_t mask, std::uint32_t place);
    /// The block is put into a place that nobody else has; the digest, if there is one, is the
    /// reference's from now on, unless another is known by it.
    Freed put(std::uint32_t block, std::uint32_t mask, std::uint32_t place,
              const Reference::Digest* digest);

    // What the host copies does not pass the deduplication.

    /// The bytes in the block's own place are no longer those of its digest.
    void withdraw(std::uint32_t block) {
        store([&](auto& s) { s.withdraw(block); });
    }
    /// The block's data are nowhere: put() or set_read_only() follows.
    Freed leave(std::uint32_t block);
    /// All of it is in its own place, as if nothing was written back.
    void set_read_only(std::uint32_t block) { s_.table.set_read_only(block); }

    std::optional<std::string> imbalance() const;
    void check_loaded(Loader& l) const;

  private:
    template <class F>
    std::uint32_t first_of(std::uint32_t group, F&& fit) const;

    const bool weak_;
    PlacementState& s_;
    PlacementStats& stat_;
};

} // namespace memsim::cmd
