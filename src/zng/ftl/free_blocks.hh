#pragma once

#include "zng/layout/address.hh"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace memsim::zng {

/// The erased blocks of all plane groups and the number of erases of each block, for wear
/// levelling. Blocks are mapped blocks. At the start, the blocks of each group from `first` on are
/// erased. A value for State: a block that was never used needs no memory.
class FreeBlocks {
  public:
    static constexpr std::string_view archived_as = "FreeBlocks";
    template <class Archive>
    void archive(Archive& a) {
        a(next_), a(freed_), a(erases_), a(most_);
    }

    /// A block of a group.
    struct Block {
        std::uint32_t erases = 0, number = 0;
        // NOLINTNEXTLINE(modernize-use-nullptr): there is no pointer
        auto operator<=>(const Block&) const = default;
    };

    FreeBlocks() = default;
    FreeBlocks(const Flash& flash, std::uint32_t first)
        : flash_(flash), next_(flash.groups(), first), freed_(flash.groups()) {}

    std::uint32_t left(std::uint32_t group) const {
        return flash_.blocks - next_[group] + static_cast<std::uint32_t>(freed_[group].size());
    }
    /// The block with the fewest erases; among equals, the lowest number. Requires a free block.
    Block best(std::uint32_t group) const {
        const auto& freed = freed_[group];
        const Block fresh {0, next_[group]};
        if (freed.empty()) return fresh;
        return fresh.number < flash_.blocks ? std::min(fresh, freed.front()) : freed.front();
    }
    /// Takes the best block and returns its number among all mapped blocks.
    std::uint32_t take(std::uint32_t group) {
        const Block b = best(group);
        if (b.number == next_[group])
            ++next_[group];
        else {
            std::pop_heap(freed_[group].begin(), freed_[group].end(), std::greater<> {});
            freed_[group].pop_back();
        }
        return flash_.in_group(group, b.number);
    }
    /// Adds a block that was erased.
    void put(std::uint32_t block) {
        const std::uint32_t erases = ++erases_[block];
        most_ = std::max(most_, erases);
        auto& freed = freed_[flash_.group_of(block)];
        freed.push_back({erases, flash_.block_in_plane(block)});
        std::push_heap(freed.begin(), freed.end(), std::greater<> {});
    }
    /// Blocks that were erased at least once.
    std::size_t erased() const { return erases_.size(); }
    /// The highest erase count of a block.
    std::uint32_t most() const { return most_; }

  private:
    Flash flash_ {};
    std::vector<std::uint32_t> next_; ///< by group: the first block that was never used
    std::vector<std::vector<Block>> freed_;
    HashMap<std::uint32_t> erases_; ///< by mapped block
    std::uint32_t most_ = 0;
};

} // namespace memsim::zng
