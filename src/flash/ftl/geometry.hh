#pragma once

#include "core/base/units.hh"
#include "protocol/flash.hh"

#include <string>
#include <vector>

namespace memsim::flash {

/// The structure of all flash of a drive. Pages and planes are numbered in mixed radix, so counts
/// need not be powers of two. A plane is numbered by channel, package, die and plane; a page by
/// plane, block and page, the page lowest.
struct Geometry {
    std::uint32_t channels = 1, packages = 1, dies = 1, planes = 1; ///< each per unit before
    std::uint32_t blocks = 1;                                       ///< per plane
    std::uint32_t pages = 1;                                        ///< per block

    std::uint32_t all_planes() const { return channels * packages * dies * planes; }
    std::uint64_t plane_pages() const { return std::uint64_t {blocks} * pages; }
    std::uint64_t all_pages() const { return all_planes() * plane_pages(); }

    std::uint32_t plane_of(std::uint32_t page) const { return block_of(page) / blocks; }
    /// The number of the block in the drive, by plane.
    std::uint32_t block_of(std::uint32_t page) const { return page / pages; }
    std::uint32_t channel_of(std::uint32_t page) const {
        return plane_of(page) / (packages * dies * planes);
    }
    protocol::FlashPlace place(std::uint32_t page) const {
        std::uint32_t rest = page;
        const auto digit = [&rest](std::uint32_t radix) {
            const std::uint32_t d = rest % radix;
            rest /= radix;
            return d;
        };
        protocol::FlashPlace p;
        p.page = static_cast<std::uint16_t>(digit(pages));
        p.block = digit(blocks);
        p.plane = static_cast<std::uint8_t>(digit(planes));
        p.die = static_cast<std::uint8_t>(digit(dies));
        p.package = static_cast<std::uint16_t>(digit(packages));
        return p;
    }
};

/// The share `f` of a number, rounded down.
inline std::uint64_t share_of(std::uint64_t n, Fraction f) {
    return static_cast<std::uint64_t>(static_cast<Uint128>(n) * static_cast<std::uint64_t>(f.raw) /
                                      static_cast<std::uint64_t>((100_pct).raw));
}

/// The planes in the order in which consecutive logical pages are distributed: 'CWDP' changes the
/// channel first, then the way (package), the die and the plane, with the names of MQSim and
/// others. Throws ConfigError (the end of a sentence) if the order does not contain each of the
/// four letters once.
std::vector<std::uint32_t> plane_order(const std::string& order, const Geometry& geometry);

} // namespace memsim::flash
