#pragma once

#include "workload/graph/graph_application.hh"

/// Common parts of the breadth-first searches.
namespace memsim::workload {

/// Sites shared by all searches; sites of a particular search begin at `own`.
namespace bfs_site {
enum Site : u32 { vertex, row_begin, row_end, neighbour, neighbour_level, own };
}

/// The textbook's search with a queue, used as the reference.
std::vector<u32> levels_by_queue(const Csr& graph, u32 source);

/// A search by levels. Its first launch sets all levels to `unseen` and that of the source to 0.
/// Arguments of compute() are instructions of sm_80 machine code: docs/models/workloads.md.
template <class Host>
class Bfs : public GraphApplication<Host> {
  public:
    explicit Bfs(const Options& options)
        : GraphApplication<Host>(options),
          level_(this->memory_.template zeroed<u32>("level", this->vertices_)),
          initialize_(this->kernel(
              "bfs_initialize", 8, [this](Warp& w) { initialize(w); }, Counted::machine_code)) {}
    std::string difference() const final {
        return first_difference("level", level_, levels_by_queue(this->graph(), this->source_));
    }

  protected:
    bool next() final {
        if (this->launches() > 0) return next_level();
        this->launch_over_vertices(initialize_);
        return true;
    }
    /// Performs one of the launches after the first.
    virtual bool next_level() = 0;

    /// Calls visit(arc) for each arc of a thread's own vertex.
    template <class Visit>
    void each_arc(Warp& w, const Lanes<u32>& vertex, Visit visit) {
        auto arc = w.load(bfs_site::row_begin, this->row_, vertex);
        const auto end = w.load(bfs_site::row_end, this->row_, vertex, 1);
        w.compute(2);
        w.if_(arc < end, [&] { w.compute(4); });
        w.while_([&] { return arc < end; },
                 [&] {
                     visit(arc);
                     w.compute(3);
                     arc = arc + 1;
                 });
    }
    /// The same for a vertex of the whole warp, whose lanes share the arcs.
    template <class Visit>
    void each_shared_arc(Warp& w, const Lanes<u32>& vertex, const Lanes<u32>& lane, Visit visit) {
        const auto begin = w.load(bfs_site::row_begin, this->row_, vertex);
        const auto end = w.load(bfs_site::row_end, this->row_, vertex, 1);
        w.for_(begin + lane, end, visit, warp_lanes);
    }

    Array<u32> level_;

  private:
    void initialize(Warp& w) {
        w.compute(6);
        const auto v = w.thread();
        w.if_(v < this->vertices_, [&] {
            w.compute(5);
            const auto start = select(v == this->source_, all_lanes(0u), all_lanes(unseen));
            w.store(bfs_site::vertex, level_, v, start);
        });
    }

    u32 initialize_;
};

} // namespace memsim::workload
