#pragma once

#include "core/kernel/component.hh"
#include "flash/ftl/geometry.hh"

#include <functional>

/// The structure of a drive, and the division of its pages.
namespace memsim::flash {

using namespace memsim::literals;

struct FlashShape {
    using group = void;
    Param<unsigned> channels {8,
                              {1, 64},
                              "Channels, each a flash.Channel",
                              cited("MQSim, ssdconfig.xml: Flash_Channel_Count 8")};
    Param<unsigned> packages {4,
                              {1, 64},
                              "Packages of a channel, equal to the channels' parameter",
                              cited("MQSim, ssdconfig.xml: Chip_No_Per_Channel 4")};
    Param<unsigned> dies {2,
                          {1, 64},
                          "Dies of a package, equal to the packages' parameter",
                          cited("MQSim, ssdconfig.xml: Die_No_Per_Chip 2")};
    Param<unsigned> planes {2,
                            {1, 64},
                            "Planes of a die, equal to the packages' parameter",
                            cited("MQSim, ssdconfig.xml: Plane_No_Per_Die 2")};
    Param<unsigned> blocks {2048,
                            {1, 1u << 20},
                            "Blocks of a plane, equal to the packages' parameter",
                            cited("MQSim, ssdconfig.xml: Block_No_Per_Plane 2048")};
    Param<unsigned> pages {256,
                           {1, 32768},
                           "Pages of a block, equal to the packages' parameter",
                           cited("MQSim, ssdconfig.xml: Page_No_Per_Block 256")};
    Param<Bytes> page {8_KiB,
                       {512_B, 16_KiB},
                       "Size of a page's data",
                       cited("MQSim, ssdconfig.xml: Page_Capacity 8192")};
    Param<Fraction> over_provisioning {7_pct,
                                       {0_pct, 90_pct},
                                       "Share of the flash that is not visible to the host",
                                       cited("MQSim, ssdconfig.xml: Overprovisioning_Ratio 0.07")};

    Geometry geometry() const {
        return {channels(), packages(), dies(), planes(), blocks(), pages()};
    }
};

using Refuse = std::function<void(const char* parameter, const std::string& sentence)>;

/// The pages visible to the host, the map pages behind them, and the blocks of each plane that stay
/// free for garbage collection. Invalid values are rejected by refuse(parameter, sentence), which
/// throws.
struct DriveSpace {
    std::uint64_t host_pages = 0, map_pages = 0;
    std::uint32_t free_blocks = 0;   ///< collection begins if fewer are free
    std::uint32_t target_blocks = 0; ///< collection ends if as many are free

    DriveSpace(const FlashShape& shape, std::uint64_t pages_per_map_page, Fraction threshold,
               Fraction target, unsigned least_free, unsigned open_blocks, const Refuse& refuse) {
        const Geometry g = shape.geometry();
        if (g.all_pages() >= ~0u)
            refuse("blocks", "the drive has " + std::to_string(g.all_pages()) +
                                 " pages; the maximum is 4294967294");
        if (shape.over_provisioning() == 0_pct)
            refuse("over_provisioning",
                   "is 0, but garbage collection needs spare pages: set it to 0.07 or similar");
        host_pages = share_of(g.all_pages(), 100_pct - shape.over_provisioning());
        if (pages_per_map_page)
            map_pages = (host_pages + pages_per_map_page - 1) / pages_per_map_page;
        // Blocks of a plane in addition to those filled with data: one open block per writer, and
        // the free blocks of the threshold.
        free_blocks =
            std::max(least_free, static_cast<std::uint32_t>(share_of(g.blocks, threshold)));
        target_blocks =
            std::max(free_blocks, static_cast<std::uint32_t>(share_of(g.blocks, target)));
        const std::uint64_t of_plane =
            (host_pages + map_pages + g.all_planes() - 1) / g.all_planes();
        const std::uint64_t full = (of_plane + g.pages - 1) / g.pages;
        if (host_pages == 0) refuse("over_provisioning", "leaves no page for the host");
        if (full + target_blocks + open_blocks > g.blocks)
            refuse("over_provisioning",
                   shape.over_provisioning.text() + " leaves " +
                       std::to_string(g.blocks > full ? g.blocks - full : 0) + " of a plane's " +
                       shape.blocks.text() + " blocks for garbage collection, which needs " +
                       std::to_string(target_blocks + open_blocks) +
                       (target_blocks > free_blocks ? " (gc_target's "
                        : free_blocks > share_of(g.blocks, threshold) && free_blocks > 2
                            ? " (gc_blocks' and gc_stop's "
                            : " (gc_threshold's ") +
                       std::to_string(target_blocks) + " and " + std::to_string(open_blocks) +
                       " open blocks)");
    }
};

} // namespace memsim::flash
