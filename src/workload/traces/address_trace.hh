#pragma once

#include "core/kernel/named.hh"
#include "files/input_file.hh"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Traces of addresses: what passed a place in a machine, ours or another simulator's.
namespace memsim::workload {

using namespace memsim::literals;
using files::InputFile;

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
    std::uint16_t application = 0; ///< of block traces: the device
    std::uint64_t pc = 0;          ///< 0: not known
    std::uint32_t warp = 0;
    std::uint16_t sectors = 0; ///< which 32-byte sectors of it: protocol/sectors.hh; 0: all
};

struct TraceFormat;

/// The meaning of gem5's packet commands, which are numbered anew from version to version.
enum class Gem5Commands : std::uint8_t {
    common, ///< ReadReq and WriteReq, whose numbers all versions share
    v20     ///< versions 20 to 25
};
constexpr std::array<std::string_view, 2> names_of(Gem5Commands) { return {"common", "v20"}; }

/// What a file does not tell about itself.
struct TraceOptions {
    NameOf<TraceFormat> format {"automatic"};
    Time unit {0};            ///< of times in text traces; 0: not stated
    std::uint32_t bytes = 64; ///< of an access where the trace does not tell
    /// Ramulator's ReadWriteTrace: how many channels, ranks, bank groups, banks, rows and columns
    /// (of `bytes`) there are; empty: not stated.
    std::vector<std::uint64_t> geometry {};
    std::string map =
        "RoRaBaCoCh";        ///< by which the memory takes addresses apart: parts/address_map.hh
    bool from_first = false; ///< times are counted from the first record
    Gem5Commands gem5 = Gem5Commands::common;
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
        check(r);
        return true;
    }
    TracePlace place() const { return place_; }
    /// Only for a reader that has read nothing yet.
    virtual void go_to(const TracePlace& place) = 0;
    /// Whether records have times at all, and whether in femtoseconds.
    virtual bool timed() const { return true; }
    virtual bool in_time_units() const { return true; }
    /// Whether the trace tells how many bytes an access has; otherwise an access is to the block of
    /// TraceOptions::bytes that holds its address.
    virtual bool sized() const { return true; }
    /// Whether times are dates, which can only be counted from the first record.
    virtual bool dated() const { return false; }
    /// What the file says about itself: (name, value).
    virtual std::vector<std::pair<std::string, std::string>> about() const { return {}; }
    /// The contents of the last record; empty if the trace has none.
    virtual std::string_view contents() const { return {}; }

    /// Counts times from that of the first record of `same`, another reader of the same file. A
    /// record before it counts as at the same time.
    void count_from_first(TraceReader& same);
    /// The time that is 0, in units of `unit` femtoseconds (or of the file's own).
    std::int64_t origin() const { return origin_; }
    std::int64_t unit() const { return unit_; }
    std::string format;

  protected:
    /// Its time is in units of `unit_` since whenever the file counts from.
    virtual bool read(TraceRecord& r) = 0;
    /// About the record that was read last.
    [[noreturn]] virtual void refuse(const std::string& what) const = 0;
    TracePlace place_;
    std::int64_t unit_ = 1;

  private:
    void check(TraceRecord& r) const;
    std::int64_t origin_ = 0;
};

/// The begin of a file, by which its format is told.
struct FileHead {
    explicit FileHead(std::string_view bytes);
    std::string_view bytes;               ///< up to 4096
    std::string_view line;                ///< the first one that is no comment
    std::vector<std::string_view> words;  ///< of that line, between blanks
    std::vector<std::string_view> fields; ///< of that line, between commas
};

/// A format of traces. Each is one file of formats/, which registers it by a constant
/// `Named<TraceFormat>`, such as formats/spc.cc.
struct TraceFormat {
    std::string_view title;      ///< whose format it is
    std::string_view shape = ""; ///< what a line looks like; empty: it is no text
    std::string_view notes = ""; ///< for docs/traces.md
    bool written = false;
    std::string_view played_by = "`workload.TracePlayer`";
    bool (*detect)(const FileHead&) = nullptr;
    std::unique_ptr<TraceReader> (*open)(std::unique_ptr<InputFile>, const TraceOptions&) = nullptr;
};

std::unique_ptr<TraceReader> open_trace(const std::string& path, const TraceOptions& options = {});

/// Whether it is an Accel-Sim trace of instructions, not of addresses.
bool is_accelsim(const std::string& path);

} // namespace memsim::workload
