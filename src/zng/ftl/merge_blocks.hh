#pragma once

#include "device_parts/named.hh"
#include "zng/ftl/free_blocks.hh"

namespace memsim::zng {

/// The data blocks of one application that a log block serves. All blocks here are mapped blocks.
struct Served {
    std::uint16_t application = 0;
    std::vector<std::uint32_t> blocks;
};
/// A log block with room for more data blocks.
struct OpenLog {
    std::uint32_t log = 0, members = 0;
};
/// The move of a data block.
struct BlockMove {
    std::uint32_t from = 0, to = 0, to_log = 0;
    std::uint32_t logical = 0; ///< block, in the concatenated address spaces of all applications
};
/// The data blocks of an application at the start.
struct BlockRange {
    std::uint32_t first = 0, blocks = 0;
    /// Whether both applications have data in one row of blocks. Such blocks share log blocks.
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
    HashMap<std::uint32_t> logical;           ///< of blocks with moved data, or `moved_away`
    HashMap<Served> made;                     ///< log blocks created during the run
    HashMap<OpenLog> open;                    ///< by group and application
    HashMap<std::vector<std::uint32_t>> more; ///< the blocks that extend log blocks
    HashMap<std::uint32_t>
        idle_taken; ///< by group: log blocks without data that were used as extensions
    HashMap<std::uint32_t> targets;         ///< outstanding moves, by destination log block
    std::vector<std::uint32_t> group_moves; ///< outstanding moves from and to each group
};

/// Assigns blocks to data, and chooses the destination of data blocks when their log block is
/// merged. Candidates are the blocks of all plane groups that the pages can reach. The choice is
/// the group with the fewest merges, then one with an open log block, then the block erased least.
/// A log block serves up to `ratio` data blocks of one application. A part: its owner moves the
/// data.
class MergeBlocks {
  public:
    struct Config {
        Flash flash;
        std::uint32_t data_blocks = 1;  ///< of a group, at the start
        std::uint32_t ratio = 1;        ///< data blocks per log block
        std::vector<BlockRange> ranges; ///< by application
    };
    MergeBlocks(Config config, MergeBlocksState& state);

    /// The data blocks of a log block that still exist. Initial ones count only if an application
    /// owns them.
    Served served_by(std::uint32_t log) const;
    /// Assigns no further data block to this log block.
    void close(const Served& s, std::uint32_t log);
    /// Whether data blocks that it serves are still being moved.
    bool awaits_data(std::uint32_t log) const { return state_.targets.find(log) != nullptr; }
    /// Takes an erased block of its group to extend a full log block: the last log block whose data
    /// blocks hold nothing, or else a free block if enough of them remain for merges.
    std::optional<std::uint32_t> extend(std::uint32_t log);
    /// A log block and its extensions.
    std::vector<std::uint32_t> all_of(std::uint32_t log) const;
    /// Whether the groups that the pages can reach have enough erased blocks for this many data
    /// blocks and the log blocks that they need.
    bool has_room(std::uint32_t group, std::uint16_t application, std::size_t blocks) const;
    /// Chooses a new block and log block for a data block. Requires has_room(). Sets `opened` if a
    /// free block becomes the log block.
    BlockMove choose(std::uint32_t from, std::uint16_t application, bool& opened);
    /// The pages of `blocks` data blocks begin to leave the group of their log block.
    void leave(std::uint32_t log, std::size_t blocks) {
        state_.group_moves[config_.flash.group_of(log)] += static_cast<std::uint32_t>(blocks);
    }
    /// All pages of a block have arrived at a block served by `to_log`.
    void arrived(std::uint32_t to_log) {
        if (--state_.targets[to_log] == 0) state_.targets.erase(to_log);
    }
    /// The tables name the new place of a data block.
    void moved(const BlockMove& m);
    void merged(std::uint32_t log) { state_.made.erase(log), state_.more.erase(log); }
    void erased(std::uint32_t block) { state_.free.put(block); }

    void check_loaded(Loader& l) const;

  private:
    static std::uint64_t open_key(std::uint32_t group, std::uint16_t application) {
        return std::uint64_t {group} << 16 | application;
    }

    Config config_;
    std::uint32_t used_logs_ =
        0; ///< log blocks per group, counted from the first, that may serve data at the start
    std::uint32_t kept_ = 0; ///< free blocks per group that extensions leave, so that all data in
                             ///< its reach can be merged
    MergeBlocksState& state_;
};

} // namespace memsim::zng
