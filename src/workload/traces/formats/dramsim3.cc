#include "workload/traces/formats/text_reader.hh"

namespace memsim::workload {

namespace {

/// Operations of DRAMsim3, DRAMSim2 and of traces written for them, in upper case.
constexpr std::array<std::pair<std::string_view, TraceCommandKind>, 14> operations {
    {{"READ", TraceCommandKind::read},
     {"WRITE", TraceCommandKind::write},
     {"R", TraceCommandKind::read},
     {"W", TraceCommandKind::write},
     {"RD", TraceCommandKind::read},
     {"WR", TraceCommandKind::write},
     {"P_MEM_RD", TraceCommandKind::read},
     {"P_MEM_WR", TraceCommandKind::write},
     {"P_FETCH", TraceCommandKind::read},
     {"IFETCH", TraceCommandKind::read},
     {"P_LOCK_RD", TraceCommandKind::read},
     {"P_IO_RD", TraceCommandKind::read},
     {"P_IO_WR", TraceCommandKind::write},
     {"BOFF", TraceCommandKind::write}}};

class DramSim3 final : public CycleReader {
    using CycleReader::CycleReader;
    bool parse(Words& words, TraceRecord& r) override {
        r.address = words.hex("the address");
        std::string word(words.word("the operation"));
        for (char& c : word)
            if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        const auto* of = std::find_if(operations.begin(), operations.end(),
                                      [&](const auto& o) { return o.first == word; });
        if (of == operations.end()) {
            std::string all;
            for (const auto& o : operations)
                all += (all.empty() ? "" : ", ") + std::string(o.first);
            words.wrong("the operation", "one of " + all);
        }
        r.command = of->second;
        r.time = static_cast<std::int64_t>(words.number("the cycle", most_time));
        words.end("address operation cycle");
        return true;
    }
};

const Named<TraceFormat> dramsim3 {
    "dramsim3",
    {.title = "DRAMsim3",
     .shape = "address READ|WRITE cycle",
     .notes = "also DRAMSim2's `P_MEM_RD` and others, and `R`, `W`, `RD`, `WR`",
     .written = true,
     .detect =
         [](const FileHead& h) {
             return h.words.size() == 3 && !is_number(h.words[1]) && is_number(h.words[2]) &&
                    h.words[0] != "LD" && h.words[0] != "ST";
         },
     .open = reader_of<DramSim3>}};

} // namespace

} // namespace memsim::workload
