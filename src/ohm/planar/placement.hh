#pragma once

#include "core/state/hash_map.hh"

#include <array>
#include <bit>
#include <cstdint>
#include <string>

namespace memsim::ohm {

/// The place of a logical address before any swap, in mixed radix (the number of controllers need
/// not be a power of two):
///
///     page       = address / page_bytes
///     controller = page mod controllers            pages are interleaved over controllers
///     group      = (page / controllers) mod groups
///     slot       = (page / controllers) / groups   0 .. ratio
///
/// A group consists of one DRAM page (slot 0) and `ratio` XPoint pages (slots 1 .. ratio). Thus the
/// lowest 1 / (1 + ratio) of the addresses start in DRAM and the rest in XPoint. Pages of a
/// contiguous range no larger than the DRAM lie in different groups and do not compete for a DRAM
/// page.
struct Placement {
    std::uint32_t controllers = 1, controller = 0;
    std::uint64_t page_bytes = 2048;
    std::uint64_t groups = 1; ///< of this controller
    std::uint32_t ratio = 8;
    std::uint32_t modules = 1;

    struct Page {
        std::uint32_t controller = 0;
        std::uint64_t group = 0;
        std::uint64_t slot = 0; ///< above `ratio`: beyond the memory
        std::uint32_t offset = 0;
    };
    Page page_of(std::uint64_t address) const {
        const std::uint64_t page = address / page_bytes;
        const std::uint64_t local = page / controllers;
        return {static_cast<std::uint32_t>(page % controllers), local % groups, local / groups,
                static_cast<std::uint32_t>(address % page_bytes)};
    }
    std::uint64_t address_of(const Page& p) const {
        return ((p.slot * groups + p.group) * controllers + p.controller) * page_bytes + p.offset;
    }
    std::uint64_t bytes_of_all() const { return groups * (1 + ratio) * controllers * page_bytes; }

    /// Size of the mapping table in hardware.
    std::uint64_t table_bytes() const {
        return groups * (1 + ratio) * static_cast<unsigned>(std::bit_width(ratio)) / 8;
    }

    // Places within the devices. `location` 0 is the DRAM page of the group, k its k-th XPoint
    // page.
    std::uint64_t dram_address(std::uint64_t group) const { return group * page_bytes; }
    std::uint32_t module_of(std::uint64_t group, std::uint32_t location) const {
        return static_cast<std::uint32_t>(xpoint_page(group, location) % modules);
    }
    std::uint64_t module_address(std::uint64_t group, std::uint32_t location) const {
        return xpoint_page(group, location) / modules * page_bytes;
    }

  private:
    std::uint64_t xpoint_page(std::uint64_t group, std::uint32_t location) const {
        return (location - 1) * groups + group;
    }
};

/// The mapping table row of one group, with its competing counter.
struct Group {
    static constexpr std::uint32_t most_slots = 16;
    std::array<std::uint8_t, most_slots> location {0, 1, 2,  3,  4,  5,  6,  7,
                                                   8, 9, 10, 11, 12, 13, 14, 15};
    std::uint8_t resident = 0;  ///< the slot that is in DRAM
    std::uint8_t candidate = 0; ///< the slot that the counter counts for
    std::uint16_t counter = 0;
    std::uint8_t swap = none; ///< the current swap

    static constexpr std::uint8_t none = 0xff;

    /// Competing counter of PoM (Sim et al., MICRO 2014). An access to the candidate increments it;
    /// one to the page in DRAM or to a rival decrements it. At 0, a rival becomes the candidate.
    /// Returns true if the candidate has reached the threshold.
    bool access(std::uint8_t slot, unsigned threshold) {
        if (slot == resident) {
            if (counter) --counter;
            return false;
        }
        if (slot != candidate && counter != 0) {
            --counter;
            return false;
        }
        candidate = slot;
        if (counter < threshold) ++counter;
        return counter >= threshold;
    }
    /// Exchanges the candidate and the page in DRAM.
    void swapped() {
        const std::uint8_t freed = location[candidate];
        location[candidate] = 0;
        location[resident] = freed;
        resident = candidate;
        counter = 0;
        swap = none;
    }
};

/// Mapping and counters of all groups. Only groups that differ from the initial state use memory.
class GroupTable {
  public:
    static constexpr std::string_view archived_as = "GroupTable";
    using Element = Group;
    template <class Archive>
    void archive(Archive& a) {
        a(groups_);
    }

    const Group* find(std::uint64_t group) const { return groups_.find(group); }
    Group* find(std::uint64_t group) { return groups_.find(group); }
    template <class F>
    bool all(F&& holds) const {
        return groups_.all(holds);
    }
    Group& operator[](std::uint64_t group) { return groups_[group]; }
    std::uint32_t location(std::uint64_t group, std::uint64_t slot) const {
        const Group* const g = groups_.find(group);
        return g ? g->location[slot] : static_cast<std::uint32_t>(slot);
    }

  private:
    HashMap<Group> groups_;
};

} // namespace memsim::ohm
