#include "workload/fields.hh"
#include "workload/graph/input/graph_reader.hh"

namespace memsim::workload {

Csr read_dimacs(InputFile& file) {
    std::vector<Arc> arcs;
    bool announced = false, shortest_path = false;
    std::uint64_t vertices = 0, lines = 0, seen = 0;
    for (std::string_view line; file.next_line(line);) {
        if (line == "c" || line.starts_with("c ") || line.starts_with("c\t")) continue;
        Fields fields(file, line);
        if (fields.empty()) continue;
        if (line.starts_with("p")) {
            if (announced) file.refuse_line("a second 'p' line; a file holds one graph");
            fields.word("'p'");
            const std::string_view kind = fields.word("the kind of problem");
            if (kind != "sp" && kind != "tw")
                fields.refuse("a problem of kind '" + std::string(kind) +
                              "', where 'sp' (arcs 'a u v w') or 'tw' (edges 'u v') is right");
            shortest_path = kind == "sp";
            vertices = fields.number("the number of vertices", 0, 0xfffffffe);
            lines = fields.number("the number of edges", 0, 0xffffffff);
            fields.end("p kind vertices edges");
            announced = true;
            continue;
        }
        if (!announced)
            file.refuse_line(
                "an edge before the line 'p sp|tw vertices edges', which must come first");
        if (++seen > lines)
            file.refuse_line("more edges than the " + std::to_string(lines) +
                             " stated by the 'p' line");
        if (shortest_path && fields.word("'a'") != "a")
            fields.refuse("'a from to length' was expected, or a comment 'c ...'");
        const auto from =
            static_cast<std::uint32_t>(fields.number("the first vertex", 1, vertices));
        const auto to = static_cast<std::uint32_t>(fields.number("the second vertex", 1, vertices));
        if (shortest_path) fields.number("the length", 0, ~std::uint64_t {0});
        fields.end(shortest_path ? "a from to length" : "from to");
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
