#include "ohm/two_level/cached_lines.hh"

namespace memsim::ohm {

bool CachedLines::put(std::uint64_t set, std::uint64_t tag, bool writes) {
    if (state_.tags.hit(set, tag)) {
        if (writes) state_.tags.mark_dirty(set);
        return false;
    }
    if (contents_.enabled()) state_.dram.forget(sector(set), sectors());
    state_.tags.fill(set, tag, writes);
    return true;
}

Contents::Id CachedLines::victim(std::uint64_t set) const {
    if (!contents_.enabled()) return {};
    const Contents::Id id = state_.dram.take_out(contents_, sector(set), sectors());
    // The line is that of XPoint: if it was entered without a fetch, XPoint may hold younger bytes.
    contents_[id].moves = false;
    return id;
}

Contents::Id CachedLines::read(std::uint64_t set, protocol::MemRequest r) const {
    if (!contents_.enabled()) return {};
    r.address = address(set) + r.address % map_.line_bytes;
    return state_.dram.read(contents_, r);
}

Contents::Id CachedLines::part_of(Contents::Id line, const protocol::MemRequest& r) const {
    if (!line) return {};
    const Contents::Id id = contents_.create();
    const std::uint64_t first = r.address / map_.line_bytes * map_.line_bytes / SectorBytes::size;
    for_each_sector(r, [&](std::uint64_t sector, std::uint32_t offset) {
        contents_[id].pieces.push_back({offset, contents_[line].pieces[sector - first].data});
    });
    return id;
}

void CachedLines::write(std::uint64_t set, std::uint64_t address, Contents::Id contents) {
    if (contents)
        state_.dram.write(contents_, sector(set) + address % map_.line_bytes / SectorBytes::size,
                          contents);
}

void CachedLines::functional(std::uint64_t local, bool in_use, FunctionalAccess& access) {
    const std::uint64_t set = map_.set_of(local);
    if (in_use)
        access.write ? state_.deferred.add(set, access) : state_.deferred.apply_to(set, access);
    if (!state_.tags.hit(set, map_.tag_of(local))) return;
    FunctionalAccess there = access;
    there.address = address(set) + local % map_.line_bytes;
    state_.dram.functional(there);
    access.data = there.data;
}

} // namespace memsim::ohm
