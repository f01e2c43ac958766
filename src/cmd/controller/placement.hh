#pragma once

#include "cmd/tables/block_table.hh"
#include "cmd/tables/fingerprint_store.hh"
#include "cmd/tables/hash_store.hh"
#include "core/declare/stats.hh"

#include <optional>

namespace memsim::cmd {

struct PlacementStats {
    using group = void;
    Counter inter {Unit::count, "Blocks mapped to another block's data instead of being written"};
    Counter silent {Unit::count, "Blocks written back that equal the data to which they are "
                                 "mapped already and need no write"};
    Counter silent_shared {Unit::count,
                           "Silent blocks whose data another block has, too: duplicates of another "
                           "address that are written again"};
    Counter uncounted {Unit::count, "Duplicates written because the reference's count was full"};
    Counter unlisted {Unit::count, "Blocks written whose hash was not stored for lack of room"};
    Counter forgotten {Unit::count, "References replaced in the hash store"};
};
struct PlacementState {
    BlockTable table;
    HashStore store;               ///< used with a strong hash
    FingerprintStore fingerprints; ///< used with a weak one
};

/// The place of each block's data, and the places whose data other blocks may share. It models
/// neither time nor bytes: the caller moves data and charges table accesses.
///
/// A block is put into its own place or, if that place holds other blocks' data, into the place of
/// a donor: a whole block whose own place holds no data. There is always a donor, or a partly
/// written block that can be brought home (written to its own place), because there are as many
/// places as blocks. A part.
class Placement {
    /// Calls f with the store of references in use.
    template <class F>
    auto store(F&& f) const {
        return weak_ ? f(state_.fingerprints) : f(state_.store);
    }

  public:
    static constexpr std::uint32_t nowhere = BlockTable::nowhere;
    static constexpr std::uint32_t group_blocks = 8 * sector_bytes / 2; ///< type flags in 32 bytes

    /// `weak`: digests are fingerprints.
    Placement(bool weak, PlacementState& state, PlacementStats& stat)
        : weak_(weak), state_(state), stat_(stat) {}
    static void resize(PlacementState& s, std::uint32_t blocks, bool weak, std::uint32_t entries,
                       std::uint32_t ways);

    const BlockTable& table() const { return state_.table; }
    /// The reference with this digest of these sectors, or nullptr; valid until the next change.
    const Reference* find(const Reference::Digest& digest, std::uint32_t mask) const {
        return store([&](const auto& s) { return s.find(digest, mask); });
    }
    /// Whether other blocks' data lie in the block's own place. A write must then provide the whole
    /// block, because it goes to a place without the rest of the block.
    bool must_be_whole(std::uint32_t block, std::uint32_t mask) const {
        return mask != all_sectors && state_.table.type(block) == BlockType::own &&
               state_.table.shared(block);
    }
    /// A place for the block without a donor: its own, or the one that it uses alone. Empty if
    /// there is none.
    std::optional<std::uint32_t> place_for(std::uint32_t block) const;
    /// Groups of blocks whose type flags are read together, up to the last block written back.
    std::uint32_t groups() const {
        return (state_.table.written_end() + group_blocks - 1) / group_blocks;
    }
    /// The first block of a group whose type flag allows it to lend its place, or nowhere. Its mask
    /// may still forbid it.
    std::uint32_t candidate(std::uint32_t group) const;
    /// A donor in a group, or nowhere.
    std::uint32_t donor(std::uint32_t group) const;
    /// A block mapped to this one that can lend its place; otherwise one that can be brought home;
    /// otherwise nowhere.
    std::uint32_t duplicate_of(std::uint32_t block) const;
    bool can_lend(std::uint32_t block) const { return state_.table.can_lend(block); }
    /// The first block from `from` on that can be brought home, or nowhere. If no donor exists,
    /// places hold data of partly written blocks, whose own places are therefore in use by
    /// themselves. Writing such a block to its own place frees a place or creates a donor. `except`
    /// is about to leave its place.
    std::uint32_t next_to_bring_home(std::uint32_t except, std::uint32_t from) const;

    /// A place that can be lent again, or nowhere. Its mask must be updated.
    using Freed = std::uint32_t;
    /// Makes the block an intra-duplicate.
    Freed set_intra(std::uint32_t block, std::uint32_t mask, std::uint32_t word);
    enum class Joined : std::uint8_t {
        mapped,
        already, ///< it was mapped there before: nothing changes
        full     ///< the count is full: nothing changes
    };
    struct Join {
        Joined result = Joined::mapped;
        Freed freed = nowhere;
    };
    /// Maps the block to the place of a reference.
    Join join(std::uint32_t block, std::uint32_t mask, std::uint32_t place);
    /// Puts the block alone into a place. Its digest, if any, becomes the reference's unless the
    /// digest is already known.
    Freed put(std::uint32_t block, std::uint32_t mask, std::uint32_t place,
              const Reference::Digest* digest);

    // Host copies bypass deduplication.

    /// The bytes in the block's own place no longer match its digest.
    void withdraw(std::uint32_t block) {
        store([&](auto& s) { s.withdraw(block); });
    }
    /// Removes the block's data. put() or set_read_only() must follow.
    Freed leave(std::uint32_t block);
    /// All of the block lies in its own place and counts as never written back.
    void set_read_only(std::uint32_t block) { state_.table.set_read_only(block); }

    std::optional<std::string> imbalance() const;
    void check_loaded(Loader& l) const;

  private:
    template <class F>
    std::uint32_t first_of(std::uint32_t group, F&& fit) const;

    const bool weak_;
    PlacementState& state_;
    PlacementStats& stat_;
};

} // namespace memsim::cmd
