#include "xpoint/module.hh"

/// What the lines of the media and of the buffers hold, in a machine that carries contents.
namespace memsim::xpoint {

/// What a write leaves in its entry. Of stores that come out of order the younger one's bytes stay,
/// wherever in the module they are.
void Module::take_contents(std::uint8_t entry, const protocol::DdrtCommand& c) {
    if (!c.contents) return;
    Contents& contents = sim().contents();
    parts::SectorStore& buffer = state.contents.write_buffer;
    const Contents::Record& record = contents[c.contents];
    for (const Contents::Piece& p : record.pieces) {
        const std::uint64_t sector = c.address % line_bytes / protocol::sector_bytes + p.sector;
        const std::uint64_t place = entry * line_sectors + sector;
        const bool whole = sectors_covered(c) >> sector & 1;
        if (record.moves && whole) {
            buffer.put(place, p.data);
            continue;
        }
        SectorBytes all = newest(c.address / line_bytes, sector), mine;
        if (all.merge(p.data, record.moves)) contents.count_overtaken();
        buffer.read(place, mine);
        mine.take(all, p.data.known);
        buffer.put(place, mine);
    }
    contents.release(c.contents);
}

/// Puts what was written to an entry over what is below. A sector that was written whole leaves
/// nothing of it: it may be another page's.
void Module::add_written(std::uint8_t entry, std::uint64_t sector, SectorBytes& to) const {
    SectorBytes mine;
    state.contents.write_buffer.read(entry * line_sectors + sector, mine);
    if (state.write_buffer[entry].sectors >> sector & 1)
        to = mine;
    else
        to.take(mine, mine.known);
}

/// A sector of a line as the next read would find it.
SectorBytes Module::newest(std::uint64_t line, std::uint64_t sector) const {
    SectorBytes all;
    state.contents.media.read(state.levelling.physical(line) * line_sectors + sector, all);
    const std::uint8_t* const youngest = state.write_lines.find(line);
    for (const Partition& p : state.partitions) // an entry that drains is older than the youngest
        if (p.op == Op::write && state.write_buffer[p.entry].line == line)
            add_written(p.entry, sector, all);
    if (youngest) add_written(*youngest, sector, all);
    return all;
}

/// From the media into the read buffer. What the write buffer holds of the line is younger than the
/// media, older than the reads.
void Module::read_line(const ReadEntry& e, std::uint64_t physical) {
    const auto entry = static_cast<std::uint64_t>(&e - state.read_buffer.data());
    const std::uint8_t* const written = state.write_lines.find(e.line);
    for (std::uint64_t i = 0; i < line_sectors; ++i) {
        SectorBytes s;
        state.contents.media.read(physical * line_sectors + i, s);
        if (written) add_written(*written, i, s);
        state.contents.read_buffer.put(entry * line_sectors + i, s);
    }
}

void Module::write_line(const WriteEntry& e, std::uint64_t physical) {
    const auto entry = static_cast<std::uint8_t>(&e - state.write_buffer.data());
    for (std::uint64_t i = 0; i < line_sectors; ++i) {
        SectorBytes s;
        state.contents.media.read(physical * line_sectors + i, s);
        add_written(entry, i, s);
        state.contents.media.put(physical * line_sectors + i, s);
    }
}

void Module::copy_line(std::uint64_t from, std::uint64_t to) {
    state.contents.media.copy(state.contents.media, from * line_sectors, to * line_sectors,
                              line_sectors);
}

/// What the host copies in goes wherever the line is read or written next.
void Module::functional(const PortBase&, FunctionalAccess& access) {
    const std::uint64_t line = access.address / line_bytes;
    const std::uint64_t sector = access.address % line_bytes / protocol::sector_bytes;
    ModuleContents& held = state.contents;
    SectorBytes all;
    if (!access.write) all = newest(line, sector);
    for (std::uint32_t i = 0; i < state.snarfed.size(); ++i) {
        const protocol::DdrtCommand& c = state.snarfed[i];
        for (Contents::Piece& p : sim().contents()[c.contents].pieces)
            if (c.address / protocol::sector_bytes + p.sector ==
                access.address / protocol::sector_bytes)
                access.write ? p.data.merge(access.data, false) : (all = p.data, false);
    }
    if (!access.write) return access.data.fill(all);
    held.media.merge(state.levelling.physical(line) * line_sectors + sector, access.data, false);
    for (std::size_t i = 0; i < state.write_buffer.size(); ++i)
        if (!(state.free_writes >> i & 1) && state.write_buffer[i].line == line)
            held.write_buffer.merge(i * line_sectors + sector, access.data, false);
    if (const std::uint8_t* const entry = state.read_lines.find(line))
        held.read_buffer.merge(*entry * line_sectors + sector, access.data, false);
}

} // namespace memsim::xpoint
