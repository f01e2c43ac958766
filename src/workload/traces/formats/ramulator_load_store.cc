#include "workload/traces/formats/text_reader.hh"

namespace memsim::workload {

namespace {

class LoadStore final : public CycleReader {
    using CycleReader::CycleReader;
    bool timed() const override { return false; }
    bool parse(Words& words, TraceRecord& r) override {
        const std::string_view op = words.word("the operation");
        if (op != "LD" && op != "ST") words.wrong("the operation", "LD or ST");
        if (op == "ST") r.command = TraceCommandKind::write;
        r.address = words.either("the address");
        words.end("LD|ST address");
        return true;
    }
};

const Named<TraceFormat> load_store {
    "ramulator_load_store",
    {.title = "Ramulator 2",
     .shape = "LD|ST address",
     .notes = "LoadStoreTrace",
     .detect =
         [](const FileHead& h) {
             return h.words.size() == 2 && is_one_of(h.words[0], {"LD", "ST"});
         },
     .open = reader_of<LoadStore>}};

} // namespace

} // namespace memsim::workload
