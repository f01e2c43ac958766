#include "input_files/words.hh"
#include "workload/graph/input/graph_reader.hh"

namespace memsim::workload {

using input_files::Words;

namespace {

/// The next line that is not empty.
Words line_of(InputFile& file, std::string_view what) {
    for (std::string_view line; file.next_line(line);)
        if (Words words(file, line); !words.empty()) return words;
    file.refuse("ends where " + std::string(what) +
                " should follow: it is cut off; fetch it again");
}

} // namespace

Csr read_rodinia(InputFile& file, std::uint32_t* source) {
    Words first = line_of(file, "the number of vertices");
    const std::uint64_t vertices = first.number("the number of vertices", 1, 0xfffffffe);
    first.end("vertices");
    Csr graph {static_cast<std::uint32_t>(vertices), {0}, {}};
    for (std::uint64_t v = 0; v < vertices; ++v) {
        Words row = line_of(file, "a vertex 'start count'");
        if (row.number("where its arcs start", 0, 0xffffffff) != graph.row.back())
            file.refuse_line("the arcs of vertex " + std::to_string(v) + " must start at " +
                             std::to_string(graph.row.back()) + ", where those before end");
        const auto count = row.number("the number of its arcs", 0, 0xffffffff - graph.row.back());
        row.end("start count");
        graph.row.push_back(graph.row.back() + static_cast<std::uint32_t>(count));
    }
    Words start = line_of(file, "the source");
    const auto from = start.number("the source", 0, vertices - 1);
    start.end("source");
    if (source) *source = static_cast<std::uint32_t>(from);
    Words arcs = line_of(file, "the number of arcs");
    arcs.number("the number of arcs (as the vertices add up)", graph.row.back(), graph.row.back());
    arcs.end("arcs");
    for (std::uint32_t i = 0; i < graph.row.back(); ++i) {
        Words arc = line_of(file, "an arc 'target weight'");
        graph.col.push_back(
            static_cast<std::uint32_t>(arc.number("the target vertex", 0, vertices - 1)));
        arc.number("the weight", 0, ~std::uint64_t {0});
        arc.end("target weight");
    }
    for (std::string_view line; file.next_line(line);)
        if (!Words(file, line).empty())
            file.refuse_line("more arcs than the " + std::to_string(graph.row.back()) +
                             " that its vertices have");
    return graph;
}

} // namespace memsim::workload
