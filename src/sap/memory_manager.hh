#pragma once

#include "core/base/clock.hh"
#include "core/kernel/component.hh"
#include "device_parts/interleave.hh"
#include "device_parts/unit_record.hh"
#include "protocol/mem.hh"
#include "protocol/page_miss.hh"
#include "protocol/probe.hh"
#include "protocol/upcoming.hh"

namespace memsim::sap {

using namespace memsim::literals;
using protocol::Mem;

/// The event that triggers hints for recorded units.
enum class Trigger : std::uint8_t { miss, period };
constexpr std::array<std::string_view, 2> names_of(Trigger) { return {"miss", "period"}; }

/// SAP's memory manager (III). Each period it queries the SMs for the lines that warps in their
/// schedulers access next, drops lines that the SM's L1 or the L2 holds, and records the units of
/// the others.
///
/// Models        hints: when the memory below misses a unit, all recorded units are requested with
///               hints and the record is cleared. The memory decides whether a unit is already
///               present. With `trigger` = period, units that the previous period did not contain
///               are requested at the end of each period, for a memory that does not report misses.
///               Recorded lines are also sent to models outside the machine (sap.ShadowDram). An SM
///               without a block answers when a block arrives, an SM whose warps all wait for
///               memory when one of them is answered; the manager does not query it again before.
///               With `trigger` = period the units of the SM's last answer remain valid.
/// Not modelled  The time of cache look-ups; the ports of the record.
class MemoryManager final : public Model<MemoryManager> {
  public:
    struct Params {
        Param<Frequency> clock {
            700_MHz,
            {1_MHz, 100_GHz},
            "Clock that defines the period",
            cited("GPGPU-Sim, SM2_GTX480/gpgpusim.config: gpgpu_clock_domains 700")};
        Param<unsigned> period {100,
                                {1, 1u << 20},
                                "Cycles between queries of the schedulers",
                                assumed("no source gives it; range 1 to 1000")};
        Param<unsigned> lookahead {2,
                                   {1, 64},
                                   "Memory operations of a warp visible to its scheduler: those "
                                   "in the instruction buffer with ready operands",
                                   cited("GPGPU-Sim, shader.h: IBUFFER_SIZE 2; range 1 to 8")};
        Param<unsigned> record {1024,
                                {1, 1u << 20},
                                "Units that the record holds; a new one replaces the oldest",
                                assumed("no source gives it; range from 64")};
        Param<Bytes> unit {4_KiB,
                           {256_B, 64_KiB},
                           "Bytes of a unit of the memory below",
                           stated("SAP III: 4 KB"),
                           power_of_two()};
        Param<Trigger> trigger {Trigger::miss, "Event at which recorded units are requested",
                                stated("SAP III: prefetch when data miss in the DRAM")};
        Param<unsigned> sms {1, {1, 256}, "SMs whose schedulers are queried", from_wiring()};
        Param<unsigned> slices {1, {1, 256}, "Slices of the L2", from_wiring()};
        Param<Bytes> interleave {256_B,
                                 {32_B, 1_MiB},
                                 "Interleaving chunk of addresses per slice of the L2",
                                 power_of_two(),
                                 from_wiring()};
        Param<bool> looks_into_caches {true,
                                       "Drop lines that an L1 or the L2 holds. "
                                       "Set to False if a TLB is above the L1: "
                                       "caches then use other addresses than warps",
                                       assumed("a line that a cache holds needs no unit")};
        Param<unsigned> listeners {0, {0, 64}, "Models that receive recorded lines", from_wiring()};
        Param<unsigned> queue {64, {1, 65536}, "Hints in flight", queue_places()};

        unsigned l1s() const { return looks_into_caches() ? sms() : 0; }
        unsigned l2s() const { return looks_into_caches() ? slices() : 0; }
    };
    struct Ports {
        Many<Out<protocol::UpcomingQuery>> queries {from<&Params::sms>, {}, "Queries to each SM"};
        Many<In<protocol::UpcomingAccesses>> upcoming {from<&Params::sms>,
                                                       {.depth = [](const void*) { return 64u; }},
                                                       "Units that warps of each SM access next"};
        Many<Requester<Mem>> l1 {
            +[](const void* p) { return static_cast<const Params*>(p)->l1s(); },
            {.depth = [](const void*) { return 1u; }},
            "L1 cache of each SM, for look-ups"};
        Many<Requester<Mem>> l2 {
            +[](const void* p) { return static_cast<const Params*>(p)->l2s(); },
            {.depth = [](const void*) { return 1u; }},
            "Slices of the L2, for look-ups"};
        Optional<In<protocol::PageMiss>> misses {{.depth = [](const void*) { return 64u; }},
                                                 "Units that the memory below missed"};
        Optional<Requester<Mem>> hints {{.depth = from<&Params::queue>},
                                        "Recorded units, to the memory below"};
        Many<Out<protocol::UpcomingAccesses>> recorded {
            from<&Params::listeners>, {}, "Lines as they are recorded"};
    };
    struct Stats {
        Counter looks {Unit::count, "Queries of the schedulers of an SM"};
        Counter lines {Unit::count, "Lines reported as the next accesses of warps"};
        Counter cached_lines {Unit::count, "Recorded lines that an L1 or the L2 held"};
        Counter dropped_units {Unit::count,
                               "Units dropped from a full record or before a hint could be sent"};
        Counter misses {Unit::count, "Misses of the memory below"};
        Counter hints {Unit::count, "Units requested with hints"};
        Level recorded {Unit::count, "Units recorded"};
    };
    enum class Query : std::uint8_t { none, asked, answering };
    struct Answer { ///< by SM
        Query query = Query::none;
        device_parts::UnitRecord units; ///< with trigger `period`: units of its last answer
    };
    struct State {
        device_parts::UnitRecord record;
        device_parts::UnitRecord before; ///< with trigger `period`: units of the previous period
        device_parts::UnitRecord asking; ///< units whose hints have not been sent
        std::vector<Answer> answers;     ///< by SM
        Tick look_at = 0;
        Timer next;
    };

    explicit MemoryManager(const Params& p) : params(p) {}
    void init() override;
    void start() override;
    void wake() override;
    void check_loaded(Loader& l) const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void query_schedulers();
    void take_answers(std::uint32_t sm);
    void record(std::uint32_t sm, protocol::UpcomingAccesses& a);
    bool may_query() const;
    bool listeners_ready() const;
    bool cached(std::uint32_t sm, std::uint64_t line) const;
    void queue_hint(std::uint64_t unit);
    void queue_recorded();
    void queue_new();
    void send_hints();

    std::vector<const protocol::Probed*> l1_, l2_; ///< by SM, by slice
    device_parts::Interleave over_slices_;
    std::uint64_t unit_ = 0;
    Tick period_ = 0;
};

} // namespace memsim::sap
