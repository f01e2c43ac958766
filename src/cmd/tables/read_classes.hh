#pragma once

#include "cmd/tables/block_table.hh"
#include "core/declare/stats.hh"

#include <vector>

namespace memsim::cmd {

struct ReadClassStats {
    using group = void;
    Counter data_reads {Unit::count,
                        "Reads of 32 bytes from memory of blocks that were written back"};
    Counter read_only_reads {
        Unit::count, "Reads of 32 bytes from memory of blocks that were never written back"};
    Counter reached_1 {Unit::count, "Read-only blocks read from memory"};
    Counter reached_2 {Unit::count, "Read-only blocks read at least twice"};
    Counter reached_3 {Unit::count, "Read-only blocks read at least three times"};
    Counter reached_6 {Unit::count, "Read-only blocks read at least six times"};
    Counter reached_11 {Unit::count, "Read-only blocks read at least 11 times"};
    Counter reached_21 {Unit::count, "Read-only blocks read at least 21 times"};
};

/// Classifies reads from memory and counts how often read-only blocks are read (CMD, Fig. 11). A
/// request for several sectors counts once for each (CMD, section II: a read request is one of 32
/// bytes). `counts` holds a number for each block, up to 21. A part.
class ReadClasses {
  public:
    ReadClasses(std::vector<std::uint8_t>& counts, ReadClassStats& stat)
        : counts_(counts), stat_(stat) {}

    /// Counts a read.
    void count(std::uint32_t block, BlockType type, unsigned sectors) {
        of(block, type, sectors) += sectors;
    }
    /// The counter of the next read of a block, of so many sectors.
    Counter& of(std::uint32_t block, BlockType type, unsigned sectors) {
        if (type != BlockType::read_only) return stat_.data_reads;
        std::uint8_t& n = counts_[block];
        for (; sectors != 0 && n < 21; --sectors)
            if (Counter* const reached = reaches(++n)) ++*reached;
        return stat_.read_only_reads;
    }

  private:
    Counter* reaches(std::uint32_t n) {
        switch (n) {
        case 1:
            return &stat_.reached_1;
        case 2:
            return &stat_.reached_2;
        case 3:
            return &stat_.reached_3;
        case 6:
            return &stat_.reached_6;
        case 11:
            return &stat_.reached_11;
        case 21:
            return &stat_.reached_21;
        default:
            return nullptr;
        }
    }

    std::vector<std::uint8_t>& counts_;
    ReadClassStats& stat_;
};

} // namespace memsim::cmd
