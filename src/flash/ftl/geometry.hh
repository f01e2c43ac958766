#pragma once

#include "core/base/units.hh"
#include "protocol/flash.hh"

#include <string>
#include <vector>

namespace memsim::flash {

/// All the flash of a drive. Pages and planes are numbered in mixed radix, so that 6 channels or
/// 384 pages are as good as powers of two: a plane by channel, package, die, plane; a page by
/// plane, block, page, the page lowest.
struct Geometry {
    std::uint32_t channels = 1, packages = 1, dies = 1, planes = 1; ///< each of the one before
    std::uint32_t blocks = 1;                                       ///< of a plane
    std::uint32_t pages = 1;                                        ///< of a block

    std::uint32_t all_planes() const { return channels * packages * dies * planes; }
    std::uint64_t plane_pages() const { return std::uint64_t {blocks} * pages; }
    std::uint64_t all_pages() const { return all_planes() * plane_pages(); }

    std::uint32_t plane_of(std::uint32_t page) const { return block_of(page) / blocks; }
    /// The block of all, numbered by plane.
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

/// So much of a number, rounded down.
inline std::uint64_t share_of(std::uint64_t n, Fraction f) {
    return static_cast<std::uint64_t>(static_cast<Uint128>(n) * static_cast<std::uint64_t>(f.raw) /
                                      static_cast<std::uint64_t>((100_pct).raw));
}

/// The planes in the order in which neighbouring logical pages go to them: 'CWDP' changes the
/// channel first, then the way (package), the die, the plane, as MQSim and others name it. Throws
/// ConfigError (the end of a sentence) if the order is not one of the four letters, each once.
std::vector<std::uint32_t> plane_order(const std::string& order, const Geometry& geometry);

} // namespace memsim::flash
