#include "xpoint/write_buffer.hh"

namespace memsim::xpoint {

std::uint8_t WriteBuffer::take(std::uint64_t line, std::uint64_t order) {
    const auto entry = static_cast<std::uint8_t>(std::countr_zero(free_));
    free_ &= free_ - 1;
    entries_[entry] = {line, order, 0, false};
    youngest_[line] = entry;
    return entry;
}

void WriteBuffer::release(std::size_t entry) {
    const std::uint64_t line = entries_[entry].line;
    if (find(line) == entry) youngest_.erase(line);
    free_ |= std::uint64_t {1} << entry;
}

void WriteBuffer::put(std::size_t entry, std::uint64_t sector, const SectorBytes& data,
                      bool whole) {
    const std::uint64_t place = entry * line_sectors + sector;
    if (whole) return contents_.put(place, data);
    SectorBytes mine;
    contents_.read(place, mine);
    mine.take(data, data.known);
    contents_.put(place, mine);
}

void WriteBuffer::cover(std::size_t entry, std::uint64_t sector, SectorBytes& below) const {
    SectorBytes mine;
    contents_.read(entry * line_sectors + sector, mine);
    if (entries_[entry].sectors >> sector & 1)
        below = mine;
    else
        below.take(mine, mine.known);
}

void WriteBuffer::cover_by_all(std::uint64_t line, std::uint64_t sector, SectorBytes& below) const {
    for (std::size_t i = 0; i < entries_.size(); ++i) // at most one entry of a line drains
        if (used(i) && entries_[i].draining && entries_[i].line == line) cover(i, sector, below);
    if (const auto entry = open(line)) cover(*entry, sector, below);
}

void WriteBuffer::copy_in(std::uint64_t line, std::uint64_t sector, const SectorBytes& data) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (used(i) && entries_[i].line == line)
            contents_.merge(i * line_sectors + sector, data, false);
}

void WriteBuffer::check_loaded(Loader& l, std::uint64_t lines) const {
    l.bits("write_buffer.free", free_, entries_.size());
    youngest_.all([&](std::uint64_t, std::uint32_t entry) {
        l.index("write_buffer.youngest", entry, entries_.size());
        return true;
    });
    for (const Entry& e : entries_) l.index("write_buffer.line", e.line, lines);
}

} // namespace memsim::xpoint
