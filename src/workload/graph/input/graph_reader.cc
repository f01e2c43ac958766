#include "workload/graph/input/graph_reader.hh"

namespace memsim::workload {

bool is_rodinia(std::string_view head) {
    std::size_t digits = 0;
    while (digits < head.size() && head[digits] >= '0' && head[digits] <= '9') ++digits;
    while (digits > 0 && digits < head.size() && (head[digits] == ' ' || head[digits] == '\r'))
        ++digits;
    return digits > 0 && digits < head.size() && head[digits] == '\n';
}

void check_vertices(const InputFile& file, std::uint64_t vertices, std::uint64_t edges) {
    constexpr std::uint64_t free = 1 << 24, for_each_edge = 16;
    if (vertices <= free || vertices / for_each_edge <= edges) return;
    file.refuse("announces " + std::to_string(vertices) + " vertices for " + std::to_string(edges) +
                " edges; beyond " + std::to_string(free) + " vertices at most " +
                std::to_string(for_each_edge) + " for each edge are right");
}

namespace {

Csr read_by_content(InputFile& file) {
    const std::string_view head = file.peek(16);
    if (head.empty()) file.refuse("is empty; a graph file was expected");
    if (head.starts_with("CSR1")) return read_csr_file(file);
    if (head.starts_with("%%MatrixMarket")) return read_matrix_market(file);
    const char first = head[0];
    const char second = head.size() > 1 ? head[1] : '\n';
    const bool alone = second == ' ' || second == '\t' || second == '\n' || second == '\r';
    if ((first == 'c' || first == 'p') && alone) return read_dimacs(file);
    if (is_rodinia(head)) return read_rodinia(file);
    constexpr std::size_t metis_head = 65536;
    if (is_metis(file.peek(metis_head))) return read_metis(file);
    if (first == '#' || (first >= '0' && first <= '9')) return read_edge_list(file);
    file.refuse("is no graph in a known format: a file begins with '#' or a number (SNAP edge "
                "list, Rodinia), "
                "'c' or 'p' (DIMACS .gr), '%%MatrixMarket', '%' or a number (METIS), or 'CSR1'");
}

} // namespace

Csr read_graph(const std::string& path) {
    InputFile file(path);
    Csr graph = read_by_content(file);
    validate(graph, path);
    if (graph.vertices == 0) file.refuse("holds a graph without vertices; one is the least");
    return graph;
}

} // namespace memsim::workload
