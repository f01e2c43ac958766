#pragma once

#include "sap/recency.hh"
#include "sap/sizes.hh"

namespace memsim::sap {

/// Hits, misses and write-backs of an LRU memory of units at any number of capacities, in one pass
/// (Mattson et al., 1970): an access hits where the units accessed since its unit was, that one
/// included, fit. Everything else is as in sap.ShadowDram without prefetches, at the cost of one
/// look-up an access instead of one for each capacity.
class StackDistances final : public Model<StackDistances> {
  public:
    struct Params {
        SizeParams sizes;
        Param<unsigned> queue {64, {1, 65536}, "Messages waiting or in flight to this component"};
    };
    struct Ports {
        In<protocol::Observed> accesses {{.depth = from<&Params::queue>}, "Accesses of the GPU"};
    };
    struct Stats {
        SizeStats<Params> sizes;
        Counter units {Unit::count, "Units accessed"};
    };
    struct State {
        Recency recency;
    };

    explicit StackDistances(const Params& p) : params(p) {}
    void wake() override;
    void check_loaded(Loader& l) const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void access(std::uint64_t unit, bool write);
};

} // namespace memsim::sap
