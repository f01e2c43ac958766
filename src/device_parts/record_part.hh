#pragma once

#include "core/kernel/contents.hh"

#include <algorithm>

/// Splits records of contents into smaller messages, or combines them: for pages transferred line
/// by line, and block requests served page by page.
namespace memsim::device_parts {

/// Creates a record of `count` sectors of `from`, from its sector `first` on.
inline Contents::Id part_of(Contents& contents, Contents::Id from, std::uint32_t first,
                            std::uint32_t count) {
    const Contents::Id id = contents.create();
    if (!from) return id;
    contents[id].moves = contents[from].moves;
    const auto& pieces = contents[from].pieces;
    auto at = std::lower_bound(
        pieces.begin(), pieces.end(), first,
        [](const Contents::Piece& p, std::uint32_t sector) { return p.sector < sector; });
    for (; at != pieces.end() && at->sector < first + count; ++at)
        contents[id].pieces.push_back({at->sector - first, at->data});
    return id;
}

/// Adds the contents of `part` to `to`, at its sector `first`, and releases `part`. Parts may be
/// added in any order, but each sector once; see sort_parts().
inline void add_part(Contents& contents, Contents::Id to, std::uint32_t first, Contents::Id part) {
    if (!part) return;
    for (const Contents::Piece& p : contents[part].pieces)
        contents[to].pieces.push_back({first + p.sector, p.data});
    contents.release(part);
}

/// Reads one sector of a sorted record.
inline void read_sector(Contents& contents, Contents::Id id, std::uint32_t sector,
                        SectorBytes& data) {
    const auto& pieces = contents[id].pieces;
    const auto at =
        std::lower_bound(pieces.begin(), pieces.end(), sector,
                         [](const Contents::Piece& p, std::uint32_t s) { return p.sector < s; });
    if (at != pieces.end() && at->sector == sector) data = at->data;
}

/// Writes into one sector of a sorted record.
inline void write_sector(Contents& contents, Contents::Id id, std::uint32_t sector,
                         const SectorBytes& data) {
    auto& pieces = contents[id].pieces;
    const auto at =
        std::lower_bound(pieces.begin(), pieces.end(), sector,
                         [](const Contents::Piece& p, std::uint32_t s) { return p.sector < s; });
    if (at != pieces.end() && at->sector == sector)
        at->data.merge(data, false);
    else
        pieces.insert(at, {sector, data});
}

/// Sorts a record after all parts were added.
inline void sort_parts(Contents& contents, Contents::Id id) {
    auto& pieces = contents[id].pieces;
    std::sort(pieces.begin(), pieces.end(), [](const Contents::Piece& a, const Contents::Piece& b) {
        return a.sector < b.sector;
    });
}

} // namespace memsim::device_parts
