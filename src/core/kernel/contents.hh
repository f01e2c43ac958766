#pragma once

#include "core/state/hash_map.hh"
#include "core/state/pool.hh"

#include <array>
#include <cstdint>
#include <vector>

namespace memsim {

/// The known bytes of one sector. Each byte has the number of the store that wrote it, in program
/// order (0: the byte was present before the first store). The numbers are needed because stores
/// may reach a cache or a memory in another order.
struct SectorBytes {
    static constexpr std::uint32_t size = 32;
    static constexpr std::uint32_t all = ~std::uint32_t {0};

    std::uint32_t known = 0; ///< a bit for each byte
    bool moved = false; ///< in a cache: the bytes arrived by a move and are written back by one
    std::array<std::uint8_t, size> bytes {};
    std::array<std::uint32_t, size> order {};

    /// Applies a store. Each byte keeps the value of the younger store. True if s is the older
    /// store of some byte, that is, if it arrived late.
    bool store(const SectorBytes& s) {
        if ((known & s.known) == 0) {
            take(s, s.known);
            return false;
        }
        std::uint32_t late = 0;
        for (std::uint32_t i = 0; i < size; ++i) {
            const std::uint32_t older = known >> i & 1 & (order[i] > s.order[i]);
            const bool takes = s.known >> i & 1 & ~older;
            bytes[i] = takes ? s.bytes[i] : bytes[i];
            order[i] = takes ? s.order[i] : order[i];
            late |= s.known >> i & older;
        }
        known |= s.known;
        return late & 1;
    }
    /// Applies a store or a move. True if a store arrived late.
    bool merge(const SectorBytes& s, bool moves) {
        if (!moves && !s.moved) return store(s);
        take(s, s.known);
        moved = true;
        return false;
    }
    void forget() { known = 0, moved = false; }
    /// Copies the bytes that are not known here.
    void fill(const SectorBytes& s) { take(s, s.known & ~known); }
    /// Copies the bytes that are not known here or were written by an older store.
    void take_younger(const SectorBytes& s) {
        if ((known & s.known) == 0) return take(s, s.known);
        std::uint32_t younger = 0;
        for (std::uint32_t i = 0; i < size; ++i)
            younger |= std::uint32_t {s.order[i] > order[i]} << i;
        take(s, s.known & (~known | younger));
    }
    /// Copies the bytes of a mask, and replaces known bytes.
    void take(const SectorBytes& s, std::uint32_t which) {
        if (which == all) { // the common case: a whole sector from the memory below
            bytes = s.bytes;
            order = s.order;
        } else {
            for (std::uint32_t i = 0; i < size; ++i) {
                const bool takes = which >> i & 1;
                bytes[i] = takes ? s.bytes[i] : bytes[i];
                order[i] = takes ? s.order[i] : order[i];
            }
        }
        known |= which;
    }
};

/// Calls f(number, i) for each sector that a message needs according to its mask
/// (protocol/sectors.hh): `number` is the number of the sector in the address space (address / 32),
/// `i` its index in the message.
template <class M, class F>
void for_each_sector(const M& m, F&& f) {
    const std::uint64_t first = m.address / SectorBytes::size;
    const auto n =
        static_cast<std::uint32_t>((m.address + m.bytes - 1) / SectorBytes::size - first + 1);
    for (std::uint32_t i = 0; i < n; ++i)
        if (m.sectors == 0 || m.sectors >> i & 1) f(first + i, i);
}

/// The data that messages carry, in a machine that simulates contents. All message families share
/// this store; a message has a handle of 4 bytes to its record. The receiver of a message owns the
/// record: it forwards the handle with another message or releases it. No record is left when no
/// event is pending at the end of a run (Machine::imbalances).
class Contents {
  public:
    static constexpr std::string_view archived_as = "Contents";
    /// One sector of a message. Sector 0 contains the message's address.
    struct Piece {
        std::uint32_t sector = 0;
        SectorBytes data;
    };
    struct Record {
        std::vector<Piece> pieces;     ///< by ascending sector, each once
        std::vector<std::uint8_t> raw; ///< data of messages without an address
        /// Whether the record moves data of another memory. A move replaces all present bytes,
        /// which may belong to another page. A record that is not a move is a store of a program
        /// (SectorBytes::store). A cache decides for each sector which of both it writes back
        /// (SectorBytes::moved), because an older store that was written into an empty line must
        /// not replace the bytes of a younger store in the memory below.
        bool moves = false;
    };
    using Id = Handle<Record>;

    template <class Archive>
    void archive(Archive& a) {
        a(enabled_), a(records_), a(overtaken_), a(left_out_);
    }

    void enable() { enabled_ = true; }
    bool enabled() const { return enabled_; }

    Id create();
    Record& operator[](Id id) { return records_[id]; }
    const Record& operator[](Id id) const { return records_[id]; }
    void release(Id id) {
        if (id) destroy(id);
    }
    std::size_t live() const { return records_.size(); }

    /// Records bytes that an atomic operation of the program wrote while the machine only reads
    /// them (Sm.atomics).
    void leave_out(std::uint64_t sector, std::uint32_t bytes);
    std::uint32_t left_out(std::uint64_t sector) const;

    /// Counts a store that arrived after a younger store to the same bytes.
    void count_overtaken() { ++overtaken_; }
    std::uint64_t overtaken() const { return overtaken_; }

  private:
    void destroy(Id id);

    bool enabled_ = false;
    Pool<Record> records_;
    std::uint64_t overtaken_ = 0;
    HashMap<std::uint32_t> left_out_; ///< bytes of each sector, by its number
};

} // namespace memsim
