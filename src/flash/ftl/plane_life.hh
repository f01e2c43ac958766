#pragma once

#include "core/base/rng.hh"
#include "flash/ftl/tournament.hh"
#include "flash/ftl/victim_policy.hh"

#include <array>
#include <vector>

namespace memsim::flash {

/// The blocks of a plane after a series of writes; only counts, not the location of pages.
struct PlaneBlocks {
    struct Block {
        std::uint32_t erases = 0;
        std::uint32_t written = 0; ///< pages, from the first
        std::uint32_t valid = 0;   ///< written pages that were not rewritten
        std::uint64_t closed_at = 0;
    };
    static constexpr std::uint32_t none = ~0u;

    std::vector<Block> blocks;
    std::uint32_t fresh = 0; ///< next block that was never used
    std::vector<std::uint32_t> erased, closed;
    std::uint32_t host = none, collector = none; ///< open blocks
    std::uint64_t closings = 0;

    std::uint32_t free_blocks() const {
        return static_cast<std::uint32_t>(blocks.size() - fresh + erased.size());
    }
};

/// Simulates the blocks of a plane while pages are written to it one by one, uniformly at random,
/// without time. Blocks are opened, closed, collected and erased by the rules of Ftl and Collector.
/// Since all pages are equally likely to be rewritten, counts of valid pages are sufficient.
/// Tournaments select the next block, so that a write needs no search through all blocks. Not
/// modelled: static wear levelling, because no block lags behind under such writes.
class PlaneLife {
  public:
    struct Config {
        std::uint32_t blocks = 1, pages = 1;       ///< pages of a block
        std::uint32_t free_blocks = 2, target = 2; ///< see Collector::Config
        bool least_worn_first = true;              ///< see Ftl::Config
    };
    /// All arguments outlive it.
    PlaneLife(const Config& figures, const VictimPolicy& victim, Rng& random);

    /// Writes this number of pages that were never written.
    void fill(std::uint64_t pages);
    /// Rewrites this number of pages, each drawn from the valid ones.
    void overwrite(std::uint64_t pages);
    /// Invalidates a page drawn from the valid ones.
    void drop();
    const PlaneBlocks& now() const { return now_; }

  private:
    void write();
    void put(std::uint32_t& open);
    std::uint32_t take_block();
    std::uint32_t victim();
    void collect(std::uint32_t victim);
    void close(std::uint32_t block);
    Tournament::Winner collected_first(std::uint32_t a, std::uint32_t b) const;
    Tournament::Winner less_worn(std::uint32_t a, std::uint32_t b) const;
    auto by_victim() const {
        return [this](std::uint32_t a, std::uint32_t b) { return collected_first(a, b); };
    }
    auto by_wear() const {
        return [this](std::uint32_t a, std::uint32_t b) { return less_worn(a, b); };
    }

    Config config_;
    const VictimPolicy& victim_;
    Rng& random_;
    PlaneBlocks now_;
    std::vector<std::uint32_t> place_; ///< index of each closed block in its list
    Tournament closed_, erased_;       ///< of indices in the lists
};

} // namespace memsim::flash
