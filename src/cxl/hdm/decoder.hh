#pragma once

#include "device_parts/interleave.hh"

#include <array>
#include <cstdint>
#include <string>

namespace memsim::cxl {

/// An HDM decoder (CXL 3.1, 8.2.4.20): a range of host physical addresses (HPA) shared by an
/// interleave set of 1 to 16 targets, and the device physical addresses (DPA) of each target's
/// share. Chunks of `granularity` are assigned to the targets in turn, and are contiguous in each.
/// A value for State.
///
/// Addresses are counted from `base`. The specification aligns `base` so that this makes no
/// difference (256 MB per way; memories are smaller here).
struct HdmDecoder {
    std::uint64_t base = 0, bytes = 0; ///< of the host addresses
    std::uint64_t skip = 0;            ///< device address of the share's first byte
    std::uint32_t ways = 1, granularity = 256;
    std::uint32_t position = 0; ///< of a device: its way

    bool operator==(const HdmDecoder&) const = default;

    bool holds(std::uint64_t hpa) const { return hpa - base < bytes; }
    /// Requires: both ranges are not empty.
    bool overlaps(const HdmDecoder& other) const { return holds(other.base) || other.holds(base); }
    std::uint32_t way(std::uint64_t hpa) const { return shares().way(hpa - base); }
    std::uint64_t dpa(std::uint64_t hpa) const { return skip + shares().within(hpa - base); }
    std::uint64_t hpa(std::uint32_t way, std::uint64_t dpa) const {
        return base + shares().address(way, dpa - skip);
    }
    /// The first device address of a way's share that is not below this host address.
    std::uint64_t dpa_from(std::uint32_t way, std::uint64_t hpa) const {
        const std::uint64_t offset = hpa - base, chunk = offset / granularity;
        const std::uint64_t whole = chunk / ways + (chunk % ways > way);
        return skip + whole * granularity + (chunk % ways == way ? offset % granularity : 0);
    }
    /// Whether these bytes lie in the range and in one target.
    bool holds(std::uint64_t hpa, std::uint32_t n) const {
        const std::uint64_t last = hpa + n - 1;
        return n != 0 && holds(hpa) && holds(last) &&
               (ways == 1 || (hpa - base) / granularity == (last - base) / granularity);
    }
    std::uint64_t share() const { return bytes / ways; }

    /// The reason why no hardware has such a decoder, as the end of a sentence; empty if it is
    /// valid.
    std::string fault() const;

    /// The control register: encoded granularity and ways of the interleaving, and position.
    std::uint64_t control() const;
    /// Sets the control register; reserved codes set ways or granularity to 0.
    void set_control(std::uint64_t value);

    static constexpr std::array<std::uint32_t, 8> all_ways {1, 2, 4, 8, 16, 3, 6, 12};
    static constexpr std::uint32_t least_granularity = 256, most_granularity = 16384;

  private:
    device_parts::Interleave shares() const { return {granularity, ways}; }
};

} // namespace memsim::cxl
