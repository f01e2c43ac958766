#include "input_files/words.hh"
#include "workload/graph/input/graph_reader.hh"

#include <algorithm>
#include <charconv>

namespace memsim::workload {

using input_files::Words;

namespace {

/// The number of integers in a line, and the largest one; 0 if the line holds another word.
std::size_t numbers_in(std::string_view line, std::uint64_t& largest) {
    std::size_t n = 0;
    constexpr std::string_view blanks = " \t\r";
    for (std::size_t at = line.find_first_not_of(blanks); at < line.size(); ++n) {
        const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
        std::uint64_t number = 0;
        const auto read = std::from_chars(line.data() + at, line.data() + end, number);
        if (read.ec != std::errc {} || read.ptr != line.data() + end) return 0;
        largest = std::max(largest, number);
        at = std::min(line.find_first_not_of(blanks, end), line.size());
    }
    return n;
}

bool next_vertex(InputFile& file, std::string_view& line) {
    while (file.next_line(line))
        if (!line.starts_with('%')) return true;
    return false;
}

} // namespace

bool is_metis(std::string_view head) {
    if (head.starts_with('%')) return true;
    std::size_t first = 0;
    std::uint64_t vertices = 0;
    bool header = true;
    for (std::size_t at = 0; at < head.size();) {
        const std::size_t end = head.find('\n', at);
        if (end == head.npos) return false; // the head may end within this line
        const std::string_view line = head.substr(at, end - at);
        std::uint64_t largest = 0;
        const std::size_t n = numbers_in(line, largest);
        if (header && (n < 2 || n > 4)) return false;
        if (header) {
            first = n;
            const std::size_t begin = line.find_first_not_of(" \t");
            std::from_chars(line.data() + begin, line.data() + line.size(), vertices);
        } else if (first == 2 && largest > vertices)
            return false; // not a neighbour in a graph without weights
        if (!header && n != first && (n > 0 || line.find_first_not_of(" \t\r") == line.npos))
            return n > 0; // a blank line: a vertex without edges, or nothing
        header = false;
        at = end + 1;
    }
    return false;
}

Csr read_metis(InputFile& file) {
    std::string_view line;
    if (!next_vertex(file, line)) file.refuse("has no line 'vertices edges [format]'");
    Words header(file, line);
    const std::uint64_t vertices = header.number("the number of vertices", 0, 0xfffffffe);
    const std::uint64_t edges = header.number("the number of edges", 0, 0x7fffffff);
    const std::string_view format = header.empty() ? "0" : header.word("the format");
    if (format.size() > 3 || format.find_first_not_of("01") != format.npos)
        header.refuse("the format is '" + std::string(format.substr(0, 40)) +
                      "', where up to three digits 0 or 1 are right");
    const auto digit = [&](std::size_t from_end) {
        return format.size() > from_end && format[format.size() - 1 - from_end] == '1';
    };
    const bool edge_weights = digit(0), vertex_weights = digit(1), vertex_sizes = digit(2);
    std::uint64_t before = vertex_sizes ? 1 : 0; // numbers of a vertex before its neighbours
    if (const std::uint64_t weights =
            header.empty() ? 1 : header.number("the weights of a vertex", 1, 255);
        vertex_weights)
        before += weights;
    header.end("vertices edges format weights");
    std::vector<Arc> arcs;
    for (std::uint64_t v = 0; v < vertices; ++v) {
        if (!next_vertex(file, line))
            file.refuse("announces " + std::to_string(vertices) + " vertices but holds " +
                        std::to_string(v) + ": it is cut off; fetch it again");
        Words words(file, line);
        for (std::uint64_t i = 0; i < before; ++i)
            words.number("the weight of a vertex", 0, ~std::uint64_t {0});
        while (!words.empty()) {
            const std::uint64_t to = words.number("a neighbour", 1, vertices);
            if (edge_weights) words.number("the weight of an edge", 0, ~std::uint64_t {0});
            arcs.emplace_back(static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(to - 1));
            if (arcs.size() > 2 * edges)
                file.refuse_line("more neighbours than the " + std::to_string(edges) +
                                 " edges stated in the first line, each listed twice");
        }
    }
    while (next_vertex(file, line)) Words(file, line).end("a line for each vertex");
    if (arcs.size() != 2 * edges)
        file.refuse("announces " + std::to_string(edges) + " edges, each listed twice, but holds " +
                    std::to_string(arcs.size()) + " neighbours: it was changed; fetch it again");
    check_vertices(file, vertices, edges);
    return rows_of(static_cast<std::uint32_t>(vertices), arcs);
}

} // namespace memsim::workload
