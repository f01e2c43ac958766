#pragma once

#include "workload/graph/input/csr.hh"

/// Betweenness by Brandes' algorithm (2001) on one processor: a queue, then the arcs of shortest
/// paths backwards. Numbers are long doubles, which count up to 2^16384 paths: what betw is
/// compared with.
namespace memsim::workload {

/// What a program rounds by: relative errors of a sum of counts, and of a float's operation.
struct Rounding {
    double count, number;
};

class Brandes {
  public:
    using Real = long double;
    static constexpr std::uint32_t no_level = 0xffffffff;

    /// A value, and by how much a program with the given rounding may miss it: the usual forward
    /// analysis to the first order, and a tenth more.
    struct Bounded {
        Real value = 0, error = 0;
    };

    Brandes(const Csr& graph, Rounding rounding);
    /// Takes this source's shortest paths into the centrality.
    void add(std::uint32_t source);

    const std::vector<Bounded>& centrality() const { return centrality_; }
    // Of the source added last:
    const std::vector<std::uint32_t>& level() const { return level_; }
    Bounded paths(std::uint32_t v) const;
    /// The part of all vertices behind v, by paths, that v lies before.
    Bounded share(std::uint32_t v) const;

  private:
    struct Vertex {
        Real paths = 0, share = 0;
        Real count_error = 0;   ///< of paths; until it is expanded, the most of its predecessors'
        Real error_behind = 0;  ///< the most that a count behind it is off
        Real chain_behind = 0;  ///< the most that its successors' arithmetic is off
        std::uint32_t sums = 0; ///< of its predecessors' counts
        std::uint32_t arcs = 0; ///< to successors
    };
    Real chain(const Vertex& v) const;
    void count(std::uint32_t source);

    const Csr& graph_;
    const Rounding rounding_;
    std::vector<std::uint32_t> level_;
    std::vector<Vertex> vertex_;
    std::vector<Arc> arcs_; ///< those of shortest paths, in the order of levels
    std::vector<Bounded> centrality_;
};

} // namespace memsim::workload
