#include "input_files/words.hh"
#include "workload/graph/input/graph_reader.hh"

namespace memsim::workload {

using input_files::Words;

Csr read_dimacs(InputFile& file) {
    std::vector<Arc> arcs;
    bool announced = false, shortest_path = false;
    std::uint64_t vertices = 0, lines = 0, seen = 0;
    for (std::string_view line; file.next_line(line);) {
        if (line == "c" || line.starts_with("c ") || line.starts_with("c\t")) continue;
        Words words(file, line);
        if (words.empty()) continue;
        if (line.starts_with("p")) {
            if (announced) file.refuse_line("a second 'p' line; a file holds one graph");
            words.word("'p'");
            const std::string_view kind = words.word("the kind of problem");
            if (kind != "sp" && kind != "tw")
                words.refuse("a problem of kind '" + std::string(kind) +
                             "', where 'sp' (arcs 'a u v w') or 'tw' (edges 'u v') is right");
            shortest_path = kind == "sp";
            vertices = words.number("the number of vertices", 0, 0xfffffffe);
            lines = words.number("the number of edges", 0, 0xffffffff);
            words.end("p kind vertices edges");
            announced = true;
            continue;
        }
        if (!announced)
            file.refuse_line(
                "an edge before the line 'p sp|tw vertices edges', which must come first");
        if (++seen > lines)
            file.refuse_line("more edges than the " + std::to_string(lines) +
                             " stated by the 'p' line");
        if (shortest_path && words.word("'a'") != "a")
            words.refuse("'a from to length' was expected, or a comment 'c ...'");
        const auto from = static_cast<std::uint32_t>(words.number("the first vertex", 1, vertices));
        const auto to = static_cast<std::uint32_t>(words.number("the second vertex", 1, vertices));
        if (shortest_path) words.number("the length", 0, ~std::uint64_t {0});
        words.end(shortest_path ? "a from to length" : "from to");
        arcs.emplace_back(from - 1, to - 1);
        if (!shortest_path && from != to) arcs.emplace_back(to - 1, from - 1);
    }
    if (!announced) file.refuse("has no line 'p sp|tw vertices edges'");
    if (seen < lines)
        file.refuse("announces " + std::to_string(lines) + " edges but holds " +
                    std::to_string(seen) + ": it is cut off; fetch it again");
    check_vertices(file, vertices, seen);
    return rows_of(static_cast<std::uint32_t>(vertices), arcs);
}

} // namespace memsim::workload
