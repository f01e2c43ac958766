#pragma once

#include "core/base/bits.hh"
#include "device_parts/hashed_interleave/hashed_interleave.hh"
#include "device_parts/tag_array.hh"
#include "mem/cache/lines/set_index.hh"
#include "protocol/mem.hh"

namespace memsim::mem::cache {

using device_parts::SectorMask;

constexpr SectorMask bits(unsigned first, unsigned n) {
    return static_cast<SectorMask>(low_bits<std::uint32_t>(n) << first);
}
constexpr SectorMask without(SectorMask a, SectorMask b) { return a & static_cast<SectorMask>(~b); }

/// Maps addresses to line, set and bank, and messages to the sectors of a line.
class Map {
  public:
    struct Place {
        std::uint64_t line; ///< line number, used as the tag
        std::uint64_t set;
        std::uint32_t bank;
    };
    struct Sectors {
        SectorMask touched;
        SectorMask whole; ///< sectors covered completely
    };

    /// Requires: sizes are powers of two.
    Map(std::uint64_t line_bytes, std::uint64_t sector_bytes, SetIndex index, std::uint32_t banks,
        device_parts::HashedInterleave interleave)
        : line_bytes_(line_bytes), line_bits_(static_cast<unsigned>(std::countr_zero(line_bytes))),
          sector_bits_(static_cast<unsigned>(std::countr_zero(sector_bytes))), index_(index),
          banks_(banks), interleave_(interleave) {}

    std::uint64_t line_of(std::uint64_t address) const { return address >> line_bits_; }
    std::uint64_t address_of(std::uint64_t line) const { return line << line_bits_; }
    std::uint64_t line_bytes() const { return line_bytes_; }
    Place place(std::uint64_t address) const {
        const std::uint64_t own = own_line(address);
        return {line_of(address), index_(own), static_cast<std::uint32_t>(banks_.remainder(own))};
    }
    std::uint32_t bank(std::uint64_t address) const {
        return static_cast<std::uint32_t>(banks_.remainder(own_line(address)));
    }
    template <class M>
    bool within_a_line(const M& m) const {
        return m.bytes != 0 && line_of(m.address + m.bytes - 1) == line_of(m.address);
    }
    /// The cache, among those that share the addresses, that serves this address.
    std::uint32_t cache_of(std::uint64_t address) const { return interleave_.way(address); }

    /// The sectors of a line between two addresses.
    SectorMask span(std::uint64_t address, std::uint32_t bytes) const {
        const std::uint64_t offset = address & (line_bytes_ - 1);
        const auto first = static_cast<unsigned>(offset >> sector_bits_);
        const auto last = static_cast<unsigned>((offset + bytes - 1) >> sector_bits_);
        return bits(first, last + 1 - first);
    }
    template <class M>
    Sectors sectors(const M& m) const {
        Sectors s {span(m.address, m.bytes), 0};
        s.whole = s.touched;
        const std::uint64_t part = low_bits(sector_bits_);
        if (m.address & part) s.whole = without(s.whole, span(m.address, 1));
        if ((m.address + m.bytes) & part)
            s.whole = without(s.whole, span(m.address + m.bytes - 1, 1));
        std::uint32_t partial = 0;
        if constexpr (requires { m.partial; }) partial = m.partial;
        if (m.sectors || partial) narrow(s, m.address, m.sectors, partial);
        return s;
    }
    /// Sets the range of a message to sectors of a line, some of them partial.
    void name(protocol::MemRequest& r, std::uint64_t line, SectorMask sectors,
              SectorMask partial) const;

  private:
    static constexpr unsigned mask_bits = std::countr_zero(protocol::sector_bytes);

    std::uint64_t own_line(std::uint64_t address) const {
        return line_of(interleave_.ways() == 1 ? address : interleave_.within(address));
    }
    /// Narrows the sectors by the masks of a message, whose sectors may be smaller than the
    /// cache's.
    void narrow(Sectors& s, std::uint64_t address, std::uint32_t sectors,
                std::uint32_t partial) const;

    std::uint64_t line_bytes_;
    unsigned line_bits_, sector_bits_;
    SetIndex index_;
    device_parts::Divider banks_;
    device_parts::HashedInterleave interleave_;
};

} // namespace memsim::mem::cache
