#pragma once

#include "device_parts/interleave.hh"

#include <array>
#include <cstdint>
#include <string_view>

namespace memsim::gpu {

/// The location of initially resident pages. identity: address spaces side by side, in order;
/// first_touch: the next frame at the first translation of a page; interleaved: consecutive pages
/// in different ones of `partitions` equal parts of the memory; random: a permutation of all
/// frames, by the machine's seed. faults: no page is resident, the host transfers pages.
enum class PagePlacement : std::uint8_t { identity, first_touch, interleaved, random, faults };
constexpr std::array<std::string_view, 5> names_of(PagePlacement) {
    return {"identity", "first_touch", "interleaved", "random", "faults"};
}

/// The location of the entries of two-level page tables in memory: for each application a root with
/// an entry for each leaf table, and its leaf tables side by side. The layout follows from the
/// geometry. Memory is reserved for the whole address space; only entries used by walks are read.
class PageTable {
  public:
    struct Geometry {
        std::uint64_t base = 0;         ///< in physical memory
        std::uint64_t pages = 1;        ///< of an address space
        std::uint64_t leaf_entries = 1; ///< pages mapped by a leaf table, a power of two
        std::uint64_t entry = 8;        ///< bytes
        std::uint64_t applications = 1;
    };
    PageTable() = default;
    explicit PageTable(const Geometry& g)
        : geometry_(g), leaf_bits_(static_cast<unsigned>(std::countr_zero(g.leaf_entries))) {}

    std::uint64_t leaf_tables() const {
        return (geometry_.pages + geometry_.leaf_entries - 1) >> leaf_bits_;
    }
    /// Size of one application's tables, and of all.
    std::uint64_t bytes_each() const {
        return (leaf_tables() + (leaf_tables() << leaf_bits_)) * geometry_.entry;
    }
    std::uint64_t bytes() const { return bytes_each() * geometry_.applications; }
    /// The leaf table that maps a page.
    std::uint64_t leaf_table(std::uint64_t page) const { return page >> leaf_bits_; }
    std::uint64_t root_entry(std::uint16_t application, std::uint64_t page) const {
        return geometry_.base + application * bytes_each() + leaf_table(page) * geometry_.entry;
    }
    std::uint64_t leaf_entry(std::uint16_t application, std::uint64_t page) const {
        return geometry_.base + application * bytes_each() +
               (leaf_tables() + page) * geometry_.entry;
    }

  private:
    Geometry geometry_;
    unsigned leaf_bits_ = 0;
};

} // namespace memsim::gpu
