#include "workload/traces/formats/text_reader.hh"

namespace memsim::workload {

namespace {

/// '0,20941264,8192,W,0.551706': unit, block of 512 bytes, bytes, operation, seconds. Further
/// optional fields are ignored.
class Spc final : public CommaReader {
    using CommaReader::CommaReader;
    bool parse_fields(Words& words, TraceRecord& r) override {
        r.application = static_cast<std::uint16_t>(words.number("the storage unit", 65535));
        r.address = block(words, "the block");
        r.bytes = size(words, "the bytes");
        const std::string_view op = words.word("the operation");
        if (!is_one_of(op, {"r", "R", "w", "W"})) words.wrong("the operation", "R or W");
        if (op == "w" || op == "W") r.command = TraceCommandKind::write;
        r.time = seconds(words, "the time");
        return true;
    }
};

const Named<TraceFormat> spc {
    "spc",
    {.title = "SPC",
     .shape = "unit,block,bytes,R|W,seconds",
     .notes = "I/O traces of the Storage Performance Council, such as Financial1 and WebSearch1",
     .detect =
         [](const FileHead& h) {
             return h.fields.size() >= 5 && h.words[0].find(',') != h.line.npos &&
                    is_number(h.fields[0]) && is_number(h.fields[1]) && is_number(h.fields[2]) &&
                    is_one_of(h.fields[3], {"r", "R", "w", "W"}) && is_decimal(h.fields[4]);
         },
     .open = reader_of<Spc>}};

} // namespace

} // namespace memsim::workload
