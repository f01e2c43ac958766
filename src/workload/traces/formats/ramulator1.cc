#include "workload/traces/formats/text_reader.hh"

namespace memsim::workload {

namespace {

class Ramulator1 final : public CycleReader {
    using CycleReader::CycleReader;
    bool timed() const override { return false; }
    bool parse(Words& words, TraceRecord& r) override {
        r.address = words.either("the address");
        const std::string_view op = words.word("the operation");
        if (op != "R" && op != "W") words.wrong("the operation", "R or W");
        if (op == "W") r.command = TraceCommandKind::write;
        words.end("address R|W");
        return true;
    }
};

const Named<TraceFormat> ramulator1 {"ramulator1",
                                     {.title = "Ramulator 1",
                                      .shape = "address R|W",
                                      .notes = "its DRAM traces; its CPU traces are `ramulator_o3`",
                                      .detect =
                                          [](const FileHead& h) {
                                              return h.words.size() == 2 &&
                                                     is_address(h.words[0]) &&
                                                     !is_number(h.words[1]) &&
                                                     !is_address(h.words[1]);
                                          },
                                      .open = reader_of<Ramulator1>}};

} // namespace

} // namespace memsim::workload
