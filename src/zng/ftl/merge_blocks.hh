#pragma once

#include "parts/named.hh"
#include "zng/ftl/free_blocks.hh"

namespace memsim::zng {

/// The data blocks of one application that a log block serves. Blocks here are mapped blocks.
struct Served {
    std::uint16_t application = 0;
    std::vector<std::uint32_t> blocks;
};
/// A log block that has room for more data blocks.
struct OpenLog {
    std::uint32_t log = 0, members = 0;
};
/// Where a data block goes.
struct BlockMove {
    std::uint32_t from = 0, to = 0, to_log = 0;
    std::uint32_t logical = 0; ///< block, of all applications' addresses side by side
};
/// Of an application: its blocks at the start.
struct BlockRange {
    std::uint32_t first = 0, blocks = 0;
    /// Whether two applications have data in one row of blocks, which share log blocks.
    bool shares_rows_with(const BlockRange& b, std::uint64_t row) const {
        return blocks && b.blocks && (first + blocks - 1) / row >= b.first / row &&
               (b.first + b.blocks - 1) / row >= first / row;
    }
};

/// Plain values for State.
struct MergeBlocksState {
    static constexpr std::uint32_t moved_away = ~0u;
    LogBlocks logs;
    FreeBlocks free;
    HashMap<std::uint32_t> logical;           ///< of blocks that were moved there, or `moved_away`
    HashMap<Served> made;                     ///< log blocks made since the start
    HashMap<OpenLog> open;                    ///< by group and application
    HashMap<std::vector<std::uint32_t>> more; ///< blocks that log blocks went on in
    HashMap<std::uint32_t> idle_taken;        ///< by group: log blocks without data, taken for that
    HashMap<std::uint32_t> targets;           ///< log blocks, and the moves to their blocks
    std::vector<std::uint32_t> group_moves;   ///< from and to each group, under way
};

/// Which blocks hold what, and where data blocks go when their log block is merged: a block of any
/// group of planes that the pages can reach, where fewest merges are under way, then where a log
/// block with room is, then the one erased least. A log block serves up to `ratio` data blocks of
/// one application. A part: its owner moves the data.
class MergeBlocks {
  public:
    struct Config {
        Flash flash;
        std::uint32_t data_blocks = 1;  ///< of a group, at the start
        std::uint32_t ratio = 1;        ///< data blocks to a log block
        std::vector<BlockRange> ranges; ///< by application
    };
    MergeBlocks(Config config, MergeBlocksState& state);

    /// Those at the start hold data of an application, and are still there.
    Served served_by(std::uint32_t log) const;
    /// No further data block is given to it.
    void close(const Served& s, std::uint32_t log);
    /// Data blocks that it serves are on their way.
    bool awaits_data(std::uint32_t log) const { return s_.targets.find(log) != nullptr; }
    /// Takes an erased block of its group for a full log block to go on in: one that is the log
    /// block of data blocks that hold nothing, the last first, or a free one, if enough stay to
    /// merge into.
    std::optional<std::uint32_t> extend(std::uint32_t log);
    /// A log block and those that it went on in.
    std::vector<std::uint32_t> all_of(std::uint32_t log) const;
    /// Whether there are erased blocks, in what the pages of a group can reach, for so many data
    /// blocks and the log blocks that they need.
    bool has_room(std::uint32_t group, std::uint16_t application, std::size_t blocks) const;
    /// Takes a new block, and its log block, for a data block; there is one. `opened`: a free block
    /// becomes that log block.
    BlockMove choose(std::uint32_t from, std::uint16_t application, bool& opened);
    /// The pages of so many data blocks leave the group of their log block.
    void leave(std::uint32_t log, std::size_t blocks) {
        s_.group_moves[c_.flash.group_of(log)] += static_cast<std::uint32_t>(blocks);
    }
    /// All pages of a block are in its new log block's care.
    void arrived(std::uint32_t to_log) {
        if (--s_.targets[to_log] == 0) s_.targets.erase(to_log);
    }
    /// A data block is, for the tables, in its new place.
    void moved(const BlockMove& m);
    void merged(std::uint32_t log) { s_.made.erase(log), s_.more.erase(log); }
    void erased(std::uint32_t block) { s_.free.put(block); }

    void check_loaded(Loader& l) const;

  private:
    static std::uint64_t open_key(std::uint32_t group, std::uint16_t application) {
        return std::uint64_t {group} << 16 | application;
    }

    Config c_;
    std::uint32_t used_logs_ =
        0; ///< log blocks of a group, from the first, that may serve data at the start
    std::uint32_t kept_ =
        0; ///< free blocks of a group that log blocks leave: room to merge all data in its reach
    MergeBlocksState& s_;
};

} // namespace memsim::zng
