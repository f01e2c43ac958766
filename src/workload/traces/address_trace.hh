#pragma once

#include "core/kernel/named.hh"
#include "input_files/input_file.hh"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Address traces: accesses recorded at a point of a machine, by memsim or another simulator.
namespace memsim::workload {

using namespace memsim::literals;
using input_files::InputFile;

enum class TraceCommandKind : std::uint8_t { read, write, atomic };
constexpr std::array<std::string_view, 3> names_of(TraceCommandKind) {
    return {"read", "write", "atomic"};
}

/// One access.
struct TraceRecord {
    std::int64_t time = 0; ///< femtoseconds, or the file's own unit if that is not stated
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    TraceCommandKind command = TraceCommandKind::read;
    std::uint16_t application = 0; ///< in block traces: the device
    std::uint64_t pc = 0;          ///< 0: unknown
    std::uint32_t warp = 0;
    std::uint16_t sectors = 0; ///< 32-byte sectors accessed: protocol/sectors.hh; 0: all
};

struct TraceFormat;

/// The numbering of gem5's packet commands, which differs between versions.
enum class Gem5Commands : std::uint8_t {
    common, ///< ReadReq and WriteReq, whose numbers are the same in all versions
    v20     ///< versions 20 to 25
};
constexpr std::array<std::string_view, 2> names_of(Gem5Commands) { return {"common", "v20"}; }

/// Properties that a file does not state itself.
struct TraceOptions {
    NameOf<TraceFormat> format {"automatic"};
    Time unit {0};            ///< time unit of text traces; 0: not stated
    std::uint32_t bytes = 64; ///< per access, if the trace does not state it
    /// For Ramulator's ReadWriteTrace: numbers of channels, ranks, bank groups, banks, rows and
    /// columns (of `bytes`); empty: not stated.
    std::vector<std::uint64_t> geometry {};
    std::string map = "RoRaBaCoCh"; ///< the memory's address mapping: device_parts/address_map.hh
    bool from_first = false;        ///< count times from the first record
    Gem5Commands gem5 = Gem5Commands::common;
};
/// Parses a geometry such as '1,2,4,4,65536,1024'. Throws ConfigError.
std::vector<std::uint64_t> parse_geometry(std::string_view text);

/// The position of a reader, with which another reader of the same file can continue. A value for
/// State.
struct TracePlace {
    std::uint64_t records = 0; ///< read so far
    std::uint64_t line = 0;
    std::uint64_t byte = 0;
    std::uint32_t index = 0; ///< within a batch, or among the records of a line
    std::uint64_t held = 0;  ///< an address of the line that belongs to the next record
    std::int64_t time = 0;   ///< of the last record, if times are cumulative or must ascend
};

/// Reads a trace from front to back in bounded memory. Errors are ConfigErrors with file, line and
/// column (in compressed or binary files: the byte after decompression).
class TraceReader {
  public:
    virtual ~TraceReader() = default;
    /// Returns false at the end.
    bool next(TraceRecord& r) {
        if (!read(r)) return false;
        ++place_.records;
        check(r);
        return true;
    }
    TracePlace place() const { return place_; }
    /// Requires a reader that has not read anything.
    virtual void go_to(const TracePlace& place) = 0;
    /// Whether records have times, and whether these are in femtoseconds.
    virtual bool timed() const { return true; }
    virtual bool in_time_units() const { return true; }
    /// Whether the trace states the bytes of an access. Otherwise an access covers the block of
    /// TraceOptions::bytes that contains its address.
    virtual bool sized() const { return true; }
    /// Whether times are dates, which must be counted from the first record.
    virtual bool dated() const { return false; }
    /// Properties that the file states, as (name, value).
    virtual std::vector<std::pair<std::string, std::string>> about() const { return {}; }
    /// The contents of the last record; empty if the trace has none.
    virtual std::string_view contents() const { return {}; }

    /// Counts times from the first record, which `same`, another reader of the same file, supplies.
    /// A record with an earlier time counts as simultaneous with it.
    void count_from_first(TraceReader& same);
    /// The time that counts as 0, in units of `unit` femtoseconds (or of the file).
    std::int64_t origin() const { return origin_; }
    std::int64_t unit() const { return unit_; }
    std::string format;

  protected:
    /// The record's time is in units of `unit_` from the file's origin.
    virtual bool read(TraceRecord& r) = 0;
    /// Reports an error in the last record.
    [[noreturn]] virtual void refuse(const std::string& what) const = 0;
    TracePlace place_;
    std::int64_t unit_ = 1;

  private:
    void check(TraceRecord& r) const;
    std::int64_t origin_ = 0;
};

/// The start of a file, from which its format is detected.
struct FileHead {
    explicit FileHead(std::string_view bytes);
    std::string_view bytes;               ///< up to 4096
    std::string_view line;                ///< the first line that is not a comment
    std::vector<std::string_view> words;  ///< of that line, separated by blanks
    std::vector<std::string_view> fields; ///< of that line, separated by commas
};

/// A trace format. Each is one file of formats/ that registers a constant `Named<TraceFormat>`,
/// such as formats/spc.cc.
struct TraceFormat {
    std::string_view title;    ///< origin of the format
    std::string_view shape {}; ///< layout of a line; empty: a binary format
    std::string_view notes {}; ///< for `memsim trace formats`
    bool written = false;
    std::string_view played_by = "`workload.TracePlayer`";
    bool (*detect)(const FileHead&) = nullptr;
    std::unique_ptr<TraceReader> (*open)(std::unique_ptr<InputFile>, const TraceOptions&) = nullptr;
};

std::unique_ptr<TraceReader> open_trace(const std::string& path, const TraceOptions& options = {});

/// Whether it is an Accel-Sim trace, which contains instructions instead of addresses.
bool is_accelsim(const std::string& path);

} // namespace memsim::workload
