#pragma once

#include "cmd/tables/block.hh"
#include "core/declare/param.hh"
#include "core/declare/stats.hh"
#include "core/state/fifo.hh"
#include "device_parts/mshr.hh"
#include "device_parts/named.hh"
#include "protocol/mem.hh"

#include <array>
#include <functional>

namespace memsim::cmd {

using namespace memsim::literals;

/// The tables in a controller's memory, each with a cache on chip.
enum class Table : std::uint8_t { map, type, mask };
inline constexpr std::uint32_t tables = 3;

/// The layout of a table: `bits` per block, from `base` in the controller's memory.
struct TableLayout {
    std::uint64_t base = 0;
    std::uint32_t bits = 0;
    std::uint64_t sector_of(std::uint32_t block) const {
        return (base + std::uint64_t {block} * bits / 8) / sector_bytes;
    }
    std::uint64_t end(std::uint32_t blocks) const {
        return base + std::uint64_t {blocks} * bits / 8;
    }
};
/// The tables for this many blocks, located behind the blocks in memory.
std::array<TableLayout, tables> tables_behind(std::uint32_t blocks);

struct MetadataParams {
    using group = void;
    Param<Bytes> map_cache {
        48_KiB, {1_KiB, 1_GiB}, "Capacity of the cache of map entries", stated("CMD IV-E: 48 KB")};
    Param<Bytes> type_cache {
        5_KiB, {1_KiB, 1_GiB}, "Capacity of the cache of type flags", stated("CMD IV-E: 5 KB")};
    Param<Bytes> mask_cache {
        10_KiB, {1_KiB, 1_GiB}, "Capacity of the cache of sector masks", stated("CMD IV-E: 10 KB")};
    Param<unsigned> metadata_ways {
        8, {0, 64}, "Ways of each table's cache (0: fully associative)", assumed()};
    Param<unsigned> metadata_mshrs {
        8, {1, 1024}, "Lines being fetched to each table's cache", assumed()};
};

struct MetadataStats {
    using group = void;
    Counter map_reads {Unit::count, "Look-ups in the cache of map entries"};
    Counter map_hits {Unit::count, "Hits in the cache of map entries"};
    Counter type_reads {Unit::count, "Look-ups in the cache of type flags"};
    Counter type_hits {Unit::count, "Hits in the cache of type flags"};
    Counter mask_reads {Unit::count, "Look-ups in the cache of sector masks"};
    Counter mask_hits {Unit::count, "Hits in the cache of sector masks"};
    Counter metadata_changes {Unit::count,
                              "Changes of table entries, which do not count as look-ups"};
    Counter metadata_fetches {Unit::count, "Table pieces of 32 bytes read from memory"};
    Counter metadata_writebacks {Unit::count, "Table pieces written to memory"};
    Ratio map_hit_rate {map_hits, map_reads, "Hit rate of the cache of map entries"};
    Ratio type_hit_rate {type_hits, type_reads, "Hit rate of the cache of type flags"};
    Ratio mask_hit_rate {mask_hits, mask_reads, "Hit rate of the cache of sector masks"};
};

/// A waiter for a piece of a table: a request of the controller, or `no_job` for a change that is
/// applied when the piece has arrived.
struct MetadataTarget {
    static constexpr std::uint32_t no_job = ~std::uint32_t {0};
    std::uint32_t job = no_job;
    std::uint8_t sector = 0; ///< within its line
    bool change = false;
};
struct MetadataStalled {
    Table table = Table::map;
    std::uint64_t sector = 0;
    MetadataTarget target;
};
struct MetadataState {
    std::array<device_parts::TagArray, tables> tags;
    std::array<device_parts::MshrTable<MetadataTarget>, tables> mshrs;
    Fifo<MetadataStalled>
        stalled; ///< requests that wait for an MSHR or for a line that can be replaced
};

/// The caches of a controller's tables. They model presence, fetches of 32-byte pieces and
/// write-backs (LRU, lines of 128 bytes); the contents of the tables are in BlockTable. A part.
/// `send` receives messages for memory, with tags from tag_bit on.
class Metadata {
  public:
    static constexpr std::uint32_t tag_bit = 1u << 31; ///< marks answers for come_back()

    using Send = std::function<void(std::uint64_t sector, std::uint32_t sectors, bool write,
                                    std::uint32_t tag)>;
    Metadata(const std::array<TableLayout, tables>& layout, MetadataState& state,
             MetadataStats& stat, Send send)
        : layout_(layout), state_(state), stat_(stat), send_(std::move(send)) {}
    static void resize(const MetadataParams& p, MetadataState& s, std::uint32_t jobs);

    /// Looks up the piece that holds the entry of a block, to change or to read it. Returns true on
    /// a hit. Otherwise the piece is fetched, and come_back() calls wake(job) when it arrives.
    bool look_up(Table table, std::uint32_t block, std::uint32_t job, Tick now);
    /// Changes the entry of a block. No request waits for it.
    void change_entry(Table table, std::uint32_t block, Tick now);
    /// A piece has arrived. Calls wake(job) for the requests that waited for it.
    template <class F>
    void come_back(std::uint32_t tag, Tick now, F&& wake) {
        const std::uint32_t mshr = tag & 0xffffff, t = tag >> 24 & 3;
        auto& m = device_parts::named(state_.mshrs, t);
        const std::uint32_t sector = tag >> 26 & 3;
        const std::uint32_t line = m.in_use(mshr).line;
        state_.tags[t].add_valid(line, bit(sector));
        m.serve(mshr, [&](const MetadataTarget& target) {
            if (target.sector != sector) return false;
            if (target.change) state_.tags[t].add_dirty(line, bit(sector));
            if (target.job != MetadataTarget::no_job) wake(target.job);
            return true;
        });
        auto& pending = m[mshr].pending;
        pending = static_cast<device_parts::SectorMask>(pending & ~bit(sector));
        if (pending == 0) {
            m.release(mshr);
            state_.tags[t].unlock(line);
        }
        retry(now, wake);
    }
    bool idle() const {
        return state_.stalled.empty() && !state_.mshrs[0].size() && !state_.mshrs[1].size() &&
               !state_.mshrs[2].size();
    }
    void check_loaded(Loader& l, std::uint32_t jobs) const;

  private:
    enum class Found : std::uint8_t { here, coming, stalled };
    static std::uint32_t index(Table t) { return static_cast<std::uint32_t>(t); }
    static device_parts::SectorMask bit(std::uint32_t sector) {
        return static_cast<device_parts::SectorMask>(1u << sector);
    }
    Found find(Table table, std::uint64_t sector, MetadataTarget target, Tick now);
    bool fetch_piece(Table table, std::uint32_t block, MetadataTarget target, Tick now);
    template <class F>
    void retry(Tick now, F&& wake) {
        for (std::uint32_t n = state_.stalled.size(); n > 0; --n) {
            const MetadataStalled first = state_.stalled.front();
            const Found found = find(first.table, first.sector, first.target, now);
            if (found == Found::stalled) return;
            state_.stalled.drop();
            if (found == Found::here && first.target.job != MetadataTarget::no_job)
                wake(first.target.job);
        }
    }

    std::array<TableLayout, tables> layout_;
    MetadataState& state_;
    MetadataStats& stat_;
    Send send_;
};

} // namespace memsim::cmd
