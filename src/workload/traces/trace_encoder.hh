#pragma once

#include "workload/traces/address_trace.hh"

#include <optional>

/// Trace encoders turn batches of records into bytes. They keep no state between batches, so that a
/// file can be truncated after any batch and continued there.
namespace memsim::workload {

enum class TraceOutputFormat : std::uint8_t { memsim, gem5, dramsim3 };
constexpr std::array<std::string_view, 3> names_of(TraceOutputFormat) {
    return {"memsim", "gem5", "dramsim3"};
}

struct TraceHead {
    std::string origin; ///< program and place that recorded it
    bool timed = true;
    bool contents = false;
};

class TraceEncoder {
  public:
    virtual ~TraceEncoder() = default;
    /// Each function appends to `out`.
    virtual void head(const TraceHead& head, std::string& out) = 0;
    virtual void batch(const std::vector<TraceRecord>& records, std::string_view contents,
                       std::string& out) = 0;
    virtual void end(std::uint64_t records, std::string& out) = 0;
};

/// The first 16 bytes of a memsim trace, including the final 0.
inline constexpr std::string_view memsim_magic = "memsim-trace\x1a\n\x01\0";
inline constexpr std::size_t magic_bytes = 16;

std::unique_ptr<TraceEncoder> memsim_encoder();
/// Packet traces with ticks of 1 ps; times are rounded down. If `packed`, each batch is a gzip
/// member.
std::unique_ptr<TraceEncoder> gem5_encoder(bool packed);
/// Times are rounded down to cycles.
std::unique_ptr<TraceEncoder> dramsim3_encoder(Time cycle);

/// A gem5 trace is compressed if `path` ends with .gz. Throws ConfigError for data that the format
/// cannot hold.
std::unique_ptr<TraceEncoder> make_encoder(TraceOutputFormat format, const std::string& path,
                                           Time cycle);

/// A file that grows at its end.
class TraceOutput {
  public:
    /// Creates an empty file, or truncates it at `continue_at`. In the latter case the previous
    /// file is kept as `path`.before, and the new one starts with a copy of its first bytes.
    explicit TraceOutput(const std::string& path, std::optional<std::uint64_t> continue_at = {});
    ~TraceOutput();
    TraceOutput(const TraceOutput&) = delete;
    TraceOutput& operator=(const TraceOutput&) = delete;
    /// Throws ConfigError, for example if the disk is full.
    void append(std::string_view bytes);
    /// Truncates the file to its first `bytes`.
    void cut(std::uint64_t bytes);

  private:
    [[noreturn]] void fail(const char* what) const;
    std::string path_;
    int file_ = -1;
};

} // namespace memsim::workload
