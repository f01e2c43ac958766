#pragma once

#include "cxl/flit/message.hh"
#include "protocol/mem.hh"

#include <cstring>

/// Converts memory requests to messages of whole or half lines, and back.
namespace memsim::cxl {

using protocol::MemRequest;

/// The part of one line of 64 bytes that a request needs: the whole line or a half.
struct Line {
    std::uint64_t address = 0; ///< of its first sector
    std::uint32_t first = 0;   ///< index of that sector in the request
    bool half = false;
};

/// Calls f(line) for each line that the request touches.
template <class F>
void for_each_line(const MemRequest& r, F&& f) {
    Line line;
    std::uint64_t open = ~std::uint64_t {0}; ///< number of the line in `line`
    for_each_sector(r, [&](std::uint64_t sector, std::uint32_t place) {
        if (sector / 2 == open) {
            line.half = false;
            return;
        }
        if (open != ~std::uint64_t {0}) f(line);
        open = sector / 2;
        line = {sector * half_bytes, place, true};
    });
    f(line);
}

inline std::uint32_t lines_of(const MemRequest& r) {
    std::uint32_t n = 0;
    for_each_line(r, [&](const Line&) { ++n; });
    return n;
}

/// Mask of the bytes of a line that a write changes: those in its range and in its contents.
inline std::uint64_t enables_of(const MemRequest& r, const Line& line,
                                const Contents::Record* contents) {
    std::uint64_t all = 0;
    for (std::uint32_t s = 0; s < (line.half ? 1u : 2u); ++s) {
        const std::uint64_t begin = line.address + s * half_bytes;
        const std::uint64_t from = std::max(begin, r.address) - begin;
        const std::uint64_t to = std::min(begin + half_bytes, r.address + r.bytes) - begin;
        const std::uint64_t span = (std::uint64_t {1} << to) - (std::uint64_t {1} << from);
        std::uint64_t known = ~std::uint32_t {0};
        if (contents && r.partial >> (line.first + s) & 1)
            for (const Contents::Piece& p : contents->pieces)
                if (p.sector == line.first + s) known = p.data.known;
        all |= (span & known) << s * half_bytes;
    }
    return all;
}

/// Whether a write covers all of the line or half.
inline bool writes_whole(const MemRequest& r, const Line& line) {
    const std::uint32_t sectors = line.half ? 1 : 3;
    return (r.partial >> line.first & sectors) == 0 && line.address >= r.address &&
           line.address + (line.half ? half_bytes : line_bytes) <= r.address + r.bytes;
}

/// Copies the values of a record into a message's data, and back. The receiver uses the values from
/// the flits.
inline void copy_values(const Contents::Record& from, Message& to) {
    for (const Contents::Piece& p : from.pieces)
        std::memcpy(to.data.data() + p.sector * half_bytes / 8, p.data.bytes.data(), half_bytes);
}
inline void copy_values(const Message& from, Contents::Record& to) {
    for (Contents::Piece& p : to.pieces)
        std::memcpy(p.data.bytes.data(), from.data.data() + p.sector * half_bytes / 8, half_bytes);
}

/// The device's memory request for a message other than MemSpecRd.
inline MemRequest request_of(const Message& m) {
    MemRequest r;
    r.address = m.address;
    r.bytes = m.bytes();
    r.command = m.opcode == Opcode::mem_rd   ? protocol::Command::read
                : m.opcode == Opcode::atomic ? protocol::Command::atomic
                                             : protocol::Command::write;
    if (m.opcode == Opcode::mem_wr_ptl)
        for (std::uint32_t s = 0; s < m.bytes() / half_bytes; ++s)
            if (static_cast<std::uint32_t>(m.enables >> s * half_bytes) != SectorBytes::all)
                r.partial = static_cast<std::uint16_t>(r.partial | 1u << s);
    r.stamps = m.aside.stamps;
    r.contents = m.aside.contents;
    return r;
}

} // namespace memsim::cxl
