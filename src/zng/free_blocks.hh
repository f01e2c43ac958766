#pragma once

#include "zng/address.hh"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace memsim::zng {

/// The erased blocks of all planes and how often each block was erased: what a helper thread needs
/// to level wear. At the start the blocks from `first` of each plane on are erased. A value for
/// State; a block that was never used costs no memory.
class FreeBlocks {
  public:
    static constexpr std::string_view archived_as = "FreeBlocks";
    template <class Archive>
    void archive(Archive& a) {
        a(next_), a(freed_), a(erases_), a(most_);
    }

    /// Of a plane.
    struct Block {
        std::uint32_t erases = 0, number = 0;
        auto operator<=>(const Block&) const = default;
    };

    FreeBlocks() = default;
    FreeBlocks(const Flash& flash, std::uint32_t first)
        : flash_(flash), next_(flash.all_planes(), first), freed_(flash.all_planes()) {}

    std::uint32_t left(std::uint32_t plane) const {
        return flash_.blocks - next_[plane] + static_cast<std::uint32_t>(freed_[plane].size());
    }
    /// The one erased least, of those the one with the lowest number; there is one.
    Block best(std::uint32_t plane) const {
        const auto& freed = freed_[plane];
        const Block fresh {0, next_[plane]};
        if (freed.empty()) return fresh;
        return fresh.number < flash_.blocks ? std::min(fresh, freed.front()) : freed.front();
    }
    /// Its number among all of the flash.
    std::uint32_t take(std::uint32_t plane) {
        const Block b = best(plane);
        if (b.number == next_[plane])
            ++next_[plane];
        else {
            std::pop_heap(freed_[plane].begin(), freed_[plane].end(), std::greater<> {});
            freed_[plane].pop_back();
        }
        return flash_.in_plane(plane, b.number);
    }
    /// A block was erased.
    void put(std::uint32_t block) {
        const std::uint32_t erases = ++erases_[block];
        most_ = std::max(most_, erases);
        auto& freed = freed_[flash_.plane_of(block)];
        freed.push_back({erases, flash_.block_in_plane(block)});
        std::push_heap(freed.begin(), freed.end(), std::greater<> {});
    }
    /// Blocks that were erased at all.
    std::size_t erased() const { return erases_.size(); }
    /// How often the one erased most.
    std::uint32_t most() const { return most_; }

  private:
    Flash flash_ {};
    std::vector<std::uint32_t> next_; ///< by plane: the first that was never used
    std::vector<std::vector<Block>> freed_;
    HashMap<std::uint32_t> erases_; ///< by block of all flash
    std::uint32_t most_ = 0;
};

} // namespace memsim::zng
