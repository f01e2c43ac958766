#pragma once

#include "mem/page_cache/pages_ahead.hh"
#include "parts/residency.hh"
#include "parts/unit_record.hh"
#include "protocol/upcoming.hh"
#include "sap/sizes.hh"

namespace memsim::sap {

/// What would be in a DRAM that caches a drive, at several capacities at once: pages and policy,
/// but no time and no data. It hears the accesses of a machine whose memory holds everything, one
/// after the other; an access that misses brings its unit, which is there for the next one. Where a
/// sap.MemoryManager tells it what it records, a miss brings the recorded units, too, of which each
/// capacity keeps a record of its own; a page prefetcher may name others. The DRAM is empty at the
/// start.
///
/// The unit that an access needs stays while others are brought with it, no more than there is room
/// for beside it.
class ShadowDram final : public Model<ShadowDram> {
  public:
    struct Params {
        SizeParams sizes;
        Param<PolicyName<parts::PagePolicy>> replacement {"lru", "Which unit makes room"};
        mem::AheadParams ahead;
        Param<unsigned> record {
            1024, {1, 1u << 20}, "Units recorded; the oldest one is dropped for a new one"};
        Param<unsigned> managers {0, {0, 1}, "Whether a memory manager tells what it records"};
        Param<unsigned> queue {64, {1, 65536}, "Messages waiting or in flight to this component"};
    };
    struct Ports {
        In<protocol::Observed> accesses {{.depth = from<&Params::queue>}, "Accesses of the GPU"};
        Many<In<protocol::UpcomingAccesses>> recorded {from<&Params::managers>,
                                                       {.depth = from<&Params::queue>},
                                                       "Lines that a memory manager records"};
    };
    struct Stats {
        SizeStats<Params> sizes;
        Each<Counter> prefetches {sizes.capacities, Unit::count,
                                  "Units brought beside a missed one, by capacity"};
        Each<Counter> useful_prefetches {sizes.capacities, Unit::count,
                                         "Prefetched units that were accessed, by capacity"};
        Each<Counter> evictions {sizes.capacities, Unit::count,
                                 "Units that made room, by capacity"};
    };
    struct Dram {
        Policy<parts::PagePolicy> replacement;
        mem::PagesAhead ahead;
        parts::Residency resident;
        parts::UnitRecord record;
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
    void bring(std::uint32_t at, std::uint64_t unit, parts::AskedBy asked);
    void bring_with(std::uint32_t at, std::uint64_t missed);
};

} // namespace memsim::sap
