#include "cmd/controller/block_memory.hh"

#include "core/base/bits.hh"

namespace memsim::cmd {

using protocol::MemRequest;

unsigned BlockMemory::read(std::uint32_t place, std::uint32_t sectors, MemRequest& r) const {
    const bool packed = packing_.compressed(place);
    const std::uint32_t n = packed ? packing_.sectors(place) : 0;
    if (packed && n == 0) return 0;
    // A BPC code represents the whole block; a BCD difference occupies its first sectors.
    if (packed) sectors = packing_.coded(place) ? low_bits<std::uint32_t>(n) : all_sectors;
    r = map_.over(place, sectors);
    if (packed) r.packed.set(n * sector_bytes);
    return packed ? n : bits_set(sectors);
}

bool BlockMemory::write(std::uint32_t place, const Sectors& data, std::uint32_t mask, bool complete,
                        std::uint16_t application) {
    bool whole = mask == all_sectors;
    for (const SectorBytes& s : data) whole = whole && s.known == SectorBytes::all;
    BlockBytes bytes = joined(data);
    packing_.write(place, whole, bytes);
    const bool packed = packing_.compressed(place);
    const std::uint32_t n = packed ? packing_.sectors(place) : block_sectors;
    if (packing_.coded(place)) mask = low_bits<std::uint32_t>(n);
    if (mask == 0) return false;
    MemRequest r = map_.over(place, mask);
    r.command = protocol::Command::write;
    r.posted = true;
    r.application = application;
    if (packed) r.packed.set(n * sector_bytes);
    r.contents = contents_.create();
    contents_[r.contents].moves = true; // the former data may belong to another block
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    for_each_bit(mask, [&](std::uint32_t s) {
        SectorBytes held = sector_of(bytes, s);
        if (!complete && !packed) held.known = data[s].known;
        if (held.known != SectorBytes::all)
            r.partial = static_cast<std::uint16_t>(r.partial | 1u << (s - first));
        contents_[r.contents].pieces.push_back({s - first, held});
    });
    out_.push(r);
    return true;
}

void BlockMemory::access_sector(std::uint32_t place, std::uint32_t sector, bool write,
                                SectorBytes& data) {
    const std::uint64_t at = map_.address(place) + std::uint64_t {sector} * sector_bytes;
    FunctionalAccess below {at, 0, write, data};
    if (write) below.data.order = {};
    look_through(below_, below);
    if (!write) data = below.data;
    for (std::uint32_t i = 0; i < out_.size(); ++i) {
        const MemRequest& r = out_[i];
        if (!r.contents) continue;
        for (Contents::Piece& p : contents_[r.contents].pieces)
            if (r.address / SectorBytes::size + p.sector == at / SectorBytes::size)
                write ? p.data.take(below.data, data.known) : data.take(p.data, p.data.known);
    }
}

BlockBytes BlockMemory::decoded(std::uint32_t place) {
    Sectors code {};
    for (std::uint32_t s = 0; s < packing_.sectors(place); ++s)
        access_sector(place, s, false, code[s]);
    return packing_.decode(place, joined(code));
}

void BlockMemory::make_raw(std::uint32_t place) {
    if (packing_.coded(place)) {
        const BlockBytes block = decoded(place);
        for (std::uint32_t s = 0; s < block_sectors; ++s) {
            SectorBytes sector = sector_of(block, s);
            access_sector(place, s, true, sector);
        }
    }
    packing_.set_raw(place);
}

} // namespace memsim::cmd
