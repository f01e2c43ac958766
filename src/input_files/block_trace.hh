#pragma once

#include "input_files/input_file.hh"

#include <optional>

namespace memsim::input_files {

struct BlockRecord {
    std::int64_t arrival = 0; ///< in the unit that the caller defines: the file does not state it
    std::uint16_t device = 0;
    std::uint64_t sector = 0; ///< of block_trace_sector bytes
    std::uint64_t sectors = 0;
    bool write = false;
};

inline constexpr std::uint64_t block_trace_sector = 512;
/// The largest size of a request: 2 GiB.
inline constexpr std::uint64_t block_trace_most_sectors = (std::uint64_t {1} << 31) / 512;

/// Reads MQSim's block traces line by line: '<arrival> <device> <first sector> <sectors> <0 for a
/// write, 1 for a read>'. Blank lines and lines that begin with # are skipped. The only state is
/// the position in the file, which the caller owns. Errors are ConfigErrors that name file, line
/// and column.
class BlockTrace {
  public:
    struct Place {
        std::uint64_t byte = 0;   ///< read so far
        std::uint64_t line = 0;   ///< lines read so far
        std::int64_t arrival = 0; ///< of the last record: arrivals may not decrease
    };
    explicit BlockTrace(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}
    /// The record at `place`, which advances; nothing at the end of the file.
    std::optional<BlockRecord> next(Place& place);
    /// Reports an error in the record that was read last.
    [[noreturn]] void refuse(const std::string& what) const { file_->refuse_line(what); }

  private:
    std::unique_ptr<InputFile> file_;
};

} // namespace memsim::input_files
