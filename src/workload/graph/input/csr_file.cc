#include "workload/graph/input/graph_reader.hh"

#include <algorithm>
#include <bit>

namespace memsim::workload {

static_assert(std::endian::native == std::endian::little, "words are read without conversion");

Csr read_csr_file(InputFile& file) {
    struct {
        char magic[4];
        std::uint32_t vertices, arcs;
    } header;
    file.read(&header, sizeof header, "the header");
    if (header.vertices == 0xffffffff)
        file.refuse_byte("4294967295 vertices, where at most 4294967294 is right");
    Csr graph {header.vertices, {}, {}};
    graph.row =
        file.read_array<std::uint32_t>(std::uint64_t {header.vertices} + 1, "the row offsets");
    graph.col = file.read_array<std::uint32_t>(header.arcs, "the columns");
    if (!file.at_end())
        file.refuse_byte("more bytes follow the " + std::to_string(header.arcs) +
                         " columns stated in the header");
    validate(graph, file.path());
    for (std::uint32_t v = 0; v < graph.vertices; ++v)
        std::sort(graph.col.begin() + graph.row[v], graph.col.begin() + graph.row[v + 1]);
    return graph;
}

} // namespace memsim::workload
