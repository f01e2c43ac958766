#pragma once

#include "workload/traces/address_trace.hh"

#include <optional>

/// Writing traces: encoders make bytes of batches of records, and keep nothing from one batch to
/// the next, so that a file can be cut behind any batch and continued there.
namespace memsim::workload {

enum class TraceOutputFormat : std::uint8_t { memsim, gem5, dramsim3 };
constexpr std::array<std::string_view, 3> names_of(TraceOutputFormat) {
    return {"memsim", "gem5", "dramsim3"};
}

struct TraceHead {
    std::string origin; ///< who recorded it and where
    bool timed = true;
    bool contents = false;
};

class TraceEncoder {
  public:
    virtual ~TraceEncoder() = default;
    /// Each appends to `out`.
    virtual void head(const TraceHead& head, std::string& out) = 0;
    virtual void batch(const std::vector<TraceRecord>& records, std::string_view contents,
                       std::string& out) = 0;
    virtual void end(std::uint64_t records, std::string& out) = 0;
};

/// The first bytes of a trace of memsim, 16 with the 0 that ends them.
inline constexpr std::string_view memsim_magic = "memsim-trace\x1a\n\x01\0";
inline constexpr std::size_t magic_bytes = 16;

std::unique_ptr<TraceEncoder> memsim_encoder();
/// Packet traces with ticks of 1 ps (times are cut to them); each batch is a gzip member of its own
/// if `packed`.
std::unique_ptr<TraceEncoder> gem5_encoder(bool packed);
/// Times are cut to cycles.
std::unique_ptr<TraceEncoder> dramsim3_encoder(Time cycle);

/// `path` decides whether gem5's is packed: if it ends with .gz. Throws ConfigError for what the
/// format cannot hold.
std::unique_ptr<TraceEncoder> make_encoder(TraceOutputFormat format, const std::string& path,
                                           Time cycle);

/// A file that grows at its end.
class TraceOutput {
  public:
    /// Empties it, or cuts it off at `continue_at`: what an earlier run wrote behind that is kept
    /// whole in `path`.before, and the file begins with a copy of its first bytes.
    explicit TraceOutput(const std::string& path, std::optional<std::uint64_t> continue_at = {});
    ~TraceOutput();
    TraceOutput(const TraceOutput&) = delete;
    TraceOutput& operator=(const TraceOutput&) = delete;
    /// Throws ConfigError, as if the disk is full.
    void append(std::string_view bytes);
    /// Drops what stands behind the first `bytes` of it.
    void cut(std::uint64_t bytes);

  private:
    [[noreturn]] void fail(const char* what) const;
    std::string path_;
    int file_ = -1;
};

} // namespace memsim::workload
