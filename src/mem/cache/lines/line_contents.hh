#pragma once

#include "core/machine/functional.hh"
#include "device_parts/mshr.hh"
#include "device_parts/tag_array.hh"
#include "protocol/mem.hh"

#include <vector>

namespace memsim::mem::cache {

/// The bytes of a cache's lines, if the machine carries contents. The tags record which sectors are
/// valid or dirty. The bytes of a sector are meaningful while it is valid or dirty, or while a
/// write to it waits for a fill (`claimed`). Otherwise they are stale and are cleared before the
/// sector is used again.
class LineContents {
  public:
    struct State {
        std::vector<SectorBytes> sectors; ///< of all lines, in order
    };

    /// All arguments outlive it. `line_bytes` and `sector_bytes` are the cache's.
    LineContents(Contents& store, const device_parts::TagArray& tags, State& state,
                 std::uint64_t line_bytes, std::uint64_t sector_bytes);

    /// The way now holds another line.
    void clear(std::uint32_t line);
    /// A line has moved to another way.
    void move(std::uint32_t from, std::uint32_t to);
    /// A fetch of these sectors was sent.
    void begin_fetch(std::uint32_t line, device_parts::SectorMask sectors,
                     device_parts::SectorMask claimed);
    /// Copies the contents of a write in these sectors; the request keeps its contents.
    void write(std::uint32_t line, const protocol::MemRequest& r, device_parts::SectorMask sectors,
               device_parts::SectorMask claimed);
    /// Stores the fetched bytes, except where a write came after the fetch.
    void fill(std::uint32_t line, const protocol::MemResponse& r);
    /// The bytes in the range of a message, as far as the line has them.
    template <class M>
    Contents::Id read(std::uint32_t line, const M& m) const {
        const Contents::Id id = store_.create();
        for_each_sector(m, [&](std::uint64_t sector, std::uint32_t offset) {
            store_[id].pieces.push_back({offset, at(line, sector)});
        });
        return id;
    }
    /// One sector by its number.
    SectorBytes& at(std::uint32_t line, std::uint64_t sector) {
        return state_.sectors[std::size_t {tags_.number(line)} * per_line_ + sector % per_line_];
    }
    const SectorBytes& at(std::uint32_t line, std::uint64_t sector) const {
        return const_cast<LineContents&>(*this).at(line, sector);
    }
    /// Whether the bytes of this sector are meaningful.
    bool counts(std::uint32_t line, std::uint64_t sector, device_parts::SectorMask claimed) const {
        return (tags_.valid(line) | tags_.dirty(line) | claimed) >> bit(sector) & 1;
    }

  private:
    /// The bit in the cache's masks for a sector of 32 bytes.
    unsigned bit(std::uint64_t sector) const {
        return static_cast<unsigned>(sector % per_line_ / per_bit_);
    }

    Contents& store_;
    const device_parts::TagArray& tags_;
    State& state_;
    std::uint32_t per_line_, per_bit_; ///< in sectors of 32 bytes
};

} // namespace memsim::mem::cache
