#pragma once

#include "core/base/units.hh"
#include "device_parts/shuffle.hh"
#include "flash/ftl/geometry.hh"
#include "flash/ftl/plane_life.hh"

namespace memsim::flash {

inline constexpr std::uint32_t no_page = ~0u;

/// The location of logical pages before the run: `aged` of the host's pages, from 0, and the
/// translation pages behind the host's, distributed over the planes. In each plane they lie in
/// order, or as a long use left them. Locations are computed, not stored per page. A part without
/// State: its owner creates it from parameters and the seed.
class Past {
  public:
    struct Config {
        Geometry geometry;
        std::vector<std::uint32_t> order; ///< of planes, see plane_order()
        std::uint64_t host_pages = 0;     ///< logical pages visible to the host
        std::uint64_t map_pages = 0;      ///< translation pages, numbered behind them
        std::uint64_t aged = 0;           ///< number of the host's pages written
    };
    explicit Past(const Config& figures);

    /// Simulates a long use. Each page was written once, in random order; then `overwritten` of the
    /// flash's pages were rewritten at random. All orders of a plane's logical pages over its valid
    /// ones are then equally likely, and one is drawn. Which pages of a block are valid is drawn,
    /// too. Not modelled: pages written late are more likely valid. If the writes are too many to
    /// simulate quickly, planes share a simulated history at different times.
    void use(Fraction overwritten, const PlaneLife::Config& plane, const VictimPolicy& policy,
             Rng random);
    bool used() const { return !used_.empty(); }
    /// The writes of a plane that such a use simulates one by one, and the maximum, which takes a
    /// host less than a minute.
    std::uint64_t writes_of_plane(Fraction overwritten) const {
        return pages_of(config_.order[0]) + share_of(config_.geometry.plane_pages(), overwritten);
    }
    static constexpr std::uint64_t most_writes_of_plane = 100'000'000;
    /// The blocks of a plane after use().
    const PlaneBlocks& blocks_of(std::uint32_t plane) const { return used_[plane].blocks; }

    /// Logical pages of a plane that were written.
    std::uint64_t pages_of(std::uint32_t plane) const {
        const std::uint64_t n = config_.order.size();
        return total_ / n + (position_[plane] < total_ % n);
    }
    /// The page where a logical page lay; no_page if it was not written.
    std::uint32_t page_of(std::uint32_t lpn) const;
    /// The logical page of a page; no_page if there was none.
    std::uint32_t owner_of(std::uint32_t page) const;

  private:
    struct Plane {
        PlaneBlocks blocks;
        std::vector<std::uint32_t> first; ///< number of valid pages before each block, and in total
    };
    /// The order of a plane's logical pages over the valid pages of its blocks.
    device_parts::Shuffle order_in(std::uint32_t plane) const {
        return device_parts::Shuffle(pages_of(plane), key_ ^ (std::uint64_t {plane} << 32 | ~0u));
    }
    /// The order of a block's valid pages over its written ones; the rest are invalid.
    device_parts::Shuffle order_in(std::uint32_t plane, std::uint32_t block) const {
        return device_parts::Shuffle(used_[plane].blocks.blocks[block].written,
                                     key_ ^ (std::uint64_t {plane} << 32 | block));
    }

    Config config_;
    std::uint64_t total_ = 0;
    std::vector<std::uint32_t> position_; ///< of each plane in the order
    std::vector<Plane> used_;             ///< empty: pages lie in order
    std::uint64_t key_ = 0;
};

} // namespace memsim::flash
