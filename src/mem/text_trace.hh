#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace memsim::mem {

struct TraceRecord {
    std::uint64_t address = 0;
    bool write = false;
    std::int64_t cycle = -1; ///< when, in the trace's clock; -1: as soon as possible
};

/// Reads the text traces of DRAMsim3 ('0x2000D5C0 READ 30') and of Ramulator ('LD 0x40', 'ST 64'),
/// a line at a time. Nothing is kept but the place in the file, which belongs to the caller.
/// Errors are ConfigErrors that name file and line.
class TextTrace {
  public:
    struct Place {
        std::uint64_t offset = 0; ///< bytes read so far
        std::uint64_t line = 0;   ///< lines read so far
    };
    explicit TextTrace(std::string path) : path_(std::move(path)) {}
    /// The record after `place`, which moves on; nothing at the end. Blank lines and lines that
    /// begin with # are passed over.
    std::optional<TraceRecord> next(Place& place);

  private:
    std::string path_;
    std::ifstream file_;
    std::uint64_t at_ = 0; ///< where the open file stands
    std::string line_;
};

} // namespace memsim::mem
