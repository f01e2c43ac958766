#pragma once

#include "device_parts/residency.hh"
#include "device_parts/unit_record.hh"
#include "mem/page_cache/pages_ahead.hh"
#include "protocol/upcoming.hh"
#include "sap/sizes.hh"

namespace memsim::sap {

/// The hit ratio that a DRAM cache in front of a drive would have, at several capacities at once.
/// It observes the accesses of a machine whose memory holds all data.
///
/// Models        pages and replacement policy. Accesses are processed one after the other; a miss
///               brings its unit before the next access. If a sap.MemoryManager sends its records,
///               a miss also brings the recorded units, of which each capacity keeps its own
///               record. A page prefetcher may name further units. The accessed unit is not
///               replaced by units brought with it; their number is limited by the remaining room.
///               The DRAM is empty at the start.
/// Not modelled  Time; data.
class ShadowDram final : public Model<ShadowDram> {
  public:
    struct Params {
        SizeParams sizes;
        Param<PolicyName<device_parts::PagePolicy>> replacement {"lru", "Replacement policy",
                                                                 usual_policy()};
        mem::AheadParams ahead;
        Param<unsigned> record {1024,
                                {1, 1u << 20},
                                "Units that the record holds; a new one replaces the oldest",
                                assumed("as sap.MemoryManager's")};
        Param<unsigned> queue {
            64, {1, 65536}, "Messages queued or in flight to this component", queue_places()};
    };
    struct Ports {
        In<protocol::Observed> accesses {{.depth = from<&Params::queue>}, "Accesses of the GPU"};
        Optional<In<protocol::UpcomingAccesses>> recorded {{.depth = from<&Params::queue>},
                                                           "Lines that a memory manager records"};
    };
    struct Stats {
        SizeStats<Params> sizes;
        Each<Counter> prefetches {sizes.capacities, Unit::count,
                                  "Units brought together with a missed one, by capacity"};
        Each<Counter> useful_prefetches {sizes.capacities, Unit::count,
                                         "Prefetched units that were accessed, by capacity"};
        Each<Counter> evictions {sizes.capacities, Unit::count, "Units replaced, by capacity"};
    };
    struct Dram {
        Policy<device_parts::PagePolicy> replacement;
        mem::PagesAhead ahead;
        device_parts::Residency resident;
        device_parts::UnitRecord record;
    };
    struct State {
        std::vector<Dram> drams; ///< by capacity
    };

    explicit ShadowDram(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void check_loaded(Loader& l) const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void access(std::uint32_t at, std::uint64_t unit, bool write);
    void bring(std::uint32_t at, std::uint64_t unit, device_parts::AskedBy asked);
    void bring_with(std::uint32_t at, std::uint64_t missed);
};

} // namespace memsim::sap
