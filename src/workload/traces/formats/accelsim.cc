#include "workload/traces/address_trace.hh"

namespace memsim::workload {

namespace {

bool detect(const FileHead& head) {
    return head.bytes.starts_with("-kernel") || head.line.starts_with("Memcpy") ||
           (head.line.find(".traceg") != head.line.npos && head.words.size() == 1);
}

const Named<TraceFormat> accelsim {
    "accelsim",
    {.title = "Accel-Sim",
     .notes = "`kernelslist.g`, `.traceg`, also compressed by gzip or xz; versions 3 to 6 of the "
              "tracer: instructions, not addresses",
     .played_by = "`workload.TraceProgram`",
     .detect = detect,
     .open = [](std::unique_ptr<InputFile> file,
                const TraceOptions&) -> std::unique_ptr<TraceReader> {
         file->refuse("is an Accel-Sim trace of instructions, not of addresses: "
                      "workload.TraceProgram plays it");
     }}};

} // namespace

bool is_accelsim(const std::string& path) {
    InputFile file(path);
    return detect(FileHead(file.peek(4096)));
}

} // namespace memsim::workload
