#include "mem/cache/lines/map.hh"

#include "core/base/bits.hh"

namespace memsim::mem::cache {

void Map::narrow(Sectors& s, std::uint64_t address, std::uint32_t sectors,
                 std::uint32_t partial) const {
    // If a sector of the cache spans several bits of the mask, any bit touches it; all bits cover
    // it.
    const unsigned each = 1u << (sector_bits_ - mask_bits);
    const std::uint64_t offset = address & (line_bytes_ - 1);
    const unsigned lead = static_cast<unsigned>(offset >> mask_bits) & (each - 1);
    const auto first = static_cast<unsigned>(offset >> sector_bits_);
    const auto end = static_cast<unsigned>(std::bit_width(s.touched));
    std::uint64_t named = (sectors ? std::uint64_t {sectors} : ~std::uint64_t {0}) << lead;
    std::uint64_t whole = (named & ~(std::uint64_t {partial} << lead));
    const std::uint64_t all = low_bits(each);
    for (unsigned i = first; i < end; ++i, named >>= each, whole >>= each) {
        if ((named & all) == 0) s.touched = without(s.touched, bits(i, 1));
        if ((whole & all) != all) s.whole = without(s.whole, bits(i, 1));
    }
    MEMSIM_ASSERT(s.touched, "a request's mask names none of its sectors");
}

void Map::name(protocol::MemRequest& r, std::uint64_t line, SectorMask m,
               SectorMask partial) const {
    const auto first = static_cast<unsigned>(std::countr_zero(m));
    const auto n = static_cast<unsigned>(std::bit_width(m)) - first;
    const unsigned each = 1u << (sector_bits_ - mask_bits);
    r.address = address_of(line) + (std::uint64_t {first} << sector_bits_);
    r.bytes = n << sector_bits_;
    r.sectors = r.partial = 0;
    const auto spread = [&](unsigned mask) {
        std::uint32_t wide = 0;
        for (unsigned i = 0; i < n; ++i)
            if (mask >> i & 1) wide |= low_bits<std::uint32_t>(each) << i * each;
        return static_cast<std::uint16_t>(wide);
    };
    if (m >> first != bits(0, n)) r.sectors = spread(m >> first);
    if (partial) r.partial = spread(partial >> first);
}

} // namespace memsim::mem::cache
