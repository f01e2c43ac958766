#include "workload/graph/brandes.hh"

#include <algorithm>
#include <limits>

namespace memsim::workload {

static_assert(std::numeric_limits<long double>::max_exponent > 4096, "betw counts up to 2^4096");

namespace {
constexpr long double margin = 1.1L;      ///< for errors of higher order
constexpr long double underflow = 1e-30L; ///< values lost by float underflow, which are negligible
} // namespace

Brandes::Brandes(const Csr& graph, Rounding rounding)
    : graph_(graph), rounding_(rounding), centrality_(graph.vertices) {}

Brandes::Bounded Brandes::paths(std::uint32_t v) const {
    return {vertex_[v].paths, vertex_[v].paths * vertex_[v].count_error * margin};
}

/// A share is the sum, over the vertices t behind v, of paths(v) / paths(t) times the paths from v
/// to t. Intermediate counts cancel, so the errors of two counts and the arithmetic of each level
/// contribute.
Brandes::Bounded Brandes::share(std::uint32_t v) const {
    const Vertex& its = vertex_[v];
    const Real relative = its.count_error + its.error_behind + chain(its);
    return {its.share, its.share * relative * margin + underflow};
}

/// A quotient, a sum and a product per arc, and the sum over all arcs.
Brandes::Real Brandes::chain(const Vertex& v) const {
    return v.arcs == 0 ? 0 : v.chain_behind + Real(3 + v.arcs) * Real(rounding_.number);
}

void Brandes::count(std::uint32_t source) {
    level_.assign(graph_.vertices, no_level);
    vertex_.assign(graph_.vertices, {});
    arcs_.clear();
    level_[source] = 0;
    vertex_[source].paths = 1;
    std::vector<std::uint32_t> queue {source};
    for (std::size_t at = 0; at < queue.size(); ++at) {
        const std::uint32_t v = queue[at];
        vertex_[v].count_error += Real(vertex_[v].sums) * Real(rounding_.count);
        for (std::uint32_t e = graph_.row[v]; e < graph_.row[v + 1]; ++e) {
            const std::uint32_t to = graph_.col[e];
            if (level_[to] == no_level) {
                level_[to] = level_[v] + 1;
                queue.push_back(to);
            }
            if (level_[to] != level_[v] + 1) continue;
            Vertex& its = vertex_[to];
            its.sums += its.paths != 0;
            its.count_error = std::max(its.count_error, vertex_[v].count_error);
            its.paths += vertex_[v].paths;
            arcs_.emplace_back(v, to);
        }
    }
}

void Brandes::add(std::uint32_t source) {
    count(source);
    for (auto arc = arcs_.rbegin(); arc != arcs_.rend(); ++arc) {
        Vertex& v = vertex_[arc->first];
        const Vertex& to = vertex_[arc->second];
        v.share += v.paths / to.paths * (1 + to.share);
        v.error_behind = std::max({v.error_behind, to.error_behind, to.count_error});
        v.chain_behind = std::max(v.chain_behind, chain(to));
        ++v.arcs;
    }
    for (std::uint32_t v = 0; v < graph_.vertices; ++v) {
        if (v == source) continue;
        Bounded& sum = centrality_[v];
        sum.value += vertex_[v].share;
        sum.error += share(v).error + sum.value * Real(rounding_.number);
    }
}

} // namespace memsim::workload
