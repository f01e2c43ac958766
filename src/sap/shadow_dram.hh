#pragma once

#include "core/component.hh"
#include "parts/page_prefetcher.hh"
#include "parts/residency.hh"
#include "parts/unit_record.hh"
#include "protocol/observed.hh"
#include "protocol/upcoming.hh"

namespace memsim::sap {

using namespace memsim::literals;

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
        Param<Bytes> least {1_MiB, {256_B, Bytes {std::int64_t {1} << 50}}, "Least capacity"};
        Param<unsigned> capacities {
            12, {1, 24}, "Capacities, each twice the one before (SAP IV: 1 MB to 1.5 GB)"};
        Param<Bytes> unit {4_KiB, {256_B, 512_KiB}, "Unit that comes and goes (SAP III: 4 KB)"};
        Param<PolicyName<parts::PagePolicy>> replacement {"lru", "Which unit makes room"};
        Param<PolicyName<parts::PagePrefetcher>> prefetch {
            "none", "Which units come with one that is missed"};
        Param<Bytes> prefetch_end {Bytes {std::int64_t {1} << 50},
                                   {256_B, Bytes {std::int64_t {1} << 50}},
                                   "Address at which what `prefetch` brings ends"};
        Param<unsigned> record {
            1024, {1, 1u << 20}, "Units recorded; the oldest one is dropped for a new one"};
        Param<unsigned> managers {0, {0, 1}, "Whether a memory manager tells what it records"};
        Param<unsigned> queue {64, {1, 65536}, "Messages waiting or in flight to this component"};
    };
    struct Ports {
        In<protocol::Observed> accesses {{.depth = from<&Params::queue>}, "What the GPU accesses"};
        Many<In<protocol::UpcomingAccesses>> recorded {from<&Params::managers>,
                                                       {.depth = from<&Params::queue>},
                                                       "Lines that a memory manager records"};
    };
    struct Stats {
        Counter accesses {Unit::count, "Accesses"};
        Counter writes {Unit::count, "Writes and atomics among the accesses"};
        Each<Counter> hits {from<&Params::capacities>, Unit::count,
                            "Accesses that found their unit, by capacity"};
        Each<Counter> misses {from<&Params::capacities>, Unit::count,
                              "Accesses that brought their unit, by capacity"};
        Each<Counter> prefetches {from<&Params::capacities>, Unit::count,
                                  "Units brought beside a missed one, by capacity"};
        Each<Counter> useful_prefetches {from<&Params::capacities>, Unit::count,
                                         "Prefetched units that were accessed, by capacity"};
        Each<Counter> evictions {from<&Params::capacities>, Unit::count,
                                 "Units that made room, by capacity"};
        Each<Counter> written_back {from<&Params::capacities>, Unit::count,
                                    "Written units that made room, by capacity"};
    };
    struct Dram {
        Policy<parts::PagePolicy> replacement;
        Policy<parts::PagePrefetcher> prefetch;
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
    /// That a capacity holds.
    std::uint64_t units(std::uint32_t at) const {
        return (static_cast<std::uint64_t>(params.least->raw) << at) / unit_;
    }

    void bring_with(std::uint32_t at, std::uint64_t missed);

    std::uint64_t unit_ = 0;
    std::vector<parts::PageName> missed_, with_it_; ///< scratch
};

} // namespace memsim::sap
