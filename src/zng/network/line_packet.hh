#pragma once

#include "core/base/bits.hh"
#include "protocol/mem.hh"
#include "zng/layout/page_mask.hh"
#include "zng/network/flash_network.hh"

#include <algorithm>

namespace memsim::zng {

/// Combines requests of an L2 to one line into a packet: its sectors, the sectors that writes cover
/// only in part, its bytes, and the written contents. Younger writes overwrite older ones.
class LinePacket {
  public:
    LinePacket(FlashPacket& packet, Contents& contents) : packet_(packet), contents_(contents) {}

    void read(const protocol::MemRequest& r) {
        packet_.kind = PacketKind::read;
        packet_.sectors = static_cast<std::uint8_t>(masks_of(r).sectors);
        packet_.bytes = r.payload();
    }
    /// Adds a write after those already in the packet. Takes ownership of its contents.
    void write(protocol::MemRequest& r) {
        packet_.kind = PacketKind::write;
        const Masks masks = masks_of(r);
        const std::uint32_t sectors = packet_.sectors | masks.sectors;
        const std::uint32_t whole =
            (packet_.sectors & ~packet_.partial) | (masks.sectors & ~masks.partial);
        written_ += r.payload();
        packet_.sectors = static_cast<std::uint8_t>(sectors);
        packet_.partial = static_cast<std::uint8_t>(sectors & ~whole);
        packet_.bytes = std::min(written_, sector_bytes * bits_set(sectors));
        add(r);
    }
    /// The answer to a request, extracted from the record of a line that a packet carried.
    static Contents::Id answer(Contents& contents, const protocol::MemRequest& r,
                               Contents::Id line) {
        if (!line) return {};
        for (Contents::Piece& p : contents[line].pieces) p.sector -= first_of(r);
        return line;
    }

  private:
    struct Masks { ///< of a line's sectors: requested or written whole, and written in part
        std::uint32_t sectors, partial;
    };
    static std::uint32_t first_of(const protocol::MemRequest& r) {
        return static_cast<std::uint32_t>(r.address % line_bytes / sector_bytes);
    }
    static Masks masks_of(const protocol::MemRequest& r) {
        const std::uint32_t begin = r.address % line_bytes, end = begin + r.bytes;
        const std::uint32_t first = begin / sector_bytes, last = (end - 1) / sector_bytes;
        const std::uint32_t sectors =
            r.sectors ? std::uint32_t {r.sectors} << first & 15 : (2u << last) - (1u << first);
        std::uint32_t partial = std::uint32_t {r.partial} << first;
        if (begin % sector_bytes) partial |= 1u << first;
        if (end % sector_bytes) partial |= 1u << last;
        return {sectors, partial & sectors};
    }
    void add(protocol::MemRequest& r) {
        if (!r.contents) return;
        if (!packet_.contents) packet_.contents = contents_.create();
        Contents::Record& line = contents_[packet_.contents];
        const Contents::Record& written = contents_[r.contents];
        line.moves |= written.moves;
        for (const Contents::Piece& piece : written.pieces) {
            const std::uint32_t sector = first_of(r) + piece.sector;
            auto at = std::find_if(line.pieces.begin(), line.pieces.end(),
                                   [&](const Contents::Piece& x) { return x.sector == sector; });
            if (at == line.pieces.end()) at = line.pieces.insert(at, {sector, {}});
            if (at->data.merge(piece.data, written.moves)) contents_.count_overtaken();
        }
        contents_.release(std::exchange(r.contents, {}));
    }

    FlashPacket& packet_;
    Contents& contents_;
    std::uint32_t written_ = 0; ///< bytes of all writes; overlapping bytes count twice
};

} // namespace memsim::zng
