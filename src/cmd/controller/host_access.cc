#include "cmd/controller/host_access.hh"

#include "core/base/bits.hh"

namespace memsim::cmd {

/// Reads a sector of a block from its present place.
void HostAccess::held(std::uint32_t block, std::uint32_t sector, SectorBytes& to) {
    const BlockTable& t = placement_.table();
    const bool inside = t.mask(block) >> sector & 1;
    if (packing_.coded(block))
        to = sector_of(memory_.decoded(block), sector);
    else if (inside && t.type(block) == BlockType::intra)
        to = sector_of_word(t.word(block));
    else
        memory_.access_sector(inside ? t.place(block) : block, sector, false, to);
}

void HostAccess::read(std::uint32_t block, std::uint64_t number, SectorBytes& to) {
    const std::uint32_t sector = sector_in_block(number);
    const SectorBytes last = order_.last(number);
    SectorBytes found;
    held(block, sector, found);
    jobs_.for_each(block, [&](std::uint32_t id) {
        const Job& j = jobs_[id];
        if (j.kind != JobKind::write || !(j.sectors >> sector & 1)) return;
        const SectorBytes& own = jobs_.data(id).own[sector];
        if (j.before) // its bytes are not yet merged
            found.take(own, own.known);
        else
            found.take(last, own.known & last.known);
    });
    found.order = last.order; // 0 if nothing was stored
    to.fill(found);
}

void HostAccess::write(std::uint32_t block, std::uint64_t number, const SectorBytes& data) {
    const BlockTable& t = placement_.table();
    const std::uint32_t sector = sector_in_block(number);
    SectorBytes written = data;
    order_.merge(number, written, false);
    jobs_.for_each(block, [&](std::uint32_t id) { // a waiting write is merged when it begins
        Job& j = jobs_[id];
        if (j.before) return;
        jobs_.data(id).own[sector].take(written, written.known);
        j.stale = true;
    });
    const BlockType type = t.type(block);
    const bool inside = t.mask(block) >> sector & 1;
    if (type == BlockType::read_only || !inside || (type == BlockType::own && !t.shared(block))) {
        if (inside) placement_.withdraw(block);
        memory_.make_raw(block);
        return memory_.access_sector(block, sector, true, written);
    }
    Sectors all;
    for (std::uint32_t s = 0; s < block_sectors; ++s) held(block, s, all[s]);
    all[sector].take(written, written.known);
    placement_.leave(block); // first, because it may get the same place
    const std::uint32_t place = t.shared(block) ? free_place(block) : block;
    if (place == block)
        placement_.set_read_only(block);
    else
        placement_.put(block, all_sectors, place, nullptr);
    packing_.set_raw(place);
    for (std::uint32_t s = 0; s < block_sectors; ++s) memory_.access_sector(place, s, true, all[s]);
}

/// A place for a block whose own place is shared: a donor's, or its own after other blocks were
/// brought home.
std::uint32_t HostAccess::free_place(std::uint32_t block) {
    const BlockTable& t = placement_.table();
    for (std::uint32_t from = 0; t.shared(block);) {
        for (std::uint32_t group = 0; group < placement_.groups(); ++group)
            if (const std::uint32_t d = placement_.donor(group); d != Placement::nowhere) return d;
        from = placement_.next_to_bring_home(block, from);
        MEMSIM_ASSERT(from != Placement::nowhere, "whole blocks alone always leave a donor");
        Sectors data;
        const std::uint32_t mask = t.mask(from);
        for_each_bit(mask, [&](std::uint32_t s) { held(from, s, data[s]); });
        placement_.put(from, mask, from, nullptr);
        for_each_bit(mask, [&](std::uint32_t s) { memory_.access_sector(from, s, true, data[s]); });
    }
    return block;
}

} // namespace memsim::cmd
