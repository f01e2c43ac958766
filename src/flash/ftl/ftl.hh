#pragma once

#include "core/state/fifo.hh"
#include "core/state/hash_map.hh"
#include "device_parts/named.hh"
#include "flash/ftl/past.hh"

#include <array>

namespace memsim::flash {

/// The location of a logical page, and its sectors that were ever written.
struct MapEntry {
    std::uint32_t page = no_page;
    std::uint32_t sectors = 0;
};

enum class BlockUse : std::uint8_t { erased, open, closed, collecting };

/// A block that was accessed.
struct FtlBlock {
    std::uint32_t block = 0; ///< its number, by plane
    std::uint32_t erases = 0;
    std::uint32_t valid = 0;  ///< pages named by the map
    std::uint32_t flying = 0; ///< allocated pages whose program has not ended
    std::uint32_t place = 0;  ///< index in the plane's list of closed blocks
    BlockUse use = BlockUse::erased;
    std::uint16_t past = 0;      ///< pages written before the run and not erased since
    std::uint64_t closed_at = 0; ///< number of blocks closed before it
    /// Logical page of each allocated page, or no_page. Empty while the owners from before the run
    /// are computed.
    std::vector<std::uint32_t> owners;
};

/// The writers: host, garbage collector, writes before the run, and static wear levelling, which
/// moves cold data to the most worn free block.
enum class Frontier : std::uint8_t { host, collector, past, cold };

struct FtlPlane {
    std::uint32_t fresh = 0; ///< next block that was never used
    std::vector<std::uint32_t> erased;
    std::vector<std::uint32_t> closed; ///< blocks with a record
    std::array<std::uint32_t, 4> open {no_page, no_page, no_page, no_page};
};

/// Plain values for State; the size is bounded by the accessed blocks.
struct FtlState {
    HashMap<MapEntry> map;
    HashMap<std::uint32_t> record_of; ///< by block
    HashMap<std::uint32_t> readers;   ///< reads in progress, by block; only blocks with reads
    std::vector<FtlBlock> blocks;
    std::vector<FtlPlane> planes;
    std::uint32_t next_plane = 0; ///< for dynamic allocation
    std::uint64_t closings = 0;   ///< blocks closed so far
};

/// The use of the flash. Each page is valid, invalid or erased.
struct FlashUsage {
    std::uint64_t free_blocks = 0;   ///< erased, without an allocated page
    std::uint64_t valid_pages = 0;   ///< named by the map
    std::uint64_t invalid_pages = 0; ///< programmed, and no longer named
    std::uint64_t erased_pages = 0;  ///< of any block, including pages whose program has not ended
};

/// A page-mapped flash translation layer: the map, the blocks and the next page to write. A part:
/// its owner moves the data and models the time.
///
/// allocate() hands out pages in the order of their block. A page has no owner until its program
/// has ended; then commit() or moved() is called. Host and garbage collector write to
/// separate blocks. The last `kept` free blocks of a plane are reserved for the collector. The
/// result of writes before the run is computed until it is accessed, not stored.
class Ftl {
  public:
    struct Config : Past::Config {
        bool fixed_plane = true;      ///< by the logical page; else the next plane with space
        bool least_worn_first = true; ///< of the free blocks; else the last erased
        std::uint32_t kept = 1;       ///< free blocks of a plane reserved for the collector
        std::uint32_t stop = 0;       ///< free blocks of a plane below which the host never writes
    };
    Ftl(const Config& figures, FtlState& state) : config_(figures), state_(state), past_(figures) {}
    void init();
    /// Called in a new run: sets the blocks to their state before the run.
    void start();
    Past& past() { return past_; }
    void check_loaded(Loader& l) const;

    MapEntry lookup(std::uint32_t lpn) const;
    /// Whether the page was written or trimmed in the run.
    bool named(std::uint32_t lpn) const { return state_.map.find(lpn) != nullptr; }
    /// The plane for a write of this page; no_page if the write must wait for space.
    std::uint32_t plane_for(std::uint32_t lpn);
    bool has_room(std::uint32_t plane, Frontier frontier) const;
    std::uint32_t allocate(std::uint32_t plane, Frontier frontier, std::uint32_t lpn);
    /// The program has ended: `lpn` is now located at `page`.
    void commit(std::uint32_t lpn, std::uint32_t page, std::uint32_t sectors);
    /// The same for a copy of `from`. Returns false if the page was rewritten meanwhile.
    bool moved(std::uint32_t lpn, std::uint32_t from, std::uint32_t to);
    void trim(std::uint32_t lpn, std::uint32_t sectors);
    /// Allocates a page that was never written, as if it had been written before the run.
    std::uint32_t remember(std::uint32_t lpn, std::uint32_t plane, std::uint32_t sectors);

    /// A read begins: its block is not erased before the read ends.
    void hold(std::uint32_t page) { ++state_.readers[config_.geometry.block_of(page)]; }
    void release(std::uint32_t page) {
        std::uint32_t* const n = state_.readers.find(config_.geometry.block_of(page));
        MEMSIM_ASSERT(n, "a read ends that has not begun");
        if (--*n == 0) state_.readers.erase(config_.geometry.block_of(page));
    }
    bool is_read(const FtlBlock& b) const { return state_.readers.find(b.block) != nullptr; }
    /// Pages of its block that were written before the run, for the package.
    std::uint16_t written_before(std::uint32_t page) const;

    std::uint32_t free_blocks(std::uint32_t plane) const {
        const FtlPlane& p = state_.planes[plane];
        return config_.geometry.blocks - p.fresh + static_cast<std::uint32_t>(p.erased.size());
    }
    /// Scans every accessed block.
    FlashUsage usage() const;
    /// The closed block that the policy selects; no_page if no block has an invalid page.
    std::uint32_t victim(std::uint32_t plane, const VictimPolicy& policy) const;
    /// The closed block with the fewest erases, if these are at least `gap` fewer than `erases`.
    std::uint32_t cold_victim(std::uint32_t plane, std::uint32_t erases, std::uint32_t gap);
    void begin_collecting(std::uint32_t record);
    void erased(std::uint32_t record);

    /// The record of the block of a page. Requires: the block was accessed.
    std::uint32_t record_of(std::uint32_t page) const {
        const std::uint32_t* const index = state_.record_of.find(config_.geometry.block_of(page));
        MEMSIM_ASSERT(index, "a block without a record is named");
        return *index;
    }
    FtlBlock& block(std::uint32_t record) { return device_parts::named(state_.blocks, record); }
    const FtlBlock& block(std::uint32_t record) const {
        return device_parts::named(state_.blocks, record);
    }
    std::uint32_t first_page(const FtlBlock& b) const { return b.block * config_.geometry.pages; }
    const Config& figures() const { return config_; }

  private:
    /// Pages of a plane that were written in order before the run, from its first page.
    std::uint64_t in_order(std::uint32_t plane) const {
        return past_.used() ? 0 : past_.pages_of(plane);
    }
    FtlBlock& record(std::uint32_t block) { return state_.blocks[record_index(block)]; }
    std::uint32_t record_index(std::uint32_t block);
    void remember_owners(FtlBlock& block) const;
    void start(std::uint32_t plane);
    void invalidate(std::uint32_t page);
    void close(std::uint32_t record);
    void enlist(std::uint32_t record);
    std::uint32_t take_block(std::uint32_t plane, Frontier frontier);
    std::uint32_t handed_out(const FtlBlock& b) const;

    Config config_;
    FtlState& state_;
    Past past_;
};

} // namespace memsim::flash
