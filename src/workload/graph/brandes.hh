#pragma once

#include "workload/graph/input/csr.hh"

/// The reference for betw: betweenness by Brandes' algorithm (2001), sequentially, with a queue and
/// the arcs of shortest paths in reverse order. Numbers are long doubles, which can count up to
/// 2^16384 paths.
namespace memsim::workload {

/// Rounding of a program: relative errors of a sum of counts, and of a float operation.
struct Rounding {
    double count, number;
};

class Brandes {
  public:
    using Real = long double;
    static constexpr std::uint32_t no_level = 0xffffffff;

    /// A value and the maximum error of a program with the given rounding: forward analysis to
    /// first order, plus a tenth.
    struct Bounded {
        Real value = 0, error = 0;
    };

    Brandes(const Csr& graph, Rounding rounding);
    /// Adds the shortest paths of this source to the centrality.
    void add(std::uint32_t source);

    const std::vector<Bounded>& centrality() const { return centrality_; }
    // For the source added last:
    const std::vector<std::uint32_t>& level() const { return level_; }
    Bounded paths(std::uint32_t v) const;
    /// The share of all vertices behind v that have v on their shortest paths.
    Bounded share(std::uint32_t v) const;

  private:
    struct Vertex {
        Real paths = 0, share = 0;
        Real count_error =
            0; ///< of paths; until the vertex is expanded, the maximum of its predecessors'
        Real error_behind = 0;  ///< maximum error of a count behind it
        Real chain_behind = 0;  ///< maximum arithmetic error of its successors
        std::uint32_t sums = 0; ///< of its predecessors' counts
        std::uint32_t arcs = 0; ///< to successors
    };
    Real chain(const Vertex& v) const;
    void count(std::uint32_t source);

    const Csr& graph_;
    const Rounding rounding_;
    std::vector<std::uint32_t> level_;
    std::vector<Vertex> vertex_;
    std::vector<Arc> arcs_; ///< arcs of shortest paths, in the order of levels
    std::vector<Bounded> centrality_;
};

} // namespace memsim::workload
