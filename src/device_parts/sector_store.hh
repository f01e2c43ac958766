#pragma once

#include "core/machine/functional.hh"
#include "core/state/hash_map.hh"

namespace memsim::device_parts {

/// The contents of a memory, byte by byte, if the machine carries contents. Sparse: blocks of 256
/// bytes are allocated at their first write. Initial contents take 1.2 bytes per byte; later stores
/// take 5.2, because each byte then has its position in the program's order. A value for State.
class SectorStore {
  public:
    static constexpr std::string_view archived_as = "SectorStore";
    template <class Archive>
    void archive(Archive& a) {
        a(numbers_), a(blocks_), a(orders_), a(free_blocks_), a(free_orders_);
        if constexpr (Loading<Archive>) a.check(sound(), "names blocks that do not exist");
    }

    /// The known bytes of the sector with this number (address / 32).
    void read(std::uint64_t sector, SectorBytes& to) const;
    /// Stores the bytes of a store, or of a move. Returns true if a store arrived late
    /// (SectorBytes::merge).
    bool merge(std::uint64_t sector, const SectorBytes& data, bool moves);
    /// Replaces the sector.
    void put(std::uint64_t sector, const SectorBytes& data);
    /// Discards `count` sectors; completely discarded blocks of 256 bytes are freed.
    void forget(std::uint64_t first_sector, std::uint64_t count);

    /// The contents of a request's sectors, for the response to a read.
    template <class M>
    Contents::Id read(Contents& contents, const M& request) const {
        const Contents::Id id = contents.create();
        for_each_sector(request, [&](std::uint64_t sector, std::uint32_t offset) {
            auto& pieces = contents[id].pieces;
            pieces.push_back({offset, {}});
            read(sector, pieces.back().data);
        });
        return id;
    }
    /// Copies whole sectors from this one on, for replace() at another place.
    Contents::Id take_out(Contents& contents, std::uint64_t first_sector,
                          std::uint32_t count) const {
        const Contents::Id id = contents.create();
        for (std::uint32_t i = 0; i < count; ++i) {
            contents[id].pieces.push_back({i, {}});
            read(first_sector + i, contents[id].pieces.back().data);
        }
        contents[id].moves = true;
        return id;
    }
    /// Replaces the sectors of the record, because another line or page is now located here.
    void replace(Contents& contents, std::uint64_t first_sector, Contents::Id id) {
        if (!id) return;
        for (const Contents::Piece& p : contents[id].pieces) put(first_sector + p.sector, p.data);
        contents.release(id);
    }
    /// The same, directly between two stores.
    void copy(const SectorStore& from, std::uint64_t first, std::uint64_t to, std::uint32_t count) {
        SectorBytes held;
        for (std::uint32_t i = 0; i < count; ++i) {
            from.read(first + i, held);
            put(to + i, held);
        }
    }
    /// Functional access at the last level.
    void functional(FunctionalAccess& access) {
        const std::uint64_t sector = access.address / SectorBytes::size;
        if (access.write) {
            merge(sector, access.data, false);
            return;
        }
        SectorBytes held;
        read(sector, held);
        access.data.fill(held);
    }
    /// Stores the contents of a write.
    template <class M>
    void write(Contents& contents, const M& request) {
        if (request.contents)
            write(contents, request.address / SectorBytes::size, request.contents);
    }
    void write(Contents& contents, std::uint64_t first_sector, Contents::Id id) {
        const Contents::Record& record = contents[id];
        for (const Contents::Piece& p : record.pieces)
            if (merge(first_sector + p.sector, p.data, record.moves)) contents.count_overtaken();
        contents.release(id);
    }

  private:
    static constexpr std::uint32_t sectors = 8;
    static constexpr std::uint32_t none = ~std::uint32_t {0};
    struct Block {
        std::array<std::uint32_t, sectors> known {};
        std::array<std::uint8_t, sectors * SectorBytes::size> bytes {};
        std::uint32_t order = none; ///< index in orders_; none: no stores since the start
    };
    using Orders = std::array<std::uint32_t, sectors * SectorBytes::size>;

    bool sound() const;

    HashMap<std::uint32_t> numbers_; ///< by number of 256-byte blocks: index in blocks_, plus 1
    std::vector<Block> blocks_;
    std::vector<Orders> orders_;
    std::vector<std::uint32_t> free_blocks_, free_orders_;
};

} // namespace memsim::device_parts
