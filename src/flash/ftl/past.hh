#pragma once

#include "core/base/units.hh"
#include "flash/ftl/geometry.hh"
#include "flash/ftl/plane_life.hh"
#include "parts/shuffle.hh"

namespace memsim::flash {

inline constexpr std::uint32_t no_page = ~0u;

/// Where logical pages lay when the run began: `aged` of the host's, from 0, and the translation
/// pages behind the host's, which go round the planes; in each plane in order, or where a long use
/// left them. Computed, not stored for each page. A part that is no State, as its owner makes it
/// from parameters and the seed.
class Past {
  public:
    struct Config {
        Geometry geometry;
        std::vector<std::uint32_t> order; ///< planes, see plane_order()
        std::uint64_t host_pages = 0;     ///< logical pages that the host sees
        std::uint64_t map_pages = 0;      ///< translation pages, numbered behind them
        std::uint64_t aged = 0;           ///< of the host's pages
    };
    explicit Past(const Config& figures);

    /// Each page was written once, in random order; then pages drawn at random were written again,
    /// as many as so much of the flash has. So each order of a plane's logical pages over its valid
    /// ones is as likely, and one is drawn. Which of a block's pages are valid is drawn, too; not
    /// modelled: that those written late are rather valid. Planes beyond what is written in a
    /// moment share a life, at different times of it.
    void use(Fraction overwritten, const PlaneLife::Config& plane, const VictimPolicy& policy,
             Rng random);
    bool used() const { return !used_.empty(); }
    /// The writes of a plane that such a use follows one by one, and the most that it takes a host
    /// less than a minute for.
    std::uint64_t writes_of_plane(Fraction overwritten) const {
        return pages_of(f_.order[0]) + share_of(f_.geometry.plane_pages(), overwritten);
    }
    static constexpr std::uint64_t most_writes_of_plane = 100'000'000;
    /// After a long use.
    const PlaneBlocks& blocks_of(std::uint32_t plane) const { return used_[plane].blocks; }

    /// Of a plane: logical pages that were written.
    std::uint64_t pages_of(std::uint32_t plane) const {
        const std::uint64_t n = f_.order.size();
        return total_ / n + (position_[plane] < total_ % n);
    }
    /// The page where a logical page lay; no_page if it was not written.
    std::uint32_t page_of(std::uint32_t lpn) const;
    /// The logical page that lay there; no_page if none did.
    std::uint32_t owner_of(std::uint32_t page) const;

  private:
    struct Plane {
        PlaneBlocks blocks;
        std::vector<std::uint32_t> first; ///< valid pages before each block, and all
    };
    /// The order of a plane's logical pages over its blocks' valid ones.
    parts::Shuffle order_in(std::uint32_t plane) const {
        return parts::Shuffle(pages_of(plane), key_ ^ (std::uint64_t {plane} << 32 | ~0u));
    }
    /// The order of a block's valid pages over those written; what is left of them is invalid.
    parts::Shuffle order_in(std::uint32_t plane, std::uint32_t block) const {
        return parts::Shuffle(used_[plane].blocks.blocks[block].written,
                              key_ ^ (std::uint64_t {plane} << 32 | block));
    }

    Config f_;
    std::uint64_t total_ = 0;
    std::vector<std::uint32_t> position_; ///< of a plane in the order
    std::vector<Plane> used_;             ///< empty: pages lie in order
    std::uint64_t key_ = 0;
};

} // namespace memsim::flash
