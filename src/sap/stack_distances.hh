#pragma once

#include "core/component.hh"
#include "core/hash_map.hh"
#include "protocol/observed.hh"
#include "sap/recency.hh"

namespace memsim::sap {

using namespace memsim::literals;

/// Hits, misses and write-backs of an LRU memory of units at any number of capacities, in one pass
/// (Mattson et al., 1970): an access hits where the units accessed since its unit was, that one
/// included, fit. Everything else is as in sap.ShadowDram without prefetches, at the cost of one
/// look-up an access instead of one for each capacity.
class StackDistances final : public Model<StackDistances> {
  public:
    struct Params {
        Param<Bytes> least {1_MiB, {256_B, Bytes {std::int64_t {1} << 50}}, "Least capacity"};
        Param<unsigned> capacities {
            12, {1, 24}, "Capacities, each twice the one before (SAP IV: 1 MB to 1.5 GB)"};
        Param<Bytes> unit {4_KiB, {256_B, 512_KiB}, "Unit that comes and goes (SAP III: 4 KB)"};
        Param<unsigned> queue {64, {1, 65536}, "Messages waiting or in flight to this component"};
    };
    struct Ports {
        In<protocol::Observed> accesses {{.depth = from<&Params::queue>}, "What the GPU accesses"};
    };
    struct Stats {
        Counter accesses {Unit::count, "Accesses"};
        Counter writes {Unit::count, "Writes and atomics among the accesses"};
        Counter units {Unit::count, "Units accessed"};
        Each<Counter> hits {from<&Params::capacities>, Unit::count,
                            "Accesses that found their unit, by capacity"};
        Each<Counter> misses {from<&Params::capacities>, Unit::count,
                              "Accesses that brought their unit, by capacity"};
        Each<Counter> written_back {from<&Params::capacities>, Unit::count,
                                    "Written units that made room, by capacity"};
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

    std::uint64_t unit_ = 0, least_ = 0; ///< bytes of a unit; units of the least capacity
};

} // namespace memsim::sap
