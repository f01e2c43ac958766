#include "core/base/heed.hh"
#include "core/base/units.hh"
#include "input_files/words.hh"
#include "workload/graph/input/graph_reader.hh"

#include <algorithm>
#include <optional>

namespace memsim::workload {

using input_files::Words;

namespace {

struct Announced {
    std::uint64_t nodes, edges;
};

/// `# Nodes: 7115 Edges: 103689`, as SNAP writes it. Other comments are ignored.
std::optional<Announced> announced_in(const InputFile& file, std::string_view comment) {
    if (comment.find("Nodes:") == comment.npos || comment.find("Edges:") == comment.npos) return {};
    Words words(file, comment.substr(comment.find("Nodes:") + 6), comment);
    Announced announced {};
    announced.nodes = words.number("the number of nodes", 0, 0xffffffff);
    if (words.word("'Edges:'") != "Edges:") return {};
    announced.edges = words.number("the number of edges", 0, 0xffffffff);
    return announced;
}

void check_weight(Words& words) {
    const std::string_view text = words.word("the weight");
    const detail::Decimal number = detail::read_decimal(text);
    if (number.length == 0 || number.length != text.size())
        words.refuse("the weight is '" + std::string(text.substr(0, 40)) +
                     "', where a number is right");
}

} // namespace

Csr read_edge_list(InputFile& file) {
    std::vector<Arc> arcs;
    std::optional<Announced> announced;
    std::optional<bool> weighted; ///< determined by the first edge
    for (std::string_view line; file.next_line(line);) {
        if (line.starts_with('#')) {
            if (const auto found = announced_in(file, line)) announced = found;
            continue;
        }
        Words words(file, line);
        if (words.empty()) continue;
        const auto from = words.number("the source vertex", 0, 0xffffffff);
        const auto to = words.number("the target vertex", 0, 0xffffffff);
        if (!weighted) weighted = !words.empty();
        if (*weighted) check_weight(words);
        words.end(*weighted ? "source target weight" : "source target");
        arcs.emplace_back(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
    }
    std::vector<std::uint32_t> names;
    names.reserve(2 * arcs.size());
    for (const auto& [from, to] : arcs) {
        names.push_back(from);
        names.push_back(to);
    }
    std::uint32_t compared = 0;
    std::sort(names.begin(), names.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (++compared % 65536 == 0) heed();
        return a < b;
    });
    names.erase(std::unique(names.begin(), names.end()), names.end());
    // Vertices without edges appear in no line, so fewer vertices than stated are valid, but not
    // more.
    if (announced && (announced->edges != arcs.size() || announced->nodes < names.size()))
        file.refuse("its comment announces " + std::to_string(announced->nodes) + " nodes and " +
                    std::to_string(announced->edges) + " edges, but its lines hold " +
                    std::to_string(names.size()) + " and " + std::to_string(arcs.size()) +
                    ": it is cut off or was changed; fetch it again");
    const auto renumber = [&](std::uint32_t& v) {
        v = static_cast<std::uint32_t>(std::lower_bound(names.begin(), names.end(), v) -
                                       names.begin());
    };
    for (auto& [from, to] : arcs) {
        renumber(from);
        renumber(to);
    }
    return rows_of(static_cast<std::uint32_t>(names.size()), arcs);
}

} // namespace memsim::workload
