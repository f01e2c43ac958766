#pragma once

#include "core/state/archive.hh"
#include "zng/network/flash_network.hh"

namespace memsim::zng::package {

/// A page of a package, with all data needed to read or program it.
struct PageAddress {
    std::uint32_t plane = 0; ///< of the package
    std::uint32_t block = 0; ///< data block within the plane
    std::uint32_t log_block = 0;
    std::uint16_t page = 0;
};

/// Numbers blocks and pages of a package consecutively through all planes.
struct Numbering {
    std::uint32_t dies = 1;
    std::uint32_t die_planes = 1; ///< per die
    std::uint32_t blocks = 1;     ///< per plane
    std::uint32_t pages = 1;      ///< per block

    std::uint32_t planes() const { return dies * die_planes; }
    std::uint32_t plane(FlashPlane p) const { return p.die * die_planes + p.plane; }
    FlashPlane place(std::uint32_t plane) const {
        return {static_cast<std::uint8_t>(plane / die_planes),
                static_cast<std::uint8_t>(plane % die_planes)};
    }
    PageAddress address(const FlashPacket& p) const {
        return {plane(p.at), p.block, p.log_block, p.page};
    }
    std::uint64_t block(std::uint32_t plane, std::uint32_t block) const {
        return std::uint64_t {plane} * blocks + block;
    }
    std::uint64_t page(const PageAddress& a) const {
        return block(a.plane, a.block) * pages + a.page;
    }
    bool has(const FlashPacket& p) const {
        return p.at.die < dies && p.at.plane < die_planes && p.block < blocks &&
               p.log_block < blocks && p.to_block < blocks && p.page < pages;
    }

    void check(Loader& l, std::string_view field, const PageAddress& a) const {
        l.index(field, a.plane, planes()), l.index(field, a.page, pages);
        l.index(field, a.block, blocks), l.index(field, a.log_block, blocks);
    }
    /// Checks the place of a request and, for a move, its target.
    void check(Loader& l, std::string_view field, const FlashPacket& p) const {
        for (const FlashPlane at : {p.at, p.to})
            l.index(field, at.die, dies), l.index(field, at.plane, die_planes);
        check(l, field, address(p));
        l.index(field, p.to_block, blocks), l.index(field, p.to_log, blocks);
        l.index(field, p.line, 32);
    }
};

} // namespace memsim::zng::package
