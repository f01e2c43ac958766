#include "../target.hh"

#include "input_files/input_file.hh"
#include "workload/graph/input/graph_reader.hh"
#include "workload/neural/network.hh"
#include "workload/stencil/bitmap.hh"

/// Inputs of workloads. What is packed (gzip, xz) is read by all of them.
namespace memsim::test {

namespace {

const FuzzTargetFor graph {
    "graph", [](std::string_view bytes) { (void)workload::read_graph(file_of(bytes)); }};

const FuzzTargetFor bitmap {"bitmap", [](std::string_view bytes) {
                                input_files::InputFile file(file_of(bytes));
                                (void)workload::read_bitmap(file);
                            }};

/// A .cfg; behind the first zero byte the weights.
const FuzzTargetFor network {
    "network", [](std::string_view bytes) {
        const std::size_t end = std::min(bytes.find('\0'), bytes.size());
        auto read = workload::read_cfg(file_of(bytes.substr(0, end), "cfg"), 8);
        if (end == bytes.size()) return;
        workload::read_weights(file_of(bytes.substr(end + 1), "weights"), read);
    }};

/// Lines and bytes in turn, as the first byte asks for: all that the readers above take from.
const FuzzTargetFor packed {"packed", [](std::string_view bytes) {
                                if (bytes.empty()) return;
                                const auto most = static_cast<unsigned char>(bytes[0]);
                                input_files::InputFile file(file_of(bytes.substr(1)));
                                std::string_view line;
                                while (file.next_line(line)) {
                                    char some[256];
                                    const std::size_t n = file.peek(most).size();
                                    file.read(some, n, "what was looked at");
                                }
                            }};

} // namespace

} // namespace memsim::test
