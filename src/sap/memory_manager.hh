#pragma once

#include "core/base/clock.hh"
#include "core/kernel/component.hh"
#include "parts/interleave.hh"
#include "parts/unit_record.hh"
#include "protocol/mem.hh"
#include "protocol/page_miss.hh"
#include "protocol/probe.hh"
#include "protocol/upcoming.hh"

namespace memsim::sap {

using namespace memsim::literals;
using protocol::Mem;

/// When the units of the record are asked for.
enum class Trigger : std::uint8_t { miss, period };
constexpr std::array<std::string_view, 2> names_of(Trigger) { return {"miss", "period"}; }

/// SAP's memory manager (III): each period it asks the SMs which lines the warps in their
/// schedulers access next, drops those that the SM's L1 or the L2 holds, and records the units of
/// the others. When the memory below misses a unit, hints ask it for all recorded ones together,
/// and the record is empty again; what is there already is the memory's to know. With `trigger` =
/// period those that the last period did not have are asked for at the end of each, for a memory
/// that does not tell its misses.
///
/// What is recorded is told to models beside the machine, too (sap.ShadowDram).
///
/// An SM without a block answers when a block arrives. An SM whose warps all wait for memory
/// answers when memory has answered one of them. The manager asks neither before; with `trigger` =
/// period the units of the SM's last answer stay in view. Not modelled: the time of cache look-ups,
/// the record's ports.
class MemoryManager final : public Model<MemoryManager> {
  public:
    struct Params {
        Param<Frequency> clock {
            700_MHz, {1_MHz, 100_GHz}, "Clock of periods", cited("GTX 480: 700 MHz")};
        Param<unsigned> period {100,
                                {1, 1u << 20},
                                "Cycles from one look at the schedulers to the next",
                                assumed("no source gives it; range 1 to 1000")};
        Param<unsigned> lookahead {2,
                                   {1, 64},
                                   "Memory operations of a warp that its scheduler knows of: those "
                                   "of the instruction buffer whose operands are ready",
                                   cited("GPGPU-Sim's has two; range 1 to 8")};
        Param<unsigned> record {1024,
                                {1, 1u << 20},
                                "Units recorded; the oldest one is dropped for a new one",
                                assumed("no source gives it; range from 64")};
        Param<Bytes> unit {4_KiB,
                           {256_B, 64_KiB},
                           "Unit of the memory below",
                           stated("SAP III: 4 KB"),
                           power_of_two()};
        Param<Trigger> trigger {Trigger::miss, "Event at which recorded units are asked for"};
        Param<unsigned> sms {1, {1, 256}, "SMs whose schedulers are watched"};
        Param<unsigned> slices {1, {1, 256}, "Slices of the L2"};
        Param<Bytes> interleave {256_B,
                                 {32_B, 1_MiB},
                                 "Chunk of addresses that lies in one slice of the L2",
                                 power_of_two()};
        Param<bool> looks_into_caches {true, "Whether lines that an L1 or the L2 holds are "
                                             "dropped; not where a TLB is above the L1: "
                                             "caches have other addresses there than warps"};
        Param<unsigned> memories {1, {0, 1}, "Whether units are asked for from a memory"};
        Param<unsigned> reports {1, {0, 1}, "Whether the memory below tells its misses"};
        Param<unsigned> listeners {0, {0, 64}, "Models that are told what is recorded"};
        Param<unsigned> queue {64, {1, 65536}, "Hints sent and not taken"};

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
            "L1 cache of each SM, which is looked into"};
        Many<Requester<Mem>> l2 {
            +[](const void* p) { return static_cast<const Params*>(p)->l2s(); },
            {.depth = [](const void*) { return 1u; }},
            "Slices of the L2, which are looked into"};
        Many<In<protocol::PageMiss>> misses {from<&Params::reports>,
                                             {.depth = [](const void*) { return 64u; }},
                                             "Units that the memory below has missed"};
        Many<Requester<Mem>> hints {from<&Params::memories>,
                                    {.depth = from<&Params::queue>},
                                    "Recorded units, to the memory below"};
        Many<Out<protocol::UpcomingAccesses>> recorded {
            from<&Params::listeners>, {}, "Lines as they are recorded"};
    };
    struct Stats {
        Counter looks {Unit::count, "Looks at the schedulers of an SM"};
        Counter lines {Unit::count, "Lines that warps were seen to access next"};
        Counter cached_lines {Unit::count, "Recorded lines that an L1 or the L2 held"};
        Counter dropped_units {
            Unit::count, "Units dropped from a full record, or before they could be asked for"};
        Counter misses {Unit::count, "Misses of the memory below"};
        Counter hints {Unit::count, "Units asked for"};
        Level recorded {Unit::count, "Units recorded"};
    };
    enum class Query : std::uint8_t { none, asked, answering };
    struct Answer { ///< of an SM
        Query query = Query::none;
        parts::UnitRecord units; ///< with the trigger `period`: those of its last answer
    };
    struct State {
        parts::UnitRecord record;
        parts::UnitRecord before;    ///< with the trigger `period`: of the last one
        parts::UnitRecord asking;    ///< units whose hints have not been sent
        std::vector<Answer> answers; ///< by SM
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
    void look();
    void take_answers(std::uint32_t sm);
    void record(std::uint32_t sm, protocol::UpcomingAccesses& a);
    bool may_ask() const;
    bool listeners_can_hear() const;
    bool cached(std::uint32_t sm, std::uint64_t line) const;
    void ask_for(std::uint64_t unit);
    void ask_for_all();
    void ask_for_new();
    void send_hints();

    std::vector<const protocol::Probed*> l1_, l2_; ///< by SM, by slice
    parts::Interleave over_slices_;
    std::uint64_t unit_ = 0;
    Tick period_ = 0;
};

} // namespace memsim::sap
