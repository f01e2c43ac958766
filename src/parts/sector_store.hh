#pragma once

#include "core/machine/functional.hh"
#include "core/state/hash_map.hh"

namespace memsim::parts {

/// What a memory holds, byte by byte, where a machine carries contents. Sparse: 256 bytes at a time
/// come into being when one of them is written. What was there at the start takes 1.2 bytes for
/// each byte, what was stored since 5.2, as each byte then has its place in the program's order. A
/// value for State.
class SectorStore {
  public:
    static constexpr std::string_view archived_as = "SectorStore";
    template <class Archive>
    void archive(Archive& a) {
        a(numbers_), a(blocks_), a(orders_), a(free_blocks_), a(free_orders_);
        if constexpr (Loading<Archive>) a.check(sound(), "names blocks that it does not hold");
    }

    /// What is known of the sector with this number (address / 32).
    void read(std::uint64_t sector, SectorBytes& to) const;
    /// Takes the bytes of a store, or of a move; true if a store came late (SectorBytes::merge).
    bool merge(std::uint64_t sector, const SectorBytes& data, bool moves);
    /// Puts the sector there, whatever was before.
    void put(std::uint64_t sector, const SectorBytes& data);
    /// Nothing is known of so many sectors any more; 256 bytes of which that holds take no memory.
    void forget(std::uint64_t first_sector, std::uint64_t count);

    /// The contents of a request's sectors, as the answer to a read carries them.
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
    /// So many whole sectors from this one on, for another place to take over (replace).
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
    /// Another line or page lies here from now on: of the record's sectors nothing is left that was
    /// here.
    void replace(Contents& contents, std::uint64_t first_sector, Contents::Id id) {
        if (!id) return;
        for (const Contents::Piece& p : contents[id].pieces) put(first_sector + p.sector, p.data);
        contents.release(id);
    }
    /// The same without a message between the two.
    void copy(const SectorStore& from, std::uint64_t first, std::uint64_t to, std::uint32_t count) {
        SectorBytes held;
        for (std::uint32_t i = 0; i < count; ++i) {
            from.read(first + i, held);
            put(to + i, held);
        }
    }
    /// The last level's part of a look through the machine.
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
    /// Takes the contents of a write.
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
        std::uint32_t order = none; ///< in orders_; none: nothing was stored since the start
    };
    using Orders = std::array<std::uint32_t, sectors * SectorBytes::size>;

    bool sound() const;

    HashMap<std::uint32_t>
        numbers_; ///< from the number of 256 bytes to that of their block, from 1
    std::vector<Block> blocks_;
    std::vector<Orders> orders_;
    std::vector<std::uint32_t> free_blocks_, free_orders_;
};

} // namespace memsim::parts
