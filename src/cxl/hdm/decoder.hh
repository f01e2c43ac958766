#pragma once

#include "parts/interleave.hh"

#include <array>
#include <cstdint>
#include <string>

namespace memsim::cxl {

/// A number of bytes as parameters are written, such as "256MiB"; for messages.
std::string bytes_text(std::uint64_t bytes);

/// An HDM decoder (CXL 3.1, 8.2.4.20): a range of host physical addresses (HPA) that an interleave
/// set of 1 to 16 targets shares, and the device physical addresses (DPA) that each target has for
/// its share. Chunks of `granularity` go to the targets in turn, and lie side by side in each. A
/// value for State.
///
/// Addresses are counted from `base`, which the specification aligns so that this makes no
/// difference (256 MB a way; memories are smaller here).
struct HdmDecoder {
    std::uint64_t base = 0, bytes = 0; ///< of the host's addresses
    std::uint64_t skip = 0;            ///< device address of the share's first byte
    std::uint32_t ways = 1, granularity = 256;
    std::uint32_t position = 0; ///< of a device: which way it is

    bool operator==(const HdmDecoder&) const = default;

    bool holds(std::uint64_t hpa) const { return hpa - base < bytes; }
    /// These lie in the range, and are not empty.
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

    /// Why no hardware has such a decoder, as the end of a sentence; empty: it may be.
    std::string fault() const;

    /// The control register: interleave granularity and ways as they are encoded, and position.
    std::uint64_t control() const;
    /// Takes it; codes that are reserved make ways or granularity 0.
    void set_control(std::uint64_t value);

    static constexpr std::array<std::uint32_t, 8> all_ways {1, 2, 4, 8, 16, 3, 6, 12};
    static constexpr std::uint32_t least_granularity = 256, most_granularity = 16384;

  private:
    parts::Interleave shares() const { return {granularity, ways}; }
};

} // namespace memsim::cxl
