#pragma once

#include "sap/recency.hh"
#include "sap/sizes.hh"

namespace memsim::sap {

/// Hits, misses and write-backs of an LRU memory of units at any number of capacities, in one pass
/// (Mattson et al., 1970). An access hits if the units accessed since the last access to its unit,
/// that unit included, fit. Results equal those of sap.ShadowDram without prefetches; an access
/// costs one look-up instead of one per capacity.
class StackDistances final : public Model<StackDistances> {
  public:
    struct Params {
        SizeParams sizes;
        Param<unsigned> queue {
            64, {1, 65536}, "Messages queued or in flight to this component", queue_places()};
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
    void init() override;
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
