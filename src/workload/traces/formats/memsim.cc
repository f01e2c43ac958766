#include "core/base/legible.hh"
#include "workload/traces/trace.pb.h"
#include "workload/traces/trace_encoder.hh"

#include <xxhash.h>
#include <zstd.h>

#include <cstring>

namespace memsim::workload {

namespace {

constexpr unsigned version = 1;
// Limits of the data held at once, because a byte of a compressed file may expand to thousands.
constexpr unsigned most_records = 1 << 16;      ///< per batch; memsim writes 4096
constexpr std::size_t largest_frame = 16 << 20; ///< unpacked
// The fastest regular level, because traces are written during a simulation.
constexpr int level = 1;

/// Precedes each frame, which is a TraceFrame compressed by zstd.
struct FrameHead {
    std::uint32_t packed_bytes = 0;
    std::uint32_t checksum = 0; ///< the lower half of XXH3 over the compressed bytes
};
static_assert(sizeof(FrameHead) == 8);

std::uint32_t checksum_of(std::string_view bytes) {
    return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

class Reader final : public TraceReader {
  public:
    explicit Reader(std::unique_ptr<InputFile> file) : file_(std::move(file)) {
        char magic[magic_bytes];
        file_->read(magic, sizeof magic, "the magic number");
        if (std::memcmp(magic, memsim_magic.data(), sizeof magic) != 0)
            file_->refuse("is not a memsim trace, or has an unsupported version");
        read_frame();
        if (!frame_.has_header()) damaged("it does not begin with a header");
        header_ = frame_.header();
        if (header_.version() != version)
            file_->refuse("is of version " + std::to_string(header_.version()) +
                          " of memsim's traces; only version " + std::to_string(version) +
                          " is supported");
        place_.byte = file_->place().byte;
    }

    void go_to(const TracePlace& place) override {
        file_->go_to({0, place.byte});
        place_ = place;
        place_.index = 0;
        records_.clear();
        if (place.index == 0) return;
        if (!load_batch() || place.index > records_.size())
            damaged("a batch is shorter than when it was last read");
        for (; place_.index < place.index; ++place_.index)
            content_at_ += header_.contents() ? records_[place_.index].bytes : 0;
    }
    bool timed() const override { return header_.timed(); }
    std::vector<std::pair<std::string, std::string>> about() const override {
        return {{"recorded", legible(header_.origin())},
                {"contents", header_.contents() ? "yes" : "no"}};
    }
    std::string_view contents() const override { return contents_; }

  private:
    [[noreturn]] void damaged(const std::string& what) const {
        file_->refuse_byte("the trace is damaged: " + what);
    }

    void refuse(const std::string& what) const override { damaged(what); }
    bool read(TraceRecord& r) override {
        if (place_.index == records_.size() && !load_batch()) return false;
        r = records_[place_.index++];
        if (header_.contents()) {
            contents_ = std::string_view(frame_.batch().contents()).substr(content_at_, r.bytes);
            content_at_ += r.bytes;
        }
        if (place_.index == records_.size()) { // the position is the start of the next batch
            place_.byte = file_->place().byte;
            place_.index = 0;
            records_.clear();
        }
        return true;
    }

    void read_frame() {
        FrameHead head;
        file_->read(&head, sizeof head, "the head of a frame (a trace must end with an end frame)");
        if (head.packed_bytes > largest_frame) damaged("a frame of more than 16 MiB");
        packed_ = file_->read_array<char>(head.packed_bytes, "a frame");
        if (checksum_of({packed_.data(), packed_.size()}) != head.checksum)
            damaged("the checksum of a frame is wrong");
        const auto size = ZSTD_getFrameContentSize(packed_.data(), packed_.size());
        if (size > largest_frame) // error codes are larger
            damaged("a frame expands to more than 16 MiB, or does not state its size");
        unpacked_.resize(size);
        if (ZSTD_decompressDCtx(context_.get(), unpacked_.data(), size, packed_.data(),
                                packed_.size()) != size ||
            !frame_.ParseFromString(unpacked_))
            damaged("a frame cannot be decompressed");
    }

    bool load_batch() {
        if (ended_) return false;
        place_.byte = file_->place().byte;
        read_frame();
        if (frame_.has_end()) {
            if (frame_.end().records() != place_.records)
                damaged("it holds " + std::to_string(place_.records) +
                        " records, but its end frame states " +
                        std::to_string(frame_.end().records()));
            if (!file_->at_end()) damaged("data follow its end");
            ended_ = true;
            return false;
        }
        if (!frame_.has_batch()) damaged("it contains a second header");
        unfold(frame_.batch());
        return true;
    }

    /// Sets a field of all records: one value each, one value for all, or 0.
    template <class Column, class Set>
    void fill(const Column& column, const char* name, Set&& set) {
        const std::size_t n = records_.size(), have = static_cast<std::size_t>(column.size());
        if (have == n) {
            const auto* value = column.data();
            for (std::size_t i = 0; i < n; ++i) set(records_[i], value[i]);
        } else if (have == 1) {
            for (TraceRecord& r : records_) set(r, column[0]);
        } else if (have != 0) {
            damaged("the column '" + std::string(name) + "' has " + std::to_string(have) +
                    " values for " + std::to_string(n) + " records");
        }
    }
    void unfold(const proto::TraceBatch& b) {
        if (b.records() == 0 || b.records() > most_records)
            damaged("a batch of " + std::to_string(b.records()) + " records");
        records_.assign(b.records(), {});
        std::uint64_t time = 0, address = 0, pc = 0;
        fill(b.time(), "time", [&](TraceRecord& r, std::int64_t d) {
            r.time = static_cast<std::int64_t>(time += static_cast<std::uint64_t>(d));
        });
        fill(b.address(), "address", [&](TraceRecord& r, std::int64_t d) {
            r.address = address += static_cast<std::uint64_t>(d);
        });
        fill(b.bytes(), "bytes", [](TraceRecord& r, std::uint32_t v) { r.bytes = v; });
        bool known = true;
        fill(b.command(), "command", [&](TraceRecord& r, char v) {
            known &= v >= 0 && v <= static_cast<char>(TraceCommandKind::atomic);
            r.command = static_cast<TraceCommandKind>(v);
        });
        if (!known) damaged("a command that is not read, write or atomic");
        fill(b.application(), "application", [](TraceRecord& r, std::uint32_t v) {
            r.application = static_cast<std::uint16_t>(v);
        });
        fill(b.pc(), "pc",
             [&](TraceRecord& r, std::int64_t d) { r.pc = pc += static_cast<std::uint64_t>(d); });
        fill(b.warp(), "warp", [](TraceRecord& r, std::uint32_t v) { r.warp = v; });
        fill(b.sectors(), "sectors",
             [](TraceRecord& r, std::uint32_t v) { r.sectors = static_cast<std::uint16_t>(v); });
        content_at_ = 0;
        if (!header_.contents()) return;
        std::uint64_t bytes = 0;
        for (const TraceRecord& r : records_) bytes += r.bytes;
        if (bytes != b.contents().size())
            damaged("the contents are " + std::to_string(b.contents().size()) + " bytes of " +
                    std::to_string(bytes));
    }

    struct Free {
        void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
    };
    std::unique_ptr<InputFile> file_;
    std::unique_ptr<ZSTD_DCtx, Free> context_ {ZSTD_createDCtx()};
    proto::TraceHeader header_;
    proto::TraceFrame frame_;
    std::vector<char> packed_;
    std::string unpacked_;
    std::vector<TraceRecord> records_; ///< of the batch; empty: none is loaded
    std::string_view contents_;
    std::size_t content_at_ = 0;
    bool ended_ = false;
};

class Encoder final : public TraceEncoder {
  public:
    void head(const TraceHead& h, std::string& out) override {
        out.append(memsim_magic.data(), magic_bytes);
        proto::TraceHeader& header = *frame_.mutable_header();
        header.set_version(version);
        header.set_origin(h.origin);
        header.set_timed(h.timed);
        header.set_contents(h.contents);
        append_frame(out);
    }
    void batch(const std::vector<TraceRecord>& records, std::string_view contents,
               std::string& out) override {
        proto::TraceBatch& b = *frame_.mutable_batch();
        b.Clear();
        b.set_records(static_cast<std::uint32_t>(records.size()));
        std::uint64_t time = 0, address = 0, pc = 0;
        const auto difference = [](std::uint64_t to, std::uint64_t& from) {
            const std::uint64_t d = to - from;
            from = to;
            return static_cast<std::int64_t>(d);
        };
        // A column of differences is omitted if all its values are 0.
        if (any(records, [](const TraceRecord& r) { return r.time != 0; }))
            for (const TraceRecord& r : records)
                b.add_time(difference(static_cast<std::uint64_t>(r.time), time));
        for (const TraceRecord& r : records) b.add_address(difference(r.address, address));
        if (any(records, [](const TraceRecord& r) { return r.pc != 0; }))
            for (const TraceRecord& r : records) b.add_pc(difference(r.pc, pc));
        column(
            records, [](const TraceRecord& r) { return r.bytes; },
            [&](std::uint32_t v) { b.add_bytes(v); });
        column(
            records, [](const TraceRecord& r) { return static_cast<char>(r.command); },
            [&](char v) { b.mutable_command()->push_back(v); });
        column(
            records, [](const TraceRecord& r) { return r.application; },
            [&](std::uint32_t v) { b.add_application(v); });
        column(
            records, [](const TraceRecord& r) { return r.warp; },
            [&](std::uint32_t v) { b.add_warp(v); });
        column(
            records, [](const TraceRecord& r) { return r.sectors; },
            [&](std::uint32_t v) { b.add_sectors(v); });
        b.set_contents(contents.data(), contents.size());
        append_frame(out);
    }
    void end(std::uint64_t records, std::string& out) override {
        frame_.mutable_end()->set_records(records);
        append_frame(out);
    }

  private:
    template <class F>
    static bool any(const std::vector<TraceRecord>& records, F&& f) {
        for (const TraceRecord& r : records)
            if (f(r)) return true;
        return false;
    }
    /// Writes nothing if all values are 0, and one value if all are equal.
    template <class Get, class Add>
    static void column(const std::vector<TraceRecord>& records, Get&& get, Add&& add) {
        const auto first = get(records.front());
        if (!any(records, [&](const TraceRecord& r) { return get(r) != first; })) {
            if (first != 0) add(first);
            return;
        }
        for (const TraceRecord& r : records) add(get(r));
    }
    void append_frame(std::string& out) {
        frame_.SerializeToString(&raw_);
        packed_.resize(ZSTD_compressBound(raw_.size()));
        const std::size_t n = ZSTD_compressCCtx(context_.get(), packed_.data(), packed_.size(),
                                                raw_.data(), raw_.size(), level);
        MEMSIM_ASSERT(!ZSTD_isError(n), ZSTD_getErrorName(n));
        packed_.resize(n);
        const FrameHead head {static_cast<std::uint32_t>(n), checksum_of(packed_)};
        out.append(reinterpret_cast<const char*>(&head), sizeof head);
        out += packed_;
    }

    struct Free {
        void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
    };
    std::unique_ptr<ZSTD_CCtx, Free> context_ {ZSTD_createCCtx()};
    proto::TraceFrame frame_;
    std::string raw_, packed_;
};

const Named<TraceFormat> memsim_format {
    "memsim",
    {.title = "memsim",
     .notes = "columns in batches: docs/traces.md",
     .written = true,
     .detect = [](const FileHead& h) { return h.bytes.starts_with(memsim_magic.substr(0, 13)); },
     .open = [](std::unique_ptr<InputFile> file, const TraceOptions&)
         -> std::unique_ptr<TraceReader> { return std::make_unique<Reader>(std::move(file)); }}};

} // namespace

std::unique_ptr<TraceEncoder> memsim_encoder() { return std::make_unique<Encoder>(); }

} // namespace memsim::workload
