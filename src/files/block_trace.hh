#pragma once

#include "files/input_file.hh"

#include <optional>

namespace memsim::files {

struct BlockRecord {
    std::int64_t arrival = 0; ///< in the unit that the reader's user knows: it is not in the file
    std::uint16_t device = 0;
    std::uint64_t sector = 0; ///< of block_trace_sector bytes
    std::uint64_t sectors = 0;
    bool write = false;
};

inline constexpr std::uint64_t block_trace_sector = 512;
/// Of a request, at most: 2 GiB, for whoever reads the trace.
inline constexpr std::uint64_t block_trace_most_sectors = (std::uint64_t {1} << 31) / 512;

/// Reads MQSim's block traces, a line at a time: '<arrival> <device> <first sector> <sectors> <0
/// for a write, 1 for a read>'. Blank lines and lines that begin with # are passed over. Nothing is
/// kept but the place in the file, which belongs to the caller. Errors are ConfigErrors that name
/// file, line and column.
class BlockTrace {
  public:
    struct Place {
        std::uint64_t byte = 0;   ///< read so far
        std::uint64_t line = 0;   ///< lines read so far
        std::int64_t arrival = 0; ///< of the last record: they may not go back
    };
    explicit BlockTrace(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}
    /// The record after `place`, which moves on; nothing at the end.
    std::optional<BlockRecord> next(Place& place);
    /// For what is wrong with the record read last.
    [[noreturn]] void refuse(const std::string& what) const { file_->refuse_line(what); }

  private:
    std::unique_ptr<InputFile> file_;
};

} // namespace memsim::files
