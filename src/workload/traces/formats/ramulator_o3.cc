#include "workload/traces/formats/text_reader.hh"

namespace memsim::workload {

namespace {

/// '3 20734016 [20734080]': the number of instructions before a load, its address, and the address
/// of a write-back. An instruction counts as a unit of time, as if one were executed per cycle.
class SimpleO3 final : public CycleReader {
    using CycleReader::CycleReader;
    bool read(TraceRecord& r) override {
        if (place_.index == 0) return CycleReader::read(r);
        place_.index = 0;
        r = {};
        r.time = place_.time;
        r.bytes = options_.bytes;
        r.command = TraceCommandKind::write;
        r.address = place_.held;
        return true;
    }
    bool parse(Words& words, TraceRecord& r) override {
        const std::uint64_t before = words.number("the instructions before the load", 1u << 31);
        if (__builtin_add_overflow(place_.time, static_cast<std::int64_t>(before) + 1,
                                   &place_.time))
            words.refuse("the instructions add up to more than 2^63");
        r.time = place_.time;
        r.address = words.number("the address of the load");
        place_.index = words.empty() ? 0 : 1;
        if (place_.index) place_.held = words.number("the address of the write-back");
        words.end("instructions load [write-back]");
        return true;
    }
};

const Named<TraceFormat> o3 {
    "ramulator_o3",
    {.title = "Ramulator",
     .shape = "instructions load [write-back]",
     .notes =
         "SimpleO3 of Ramulator 2, CPU traces of Ramulator 1; an instruction is a unit of time",
     .detect =
         [](const FileHead& h) {
             return (h.words.size() == 2 || h.words.size() == 3) && are_numbers(h.words);
         },
     .open = reader_of<SimpleO3>}};

} // namespace

} // namespace memsim::workload
