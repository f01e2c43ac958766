#pragma once

#include "core/units.hh"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Traces of addresses: what passed a place in a machine, ours or another simulator's.
namespace memsim::workload {

using namespace memsim::literals;

enum class TraceCommandKind : std::uint8_t { read, write, atomic };
constexpr std::array<std::string_view, 3> names_of(TraceCommandKind) {
    return {"read", "write", "atomic"};
}

/// One access.
struct TraceRecord {
    std::int64_t time = 0; ///< femtoseconds, or the file's own unit where that is not stated
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    TraceCommandKind command = TraceCommandKind::read;
    std::uint16_t application = 0; ///< MQSim: the device
    std::uint64_t pc = 0;          ///< 0: not known
    std::uint32_t warp = 0;
    std::uint16_t sectors = 0; ///< which 32-byte sectors of it: protocol/sectors.hh; 0: all
};

/// `automatic` is told by the file's first bytes.
enum class TraceFormat : std::uint8_t {
    automatic,
    memsim,
    gem5,
    dramsim3,
    ramulator_load_store,
    ramulator_read_write,
    ramulator_o3,
    mqsim
};
constexpr std::array<std::string_view, 8> names_of(TraceFormat) {
    return {"automatic",
            "memsim",
            "gem5",
            "dramsim3",
            "ramulator_load_store",
            "ramulator_read_write",
            "ramulator_o3",
            "mqsim"};
}

/// What a file does not tell about itself.
struct TraceOptions {
    TraceFormat format = TraceFormat::automatic;
    Time unit {0};            ///< of times in text traces; 0: not stated
    std::uint32_t bytes = 64; ///< of an access where the trace does not tell
    /// Ramulator's ReadWriteTrace: how many channels, ranks, bank groups, banks, rows and columns
    /// (of `bytes`) there are; empty: not stated.
    std::vector<std::uint64_t> geometry {};
};
/// '1,2,4,4,65536,1024'. Throws ConfigError.
std::vector<std::uint64_t> parse_geometry(std::string_view text);

/// Where a reader stands: enough to go on there with another reader of the same file. A value for
/// State.
struct TracePlace {
    std::uint64_t records = 0; ///< read so far
    std::uint64_t line = 0;
    std::uint64_t byte = 0;
    std::uint32_t index = 0; ///< in a batch, or of a line's records
    std::uint64_t held = 0;  ///< an address that the line has told and that is the next record's
    std::int64_t time = 0;   ///< of the last record, where times add up or must ascend
};

/// Reads a trace from front to back in bounded memory. Errors are ConfigErrors with file, line and
/// column (of packed or binary files: the byte, decoded); nothing is guessed.
class TraceReader {
  public:
    virtual ~TraceReader() = default;
    /// False at the end.
    bool next(TraceRecord& r) {
        if (!read(r)) return false;
        ++place_.records;
        return true;
    }
    TracePlace place() const { return place_; }
    /// Only for a reader that has read nothing yet.
    virtual void go_to(const TracePlace& place) = 0;
    /// Whether records have times at all, and whether in femtoseconds.
    virtual bool timed() const { return true; }
    virtual bool in_time_units() const { return true; }
    /// What the file says about itself: (name, value).
    virtual std::vector<std::pair<std::string, std::string>> about() const { return {}; }
    /// The contents of the last record; empty if the trace has none.
    virtual std::string_view contents() const { return {}; }
    TraceFormat format = TraceFormat::automatic;

  protected:
    virtual bool read(TraceRecord& r) = 0;
    TracePlace place_;
};

std::unique_ptr<TraceReader> open_trace(const std::string& path, const TraceOptions& options = {});

} // namespace memsim::workload
