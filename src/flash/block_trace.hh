#pragma once

#include "protocol/block_io.hh"

#include <fstream>
#include <optional>

namespace memsim::flash {

struct BlockRecord {
    std::int64_t arrival = 0; ///< in the unit that the reader's user knows: it is not in the file
    std::uint64_t sector = 0;
    std::uint64_t sectors = 0;
    bool write = false;
};

/// Reads MQSim's block traces, a line at a time: '<arrival> <device> <first sector> <sectors> <0
/// for a write, 1 for a read>'. The device is passed over. Nothing is kept but the place in the
/// file, which belongs to the caller. Errors are ConfigErrors that name file and line.
class BlockTrace {
  public:
    struct Place {
        std::uint64_t offset = 0; ///< bytes read so far
        std::uint64_t line = 0;   ///< lines read so far
        std::int64_t arrival = 0; ///< of the last record: they may not go back
    };
    explicit BlockTrace(std::string path) : path_(std::move(path)) {}
    /// The record after `place`, which moves on; nothing at the end. Blank lines and lines that
    /// begin with # are passed over.
    std::optional<BlockRecord> next(Place& place);

  private:
    std::string path_;
    std::ifstream file_;
    std::uint64_t at_ = 0; ///< where the open file stands
    std::string line_;
};

} // namespace memsim::flash
