#pragma once

#include "core/state/fifo.hh"
#include "core/state/hash_map.hh"
#include "flash/ftl/past.hh"
#include "parts/named.hh"

#include <array>

namespace memsim::flash {

/// Where a logical page lies and which of its sectors were ever written.
struct MapEntry {
    std::uint32_t page = no_page;
    std::uint32_t sectors = 0;
};

enum class BlockUse : std::uint8_t { erased, open, closed, collecting };

/// A block that was touched.
struct FtlBlock {
    std::uint32_t block = 0; ///< of all, numbered by plane
    std::uint32_t erases = 0;
    std::uint32_t valid = 0;  ///< pages that the map names
    std::uint32_t flying = 0; ///< pages handed out whose program has not ended
    std::uint32_t place = 0;  ///< in its plane's list of closed blocks
    BlockUse use = BlockUse::erased;
    std::uint16_t past = 0;      ///< pages that were written before the run, and not erased since
    std::uint64_t closed_at = 0; ///< how many blocks had been closed before
    /// Logical page of each page handed out; no_page: none. Empty while those of the past are
    /// computed.
    std::vector<std::uint32_t> owners;
};

/// Who writes: a host, the garbage collector, the time before the run, or static wear levelling,
/// which moves cold data to the most worn of the free blocks.
enum class Frontier : std::uint8_t { host, collector, past, cold };

struct FtlPlane {
    std::uint32_t fresh = 0; ///< the next block that was never used
    std::vector<std::uint32_t> erased;
    std::vector<std::uint32_t> closed; ///< those that have a record
    std::array<std::uint32_t, 4> open {no_page, no_page, no_page, no_page};
};

/// Plain values for State; bounded by what was touched.
struct FtlState {
    HashMap<MapEntry> map;
    HashMap<std::uint32_t> record_of; ///< by block
    HashMap<std::uint32_t> readers;   ///< reads on their way to a block, where there are any
    std::vector<FtlBlock> blocks;
    std::vector<FtlPlane> planes;
    std::uint32_t next_plane = 0; ///< with dynamic allocation
    std::uint64_t closings = 0;   ///< blocks closed so far
};

/// What the flash holds. Each page is valid, invalid or erased.
struct FlashUsage {
    std::uint64_t free_blocks = 0;   ///< erased, of which no page is handed out
    std::uint64_t valid_pages = 0;   ///< that the map names
    std::uint64_t invalid_pages = 0; ///< programmed, and not named any more
    std::uint64_t erased_pages = 0;  ///< of any block; those whose program has not ended included
};

/// A page-mapped flash translation layer: the map, the blocks and the next page to write. A part:
/// whoever owns it moves the data and keeps the time.
///
/// A page is handed out by allocate(), in the order of its block, and is nobody's until its program
/// has ended: then commit(), moved() or discard(). Host and garbage collector write to blocks of
/// their own. The last `kept` free blocks of a plane are the collector's.
/// What was written before the run began is computed, not stored, until it is touched.
class Ftl {
  public:
    struct Config : Past::Config {
        bool fixed_plane = true;      ///< by the logical page, else the next that has room
        bool least_worn_first = true; ///< of the free blocks, else the last erased
        std::uint32_t kept = 1;       ///< free blocks of a plane that the host does not take
        std::uint32_t stop = 0; ///< free blocks of a plane below which it does not write at all
    };
    Ftl(const Config& figures, FtlState& state) : f_(figures), s_(state), past_(figures) {}
    void init();
    /// In a new run: blocks are as the past left them.
    void start();
    Past& past() { return past_; }
    void check_loaded(Loader& l) const;

    MapEntry lookup(std::uint32_t lpn) const;
    /// It was written or trimmed in the run.
    bool named(std::uint32_t lpn) const { return s_.map.find(lpn) != nullptr; }
    /// The plane that a write of this page goes to; no_page if it must wait for room.
    std::uint32_t plane_for(std::uint32_t lpn);
    bool has_room(std::uint32_t plane, Frontier who) const;
    std::uint32_t allocate(std::uint32_t plane, Frontier who, std::uint32_t lpn);
    /// The program has ended: `page` is where `lpn` lies from now on.
    void commit(std::uint32_t lpn, std::uint32_t page, std::uint32_t sectors);
    /// The same for a copy of `from`; false if the page was written anew meanwhile.
    bool moved(std::uint32_t lpn, std::uint32_t from, std::uint32_t to);
    void trim(std::uint32_t lpn, std::uint32_t sectors);
    /// For a page that was never written: a place, as if it had been written before the run.
    std::uint32_t remember(std::uint32_t lpn, std::uint32_t plane, std::uint32_t sectors);

    /// A read is on its way: the block is not erased before it has ended.
    void hold(std::uint32_t page) { ++s_.readers[f_.geometry.block_of(page)]; }
    void release(std::uint32_t page) {
        std::uint32_t* const n = s_.readers.find(f_.geometry.block_of(page));
        MEMSIM_ASSERT(n, "a read ends that has not begun");
        if (--*n == 0) s_.readers.erase(f_.geometry.block_of(page));
    }
    bool is_read(const FtlBlock& b) const { return s_.readers.find(b.block) != nullptr; }
    /// Pages of its block that were written before the run, for the package.
    std::uint16_t written_before(std::uint32_t page) const;

    std::uint32_t free_blocks(std::uint32_t plane) const {
        const FtlPlane& p = s_.planes[plane];
        return f_.geometry.blocks - p.fresh + static_cast<std::uint32_t>(p.erased.size());
    }
    /// Looks at every block that was touched.
    FlashUsage usage() const;
    /// The closed block that the policy takes; no_page if there is nothing to gain.
    std::uint32_t victim(std::uint32_t plane, const VictimPolicy& policy) const;
    /// The closed block with the fewest erases, if that is at least `gap` fewer than `erases`.
    std::uint32_t cold_victim(std::uint32_t plane, std::uint32_t erases, std::uint32_t gap);
    void begin_collecting(std::uint32_t record);
    void erased(std::uint32_t record);

    /// Of the block that a page is in, which was touched.
    std::uint32_t record_of(std::uint32_t page) const {
        const std::uint32_t* const index = s_.record_of.find(f_.geometry.block_of(page));
        MEMSIM_ASSERT(index, "a block is named that was never touched");
        return *index;
    }
    FtlBlock& block(std::uint32_t record) { return parts::named(s_.blocks, record); }
    const FtlBlock& block(std::uint32_t record) const { return parts::named(s_.blocks, record); }
    std::uint32_t first_page(const FtlBlock& b) const { return b.block * f_.geometry.pages; }
    const Config& figures() const { return f_; }

  private:
    /// Pages of a plane that were written in order before the run, from its first.
    std::uint64_t in_order(std::uint32_t plane) const {
        return past_.used() ? 0 : past_.pages_of(plane);
    }
    FtlBlock& record(std::uint32_t block) { return s_.blocks[record_index(block)]; }
    std::uint32_t record_index(std::uint32_t block);
    void remember_owners(FtlBlock& block) const;
    void start(std::uint32_t plane);
    void invalidate(std::uint32_t page);
    void close(std::uint32_t record);
    void enlist(std::uint32_t record);
    std::uint32_t take_block(std::uint32_t plane, Frontier who);
    std::uint32_t handed_out(const FtlBlock& b) const;

    Config f_;
    FtlState& s_;
    Past past_;
};

} // namespace memsim::flash
