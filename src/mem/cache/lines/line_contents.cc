#include "mem/cache/lines/line_contents.hh"

namespace memsim::mem::cache {

using device_parts::SectorMask;

LineContents::LineContents(Contents& store, const device_parts::TagArray& tags, State& state,
                           std::uint64_t line_bytes, std::uint64_t sector_bytes)
    : store_(store), tags_(tags), state_(state),
      per_line_(static_cast<std::uint32_t>(line_bytes / SectorBytes::size)),
      per_bit_(static_cast<std::uint32_t>(sector_bytes / SectorBytes::size)) {
    state_.sectors.assign(tags_.sets() * tags_.ways() * per_line_, {});
}

void LineContents::clear(std::uint32_t line) {
    for (std::uint32_t i = 0; i < per_line_; ++i) at(line, i).forget();
}

void LineContents::move(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = 0; i < per_line_; ++i) at(to, i) = at(from, i);
}

void LineContents::begin_fetch(std::uint32_t line, SectorMask sectors, SectorMask claimed) {
    for (std::uint32_t i = 0; i < per_line_; ++i)
        if (sectors >> bit(i) & 1 && !counts(line, i, claimed)) at(line, i).forget();
}

void LineContents::write(std::uint32_t line, const protocol::MemRequest& r, SectorMask sectors,
                         SectorMask claimed) {
    if (!r.contents) return;
    const std::uint64_t first = r.address / SectorBytes::size;
    const Contents::Record& record = store_[r.contents];
    for (const Contents::Piece& p : record.pieces) {
        const std::uint64_t sector = first + p.sector;
        if (!(sectors >> bit(sector) & 1)) continue;
        SectorBytes& mine = at(line, sector);
        if (!counts(line, sector, claimed)) mine.forget();
        if (mine.merge(p.data, record.moves)) store_.count_overtaken();
    }
}

void LineContents::fill(std::uint32_t line, const protocol::MemResponse& r) {
    if (!r.contents) return;
    const std::uint64_t first = r.address / SectorBytes::size;
    for (const Contents::Piece& p : store_[r.contents].pieces) {
        SectorBytes& mine = at(line, first + p.sector);
        // A store that arrived late found no younger data here, so the fetched bytes are younger.
        mine.moved ? mine.fill(p.data) : mine.take_younger(p.data);
    }
    store_.release(r.contents);
}

} // namespace memsim::mem::cache
