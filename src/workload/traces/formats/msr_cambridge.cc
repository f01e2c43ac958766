#include "workload/traces/formats/text_reader.hh"

namespace memsim::workload {

namespace {

/// '128166372003061629,src1,0,Read,383496192,32768,113736': time in units of 100 ns since 1601,
/// host, disk, operation, first byte, bytes, and a response time, which is ignored.
class MsrCambridge final : public CommaReader {
  public:
    MsrCambridge(std::unique_ptr<InputFile> file, const TraceOptions& options)
        : CommaReader(std::move(file), options) {
        unit_ = (100_ns).raw;
    }
    bool dated() const override { return true; }

  private:
    bool parse_fields(Words& words, TraceRecord& r) override {
        r.time = static_cast<std::int64_t>(words.number("the time", most_time));
        words.word("the host");
        r.application = static_cast<std::uint16_t>(words.number("the disk", 65535));
        const std::string_view op = words.word("the operation");
        if (op != "Read" && op != "Write") words.wrong("the operation", "Read or Write");
        if (op == "Write") r.command = TraceCommandKind::write;
        r.address = words.number("the first byte");
        r.bytes = size(words, "the bytes");
        words.number("the response time");
        words.end("time,host,disk,Read|Write,first byte,bytes,response time");
        return true;
    }
};

const Named<TraceFormat> msr {
    "msr_cambridge",
    {.title = "MSR Cambridge",
     .shape = "time,host,disk,Read|Write,first byte,bytes,response time",
     .notes = "block traces of SNIA's collection, `.csv`; times are counted from the first record",
     .detect =
         [](const FileHead& h) {
             return h.fields.size() == 7 && is_number(h.fields[0]) &&
                    is_one_of(h.fields[3], {"Read", "Write"});
         },
     .open = reader_of<MsrCambridge>}};

} // namespace

} // namespace memsim::workload
