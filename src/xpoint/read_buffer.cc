#include "xpoint/read_buffer.hh"

namespace memsim::xpoint {

std::optional<std::uint8_t> ReadBuffer::take(std::uint64_t line, std::uint64_t order) {
    for (std::size_t n = 0; n < entries_.size(); ++n) {
        const std::uint32_t i = next_;
        if (++next_ == entries_.size()) next_ = 0;
        Entry& e = entries_[i];
        if (e.fill != Fill::none && (e.fill != Fill::valid || e.users != 0)) continue;
        if (e.fill == Fill::valid && e.listed) places_.erase(e.line);
        e = {line, order, 0, Fill::waiting, true};
        places_[line] = static_cast<std::uint8_t>(i);
        return static_cast<std::uint8_t>(i);
    }
    return {}; // the next search begins at the same place
}

bool ReadBuffer::give_up(std::uint64_t line) {
    const auto place = find(line);
    if (!place) return true;
    Entry& e = entries_[*place];
    if (e.fill != Fill::valid) return false;
    e.listed = false;
    if (e.users == 0) e.fill = Fill::none;
    places_.erase(line);
    return true;
}

void ReadBuffer::release(std::size_t entry, std::uint32_t user) {
    Entry& e = entries_[entry];
    e.users &= ~(std::uint64_t {1} << user);
    if (e.users == 0 && !e.listed) e.fill = Fill::none;
}

void ReadBuffer::check_loaded(Loader& l, std::size_t users, std::uint64_t lines) const {
    places_.all([&](std::uint64_t, std::uint32_t place) {
        l.index("read_buffer.places", place, entries_.size());
        return true;
    });
    l.index("read_buffer.next", next_, entries_.size());
    for (const Entry& e : entries_) {
        l.bits("read_buffer.users", e.users, users);
        l.index("read_buffer.line", e.line, lines);
    }
}

} // namespace memsim::xpoint
