#include "files/block_trace.hh"
#include "files/words.hh"
#include "workload/traces/readers.hh"

#include <algorithm>
#include <charconv>
#include <limits>

namespace memsim::workload {

using files::Words;

namespace {

/// What the formats of one line for each record have in common.
class TextReader : public TraceReader {
  public:
    TextReader(std::unique_ptr<InputFile> file, const TraceOptions& options)
        : file_(std::move(file)), options_(options) {}

    void go_to(const TracePlace& place) override {
        file_->go_to({place.line, place.byte});
        place_ = place;
    }
    bool in_time_units() const override { return options_.unit.raw > 0; }

  protected:
    bool read(TraceRecord& r) override {
        std::string_view line;
        if (!next_text(*file_, line)) return false;
        Words words(*file_, line);
        r = {};
        r.bytes = options_.bytes;
        parse(words, r);
        place_.line = file_->place().line;
        place_.byte = file_->place().byte;
        return true;
    }
    virtual void parse(Words& words, TraceRecord& r) = 0;
    /// The trace's own number of units as a time.
    std::int64_t time_of(const Words& words, std::uint64_t units) const {
        const Int128 t = Int128 {static_cast<std::int64_t>(units)} *
                         (options_.unit.raw > 0 ? options_.unit.raw : 1);
        if (t >= Int128 {std::numeric_limits<std::int64_t>::max()})
            words.refuse("the time is beyond the end of simulated time");
        return static_cast<std::int64_t>(t);
    }

    std::unique_ptr<InputFile> file_;
    TraceOptions options_;
};

constexpr std::uint64_t most_time = (std::uint64_t {1} << 63) - 1;

/// '0x2000D5C0 READ 30': DRAMsim3 takes these four words as writes, all others as reads.
class DramSim3 final : public TextReader {
    using TextReader::TextReader;
    void parse(Words& words, TraceRecord& r) override {
        r.address = words.hex("the address");
        const std::string_view op = words.word("the operation");
        if (op[0] >= '0' && op[0] <= '9')
            words.wrong("the operation", "READ, WRITE or another word of DRAMsim3");
        if (op == "WRITE" || op == "write" || op == "P_MEM_WR" || op == "BOFF")
            r.command = TraceCommandKind::write;
        const std::uint64_t cycle = words.number("the cycle", most_time);
        r.time = time_of(words, cycle);
        words.end("address operation cycle");
    }
};

/// 'LD 0x40', 'ST 64'
class LoadStore final : public TextReader {
    using TextReader::TextReader;
    bool timed() const override { return false; }
    void parse(Words& words, TraceRecord& r) override {
        const std::string_view op = words.word("the operation");
        if (op != "LD" && op != "ST") words.wrong("the operation", "LD or ST");
        if (op == "ST") r.command = TraceCommandKind::write;
        r.address = words.either("the address");
        words.end("LD|ST address");
    }
};

/// 'R 0,1,3,2,4096,17': the parts of a DRAM address, of which `geometry` makes a linear one.
class ReadWrite final : public TextReader {
  public:
    ReadWrite(std::unique_ptr<InputFile> file, const TraceOptions& options)
        : TextReader(std::move(file), options) {
        if (options_.geometry.size() != 6)
            file_->refuse(
                "holds addresses as channel,rank,bank group,bank,row,column, and how many "
                "of each there are is not in it: state the geometry, such as "
                "1,2,4,4,65536,128");
    }

  private:
    bool timed() const override { return false; }
    void parse(Words& words, TraceRecord& r) override {
        const std::string_view op = words.word("the operation");
        if (op != "R" && op != "W") words.wrong("the operation", "R or W");
        if (op == "W") r.command = TraceCommandKind::write;
        std::string parts(words.word("the address"));
        if (static_cast<std::size_t>(std::count(parts.begin(), parts.end(), ',')) != 5)
            words.wrong("the address", "channel,rank,bank group,bank,row,column");
        std::size_t from = 0;
        for (const std::uint64_t size : options_.geometry) {
            const std::size_t end = std::min(parts.find(',', from), parts.size());
            std::uint64_t n = 0;
            const auto [last, error] = std::from_chars(parts.data() + from, parts.data() + end, n);
            if (error != std::errc {} || last != parts.data() + end || n >= size)
                words.wrong("the address", "one inside the stated geometry");
            r.address = r.address * size + n;
            from = end + 1;
        }
        r.address *= options_.bytes;
        words.end("R|W channel,rank,bank group,bank,row,column");
    }
};

/// '3 20734016 [20734080]': instructions before a load, its address, and that of a write-back. An
/// instruction is a unit of time, as if one went a cycle.
class SimpleO3 final : public TextReader {
    using TextReader::TextReader;
    bool read(TraceRecord& r) override {
        if (place_.index == 0) return TextReader::read(r);
        place_.index = 0;
        r = {};
        r.time = place_.time * std::max<std::int64_t>(options_.unit.raw, 1);
        r.bytes = options_.bytes;
        r.command = TraceCommandKind::write;
        r.address = place_.held;
        return true;
    }
    void parse(Words& words, TraceRecord& r) override {
        place_.time +=
            static_cast<std::int64_t>(words.number("the instructions before the load", 1u << 31)) +
            1;
        r.time = time_of(words, static_cast<std::uint64_t>(place_.time));
        r.address = words.number("the address of the load");
        place_.index = words.empty() ? 0 : 1;
        if (place_.index) place_.held = words.number("the address of the write-back");
        words.end("instructions load [write-back]");
    }
};

/// '1000 0 2048 8 1': parts/block_trace.hh
class MqSim final : public TraceReader {
  public:
    MqSim(std::unique_ptr<InputFile> file, const TraceOptions& options) : unit_(options.unit.raw) {
        if (unit_ <= 0)
            file->refuse("is a block trace of MQSim, and the unit of its arrival times is not in "
                         "it: state the unit, such as 1ns");
        trace_.emplace(std::move(file), (1u << 31) / files::block_trace_sector);
    }
    void go_to(const TracePlace& place) override { place_ = place; }

  private:
    bool read(TraceRecord& r) override {
        files::BlockTrace::Place place {place_.byte, place_.line, place_.time};
        const auto record = trace_->next(place);
        if (!record) return false;
        place_.byte = place.byte, place_.line = place.line, place_.time = place.arrival;
        r = {};
        if (record->arrival > std::numeric_limits<std::int64_t>::max() / unit_)
            trace_->refuse("the time is beyond the end of simulated time");
        r.time = record->arrival * unit_;
        r.application = record->device;
        r.address = record->sector * files::block_trace_sector;
        r.bytes = static_cast<std::uint32_t>(record->sectors * files::block_trace_sector);
        if (record->write) r.command = TraceCommandKind::write;
        return true;
    }

    std::int64_t unit_;
    std::optional<files::BlockTrace> trace_;
};

} // namespace

TraceFormat text_format(InputFile& file, const std::string& first) {
    const std::size_t begin = first.find_first_not_of(" \t");
    std::vector<std::string_view> words;
    for (std::size_t at = begin; at < first.size();) {
        const std::size_t end = std::min(first.find_first_of(" \t\r", at), first.size());
        words.push_back(std::string_view(first).substr(at, end - at));
        at = std::min(first.find_first_not_of(" \t\r", end), first.size());
    }
    const auto digits = [](std::string_view w) {
        return !w.empty() && w.find_first_not_of("0123456789") == w.npos;
    };
    const bool all_digits = std::all_of(words.begin(), words.end(), digits);
    if (words.size() == 2 && (words[0] == "LD" || words[0] == "ST"))
        return TraceFormat::ramulator_load_store;
    if (words.size() == 2 && (words[0] == "R" || words[0] == "W"))
        return TraceFormat::ramulator_read_write;
    if (words.size() == 5 && all_digits) return TraceFormat::mqsim;
    if ((words.size() == 2 || words.size() == 3) && all_digits) return TraceFormat::ramulator_o3;
    if (words.size() == 3 && !digits(words[1]) && digits(words[2])) return TraceFormat::dramsim3;
    file.refuse("is no trace in a known format: its first line is none of 'address READ|WRITE "
                "cycle' (DRAMsim3), 'LD|ST address', 'R|W c,r,bg,b,row,col' or 'instructions load "
                "[write-back]' (Ramulator), 'arrival device sector sectors type' (MQSim), and it "
                "does not begin as a trace of gem5 or memsim");
}

std::unique_ptr<TraceReader> text_reader(std::unique_ptr<InputFile> file,
                                         const TraceOptions& options) {
    switch (options.format) {
    case TraceFormat::dramsim3:
        return std::make_unique<DramSim3>(std::move(file), options);
    case TraceFormat::ramulator_load_store:
        return std::make_unique<LoadStore>(std::move(file), options);
    case TraceFormat::ramulator_read_write:
        return std::make_unique<ReadWrite>(std::move(file), options);
    case TraceFormat::ramulator_o3:
        return std::make_unique<SimpleO3>(std::move(file), options);
    default:
        return std::make_unique<MqSim>(std::move(file), options);
    }
}

} // namespace memsim::workload
