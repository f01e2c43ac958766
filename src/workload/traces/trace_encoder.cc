#include "workload/traces/trace_encoder.hh"

#include "core/base/error.hh"

#include <fmt/format.h>
#include <zlib.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

namespace memsim::workload {

namespace {

class Gem5Encoder final : public TraceEncoder {
  public:
    explicit Gem5Encoder(bool packed) : packed_(packed) {}
    void head(const TraceHead& head, std::string& out) override {
        raw_ = "gem5";
        std::string m;
        field(m, 1, head.origin);
        field(m, 2, std::uint64_t {0});
        field(m, 3, std::uint64_t {1'000'000'000'000});
        message(m);
        flush(out);
    }
    void batch(const std::vector<TraceRecord>& records, std::string_view,
               std::string& out) override {
        std::string m;
        for (const TraceRecord& r : records) {
            m.clear();
            field(m, 1, static_cast<std::uint64_t>(r.time) / 1000);
            // In gem5, no command number of an atomic is common to all versions, so it is stored as
            // a write.
            field(m, 2, std::uint64_t {r.command == TraceCommandKind::read ? 1u : 4u});
            field(m, 3, r.address);
            field(m, 4, std::uint64_t {r.bytes});
            if (r.pc != 0) field(m, 7, r.pc);
            message(m);
        }
        flush(out);
    }
    void end(std::uint64_t, std::string&) override {}

  private:
    static void varint(std::string& to, std::uint64_t v) {
        for (; v >= 0x80; v >>= 7) to += static_cast<char>(v | 0x80);
        to += static_cast<char>(v);
    }
    static void field(std::string& to, unsigned number, std::uint64_t v) {
        varint(to, number << 3);
        varint(to, v);
    }
    static void field(std::string& to, unsigned number, const std::string& text) {
        varint(to, number << 3 | 2);
        varint(to, text.size());
        to += text;
    }
    void message(const std::string& m) {
        varint(raw_, m.size());
        raw_ += m;
    }
    void flush(std::string& out) {
        if (!packed_) {
            out += raw_;
        } else {
            z_stream z {};
            constexpr int gzip_header = 16, memory = 8;
            MEMSIM_ASSERT(deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + gzip_header,
                                       memory, Z_DEFAULT_STRATEGY) == Z_OK,
                          "zlib cannot be initialised");
            const std::size_t before = out.size();
            out.resize(before + deflateBound(&z, raw_.size()));
            z.next_in = reinterpret_cast<Bytef*>(raw_.data());
            z.avail_in = static_cast<uInt>(raw_.size());
            z.next_out = reinterpret_cast<Bytef*>(out.data() + before);
            z.avail_out = static_cast<uInt>(out.size() - before);
            MEMSIM_ASSERT(deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib's bound is too small");
            out.resize(before + z.total_out);
            deflateEnd(&z);
        }
        raw_.clear();
    }

    bool packed_;
    std::string raw_;
};

class DramSim3Encoder final : public TraceEncoder {
  public:
    explicit DramSim3Encoder(Time cycle) : cycle_(cycle) {}
    void head(const TraceHead&, std::string&) override {}
    void batch(const std::vector<TraceRecord>& records, std::string_view,
               std::string& out) override {
        for (const TraceRecord& r : records)
            fmt::format_to(std::back_inserter(out), "0x{:X} {} {}\n", r.address,
                           r.command == TraceCommandKind::read ? "READ" : "WRITE",
                           r.time / cycle_.raw);
    }
    void end(std::uint64_t, std::string&) override {}

  private:
    Time cycle_;
};

} // namespace

std::unique_ptr<TraceEncoder> gem5_encoder(bool packed) {
    return std::make_unique<Gem5Encoder>(packed);
}
std::unique_ptr<TraceEncoder> dramsim3_encoder(Time cycle) {
    return std::make_unique<DramSim3Encoder>(cycle);
}

std::unique_ptr<TraceEncoder> make_encoder(TraceOutputFormat format, const std::string& path,
                                           Time cycle) {
    switch (format) {
    case TraceOutputFormat::memsim:
        return memsim_encoder();
    case TraceOutputFormat::gem5:
        return gem5_encoder(path.ends_with(".gz"));
    case TraceOutputFormat::dramsim3:
        if (cycle.raw <= 0)
            throw ConfigError(
                "a trace of DRAMsim3 counts cycles: set `cycle` to their length, such as 0.63ns");
        return dramsim3_encoder(cycle);
    }
    MEMSIM_ASSERT(false, "an output format without an encoder");
}

// ---- the file --------------------------------------------------------------------------------

TraceOutput::TraceOutput(const std::string& path, std::optional<std::uint64_t> continue_at)
    : path_(path) {
    namespace fs = std::filesystem;
    std::error_code unknown;
    if (fs::is_fifo(path, unknown)) throw ConfigError(path + ": is a pipe: name a regular file");
    if (continue_at && fs::is_regular_file(path, unknown)) {
        const std::uint64_t size = fs::file_size(path, unknown);
        if (size < *continue_at)
            throw ConfigError(path + ": has " + std::to_string(size) +
                              " bytes, and the checkpoint "
                              "continues after byte " +
                              std::to_string(*continue_at) + ": restore the original file");
        if (size > *continue_at) {
            // Another run may have written the bytes that follow. That file is kept under this
            // name.
            const std::string before = path + ".before";
            std::error_code error;
            fs::rename(path, before, error);
            if (!error) fs::copy_file(before, path, error);
            if (!error) fs::resize_file(path, *continue_at, error);
            if (error)
                throw ConfigError(path + ": cannot be truncated at the checkpoint's position (" +
                                  error.message() + ")");
        }
    } else if (continue_at && !fs::exists(path, unknown)) {
        throw ConfigError(path + ": the trace of this run is missing: restore the file, or start "
                                 "again without --restore");
    }
    file_ = ::open(path.c_str(),
                   O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | (continue_at ? 0 : O_TRUNC), 0666);
    if (file_ < 0) fail("cannot be written");
}

TraceOutput::~TraceOutput() {
    if (file_ >= 0) ::close(file_);
}

void TraceOutput::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(file_, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("cannot be written further");
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

void TraceOutput::cut(std::uint64_t bytes) {
    if (::ftruncate(file_, static_cast<off_t>(bytes)) != 0) fail("cannot be truncated");
}

void TraceOutput::fail(const char* what) const {
    throw ConfigError(path_ + ": " + what + " (" + std::strerror(errno) +
                      "): name a file where there is room for the trace");
}

} // namespace memsim::workload
