#pragma once

#include "cxl_gpu/store_jobs.hh"

/// The bytes of stores in lines of the reserve, if the machine carries contents. A line of the
/// reserve is reused for different addresses. Its bytes are valid only where a store to its present
/// address wrote them (Reserve::Entry::known).
namespace memsim::cxl_gpu::stored_bytes {

/// The same bytes as a move that replaces everything: unknown bytes count as older than any store.
inline SectorBytes in_place(SectorBytes s) {
    for (std::uint32_t i = 0; i < SectorBytes::size; ++i)
        if (!(s.known >> i & 1)) s.bytes[i] = 0, s.order[i] = 0;
    s.known = SectorBytes::all;
    s.moved = true;
    return s;
}

/// The record that writes a store into its entry's line; `first`: the store's first sector there.
/// Call before the entry records the store's sectors.
inline Contents::Id copy(Contents& contents, Reserve::Entry& entry, Contents::Id store,
                         std::uint32_t first) {
    if (!store) return {};
    const Contents::Id id = contents.create();
    const bool moves = contents[id].moves = contents[store].moves;
    for (const Contents::Piece& p : contents[store].pieces) {
        const std::uint32_t sector = first + p.sector;
        const bool is_new = !(entry.sectors >> sector & 1);
        contents[id].pieces.push_back({p.sector, is_new ? in_place(p.data) : p.data});
        device_parts::named(entry.known, sector) |= p.data.known;
        if (moves || p.data.moved)
            entry.moved = static_cast<std::uint16_t>(entry.moved | 1u << sector);
    }
    return id;
}

/// Removes the bytes that do not belong to the line's present address.
inline void narrow(Contents& contents, const StoreJobs::Job& job, Contents::Id found) {
    if (!found) return;
    for (Contents::Piece& p : contents[found].pieces) {
        p.data.known &= device_parts::named(job.known, p.sector);
        p.data.moved = job.moved >> p.sector & 1;
    }
}

/// Overlays the bytes of `above` on those of `below`, for the same sectors.
inline Contents::Id lay_over(Contents& contents, Contents::Id below, Contents::Id above) {
    if (!below) return below;
    for (const Contents::Piece& p : contents[above].pieces)
        for (Contents::Piece& q : contents[below].pieces)
            if (p.sector == q.sector) q.data.take(p.data, p.data.known);
    contents.release(above);
    return below;
}

} // namespace memsim::cxl_gpu::stored_bytes
