#pragma once

#include "cmd/tables/block.hh"
#include "core/state/archive.hh"

#include <algorithm>
#include <vector>

namespace memsim::cmd {

/// The type of a block of memory (CMD, section IV-B); two bits in hardware.
enum class BlockType : std::uint8_t {
    read_only, ///< 00: never written back; host copies do not change this
    intra,     ///< 01: all words of 4 bytes are equal; the map's entry is that word
    inter,     ///< 10: its data lie in another block's place, named by the map entry
    own        ///< 11: its data lie in its own place; other blocks may be mapped to it
};

/// The tables of one controller: type, sector mask and map entry of each block, by block number,
/// and the number of blocks whose data lie in each place.
///
/// Type and map entry apply to the sectors in the mask, which were written back. Other sectors lie
/// in the block's own place, whatever the type. A block can therefore lend its place only if its
/// mask is full. In hardware, mask 0000 marks a whole block whose own place holds another block's
/// data. No other block of type 01 or 10 has this mask, so no further bit is needed and a place is
/// lent only once.
///
/// A value for State. It gives the current contents of the tables; Metadata models the time to
/// access them.
class BlockTable {
  public:
    static constexpr std::string_view archived_as = "BlockTable";
    template <class Archive>
    void archive(Archive& a) {
        const std::size_t n = blocks_.size();
        a(blocks_), a(users_);
        if constexpr (Loading<Archive>) {
            a.check(n == 0 || (blocks_.size() == n && users_.size() == n),
                    "has another number of blocks");
            for (const Entry& e : blocks_) {
                a.check(e.type <= BlockType::own && e.mask <= all_sectors, "has an unknown type");
                a.check(e.type != BlockType::inter || e.value < blocks_.size(),
                        "names a place that does not exist");
            }
            end_ = size();
            while (end_ && blocks_[end_ - 1].type == BlockType::read_only) --end_;
        }
    }

    static const std::size_t bytes_of_block; ///< of host memory
    void resize(std::uint32_t blocks) {
        blocks_.assign(blocks, {}), end_ = 0;
        users_.assign(blocks, 1);
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }
    /// The end of the blocks that were written back; a search can stop there.
    std::uint32_t written_end() const { return end_; }

    BlockType type(std::uint32_t block) const { return blocks_[block].type; }
    std::uint32_t mask(std::uint32_t block) const { return blocks_[block].mask; }
    /// The value of an intra-duplicate.
    std::uint32_t word(std::uint32_t block) const { return blocks_[block].value; }
    /// The place of the sectors in the mask. Requires that the block is no intra-duplicate.
    std::uint32_t place(std::uint32_t block) const {
        return type(block) == BlockType::inter ? blocks_[block].value : block;
    }
    /// Blocks of type 00, 10 or 11 whose data lie in a place.
    std::uint32_t users(std::uint32_t place) const { return users_[place]; }
    /// Whether data of other blocks lie in the block's own place.
    bool shared(std::uint32_t block) const { return users_[block] > here(block); }
    /// Whether the block's place holds no data, neither its own nor other blocks'.
    bool can_lend(std::uint32_t block) const {
        const Entry& e = blocks_[block];
        return (e.type == BlockType::intra || e.type == BlockType::inter) &&
               e.mask == all_sectors && users_[block] == 0;
    }

    /// Removes the block's data from the tables; one of the functions below must follow. Returns
    /// the place that it left, or `nowhere`.
    static constexpr std::uint32_t nowhere = ~std::uint32_t {0};
    std::uint32_t leave(std::uint32_t block) {
        Entry& e = blocks_[block];
        if (e.type == BlockType::intra) return nowhere;
        const std::uint32_t from = place(block);
        --users_[from];
        e.type = BlockType::intra;
        return from;
    }
    void set_intra(std::uint32_t block, std::uint32_t mask, std::uint32_t word) {
        blocks_[block] = {word, BlockType::intra, static_cast<std::uint8_t>(mask)};
        end_ = std::max(end_, block + 1);
    }
    /// The block's data lie in a place: its own or another block's.
    void map(std::uint32_t block, std::uint32_t mask, std::uint32_t place) {
        blocks_[block] = {place, place == block ? BlockType::own : BlockType::inter,
                          static_cast<std::uint8_t>(mask)};
        ++users_[place];
        end_ = std::max(end_, block + 1);
    }
    /// The block lies in its own place and counts as never written back.
    void set_read_only(std::uint32_t block) {
        blocks_[block] = {};
        ++users_[block];
    }

  private:
    struct Entry {
        std::uint32_t value = 0; ///< a word, or a place
        BlockType type = BlockType::read_only;
        std::uint8_t mask = 0;
    };
    /// How often the block counts among the users of its own place.
    std::uint32_t here(std::uint32_t block) const {
        const BlockType t = type(block);
        return t == BlockType::read_only || t == BlockType::own;
    }

    std::vector<Entry> blocks_;
    std::vector<std::uint32_t> users_; ///< by place
    std::uint32_t end_ = 0;
};
inline constexpr std::size_t BlockTable::bytes_of_block = sizeof(Entry) + sizeof(std::uint32_t);

} // namespace memsim::cmd
