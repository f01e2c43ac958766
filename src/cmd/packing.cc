#include "cmd/packing.hh"

namespace memsim::cmd {

void Packing::resize(const PackingParams& p, PackingState& s, std::uint32_t blocks) {
    if (p.compression == Compression::bpc) s.sectors.assign(blocks, 0);
    if (p.compression != Compression::bcd) return;
    s.how.assign(blocks, {});
    s.stores.resize(p.bases, p.differences, p.bcd_ways, p.cluster_bits);
}

void Packing::set_raw(std::uint32_t place) {
    if (kind_ == Compression::bpc) s_.sectors[place] = 0;
    if (kind_ == Compression::bcd) {
        s_.stores.release(s_.how[place]);
        s_.how[place] = {};
    }
}

void Packing::write(std::uint32_t place, Block block, bool whole, BlockBytes& data) {
    std::memcpy(data.data(), block.data(), block_bytes);
    if (!compresses()) return;
    set_raw(place);
    if (!whole) return;
    if (kind_ == Compression::bpc) {
        const std::uint32_t n = bit_planes::packed_sectors(block);
        if (n < block_sectors) s_.sectors[place] = static_cast<std::uint8_t>(n);
    } else
        s_.how[place] = s_.stores.encode(block, data);
    if (!compressed(place)) return;
    ++stat_.packed;
    stat_.saved_sectors += block_sectors - sectors(place);
    stat_.on_chip += sectors(place) == 0;
}

void Packing::check_loaded(Loader& l) const {
    l.within("packing", [&] {
        for (const std::uint8_t n : s_.sectors)
            l.check(n < block_sectors, "has a block of more sectors than it saves");
        for (const BaseDelta& how : s_.how)
            l.check(s_.stores.has(how), "keeps a block by what is not there");
    });
}

} // namespace memsim::cmd
