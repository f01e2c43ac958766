#pragma once

#include "core/state/hash_map.hh"
#include "core/state/pool.hh"

#include <array>
#include <cstdint>
#include <vector>

namespace memsim {

/// The bytes of one sector, as far as they are known. Each carries the number of the store that
/// left it there, in the order of the program (0: there before the first): stores reach a cache or
/// a memory in the order of the machine, which may be another one.
struct SectorBytes {
    static constexpr std::uint32_t size = 32;
    static constexpr std::uint32_t all = ~std::uint32_t {0};

    std::uint32_t known = 0; ///< a bit for each byte
    bool moved = false;      ///< in a cache: they came by a move, and so they leave
    std::array<std::uint8_t, size> bytes {};
    std::array<std::uint32_t, size> order {};

    /// Takes what was stored. Of each byte the younger store's stays; true if one of them was there
    /// already, and the older one came late.
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
    /// Takes the bytes of a store, or of a move; true if a store came late.
    bool merge(const SectorBytes& s, bool moves) {
        if (!moves && !s.moved) return store(s);
        take(s, s.known);
        moved = true;
        return false;
    }
    void forget() { known = 0, moved = false; }
    /// Takes the bytes that are not known yet.
    void fill(const SectorBytes& s) { take(s, s.known & ~known); }
    /// Takes the bytes that are not known yet, or are of an older store here.
    void take_younger(const SectorBytes& s) {
        std::uint32_t younger = 0;
        for (std::uint32_t i = 0; i < size; ++i)
            younger |= std::uint32_t {s.order[i] > order[i]} << i;
        take(s, s.known & (~known | younger));
    }
    /// Takes the bytes of a mask, whatever was there.
    void take(const SectorBytes& s, std::uint32_t which) {
        if (which == all) { // as nearly all are that come from below
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

/// Calls f(number, i) for each sector that a message needs, by its mask (protocol/sectors.hh): its
/// number in the address space (address / 32) and, from 0, its place in the message.
template <class M, class F>
void for_each_sector(const M& m, F&& f) {
    const std::uint64_t first = m.address / SectorBytes::size;
    const auto n =
        static_cast<std::uint32_t>((m.address + m.bytes - 1) / SectorBytes::size - first + 1);
    for (std::uint32_t i = 0; i < n; ++i)
        if (m.sectors == 0 || m.sectors >> i & 1) f(first + i, i);
}

/// What messages hold, where a machine carries contents: the one store of all message families. A
/// message names its record by a handle of 4 bytes. Who receives the message owns the record: it
/// passes it on with another message or releases it. When a run has ended by itself no record is
/// left (Machine::imbalances).
class Contents {
  public:
    static constexpr std::string_view archived_as = "Contents";
    /// One sector of a message, counted from the one that holds the message's address.
    struct Piece {
        std::uint32_t sector = 0;
        SectorBytes data;
    };
    struct Record {
        std::vector<Piece> pieces;     ///< by ascending sector, each once
        std::vector<std::uint8_t> raw; ///< of messages that are about bytes without an address
        /// It moves what another memory held and takes the place of whatever is there, which may
        /// belong to another page. Else it is a program's store (SectorBytes::store). What a cache
        /// writes back is either, sector by sector (SectorBytes::moved): a store that has overtaken
        /// a younger one into an empty line must not replace what the younger one left below.
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

    /// Bytes that an atomic of the program wrote and the machine only read (Sm.atomics).
    void leave_out(std::uint64_t sector, std::uint32_t bytes);
    std::uint32_t left_out(std::uint64_t sector) const;

    /// A store came late: a younger one's bytes were there, and stay.
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
