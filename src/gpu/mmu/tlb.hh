#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "gpu/mmu/tlb_array.hh"
#include "parts/interleave.hh"
#include "parts/mshr.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"
#include "protocol/translation.hh"

namespace memsim::gpu {

using namespace memsim::literals;
using protocol::Mem;

/// The L1 TLB of an SM, in line between it and its L1: virtual addresses come in, physical ones go
/// out, behind the coalescer, as in Power et al. (HPCA'14).
///
/// A hit goes on `latency` later. A miss asks the MMU once for its page; requests for that page
/// wait with it, in order, and leave together, while those for other pages go on (hit under miss,
/// miss under miss). A request that finds no room to wait holds up those behind it. The first write
/// to a page that the MMU called not writable asks again, so that no page is written before the MMU
/// knows.
///
/// A shoot-down drops the pages, waits until all that was translated by them is answered, has the
/// L1 emptied (its lines are named by the frame) and then confirms. Stores that nobody waits for
/// are answered to nobody, so that it cannot wait for them unless `acknowledged_stores`. Not
/// modelled: ports (the L1 behind takes one request a cycle), several page sizes at once,
/// prefetching.
class Tlb final : public Model<Tlb>,
                  public Functional,
                  public protocol::StatesTraffic,
                  public protocol::HasStripe {
  public:
    struct Params {
        Param<bool> translates {true,
                                "Whether addresses are translated; physical ones pass as they are"};
        Param<Bytes> page {4_KiB,
                           {1_KiB, 1_GiB},
                           "Page size: 4 KiB, 64 KiB, 2 MiB, ..., or a flash block",
                           multiple_of(1_KiB)};
        Param<unsigned> stripe {
            1,
            {1, 65536},
            "Neighbouring pages that addresses go round, `stripe_unit` by `stripe_unit`, as over "
            "the "
            "planes of a flash package (1: a page holds addresses that follow each other)"};
        Param<Bytes> stripe_unit {4_KiB, {32_B, 1_GiB}, "Bytes that go to one page at a time"};
        Param<unsigned> entries {
            64, {1, 65536}, "Pages held", cited("64: as studied by Power et al., HPCA'14")};
        Param<unsigned> ways {
            64, {1, 65536}, "Ways of a set", assumed("fully associative"), divides(entries)};
        Param<PolicyName<parts::TagPolicy>> replacement {"lru", "Which entry of a set makes room"};
        Param<Time> latency {
            833'334_fs,
            {1_fs, 1_ms},
            "Time from the look-up to the L1's input",
            assumed("a cycle of 1.2 GHz, rounded up: hits stay in step with the clock"),
            Change::tunable};
        Param<Time> mmu_latency {10_ns,
                                 {1_fs, 1_ms},
                                 "Latency to the MMU's input",
                                 assumed("two hops of the crossbar"),
                                 Change::tunable};
        Param<unsigned> misses {32, {1, 65536}, "Pages that may be asked for at once", assumed()};
        Param<unsigned> targets {64, {1, 4096}, "Requests that may wait for a page", assumed()};
        Param<unsigned> queue {64, {1, 65536}, "Requests waiting or in flight to this component"};
        Param<unsigned> outstanding {1024, {1, 65536}, "Requests below that wait for an answer"};
        Param<unsigned> shootdown_queue {
            16, {1, 64}, "Shoot-downs waiting or in flight to this TLB, and as many under way"};
        Param<bool> empties_l1 {true, "Whether a shoot-down empties the L1 of clean lines"};
        Param<bool> acknowledged_stores {
            false, "Whether posted stores and atomics are answered to "
                   "the TLB, so that shoot-downs wait for the answers, which cost their way"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>}, "Virtual addresses, from the SM"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>},
            "Physical addresses, to the L1"};
        Requester<protocol::Translation> mmu_side {
            {.depth = from<&Params::misses>, .latency = from<&Params::mmu_latency>}, "Misses"};
        Responder<protocol::Shootdown> shootdowns {
            {.depth = from<&Params::shootdown_queue>, .latency = from<&Params::mmu_latency>},
            "Pages to forget"};
    };
    struct Stats {
        Counter accesses {Unit::count, "Requests translated or passed on"};
        Counter hits {Unit::count, "Requests whose page was held"};
        Counter misses {Unit::count, "Requests whose page was not held, merged or not"};
        Counter merged {Unit::count, "Misses whose page had been asked for"};
        Counter upgrades {Unit::count, "Times leave to write was asked for"};
        Ratio miss_rate {misses, accesses, "Misses for each request"};
        Counter replaced {Unit::count, "Pages that made room for another"};
        Counter shootdowns {Unit::count, "Shoot-downs confirmed"};
        Counter shot_down {Unit::count, "Pages dropped by shoot-downs"};
        Counter stalled_by_misses {Unit::count,
                                   "Requests held up as too many pages were asked for"};
        Counter stalled_by_targets {Unit::count, "Requests held up by a page's full list"};
        Distribution miss_latency {Unit::time, "Time from a miss to the translation's arrival"};
        Distribution drain_time {Unit::time,
                                 "Time from a shoot-down's arrival to its confirmation"};
    };
    struct Miss {
        std::uint64_t key = 0;
        std::uint64_t frame = 0;
        bool write = false;    ///< leave to write is asked for
        bool writable = false; ///< and was given
        Stamps::Id stamps;     ///< of the request that missed, until the MMU is asked
    };
    struct Passing {
        std::uint64_t address = 0; ///< virtual
        std::uint64_t drains = 0;  ///< shoot-downs that wait for it, a bit each
        std::uint32_t tag = 0;     ///< the sender's
        std::uint16_t application = 0;
        bool live = false;
        bool swallowed = false; ///< a store that nobody above waits for
    };
    struct Drain {
        std::uint32_t tag = 0;
        std::uint32_t waits_for = 0; ///< answers
        Tick since = 0;
        bool live = false;
    };
    enum class Stall : std::uint8_t { none, misses, targets };
    struct State {
        TlbArray pages;
        parts::MshrTable<protocol::MemRequest> mshrs;
        std::vector<Miss> misses;       ///< of each MSHR
        HashMap<std::uint32_t> missing; ///< page to MSHR
        Fifo<std::uint32_t> asking;     ///< MSHRs whose question has not left
        Fifo<std::uint32_t> ready; ///< MSHRs whose page came and whose requests have not all left
        std::vector<Passing> passing; ///< by the tag below
        FreeList free;
        std::vector<Drain> drains;
        std::uint32_t draining = 0; ///< of them in use
        Stall stall = Stall::none;
    };

    explicit Tlb(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    bool pending() const override { return state.mshrs.size() != 0 || state.draining != 0; }
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::Traffic traffic(const PortBase&, unsigned hops) const override {
        const protocol::Traffic above = protocol::traffic_to(port.cpu_side, hops);
        return {{}, above.block, above.sender}; // other addresses
    }
    protocol::PageStripe page_stripe() const override {
        return {params.stripe(), static_cast<std::uint64_t>(params.stripe_unit->raw)};
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool serve(const protocol::MemRequest& r);
    bool miss(const protocol::MemRequest& r, std::uint64_t key, bool upgrade);
    void stalls(Stall why);
    void ask();
    void translated(const protocol::TranslationReply& reply);
    bool release(std::uint32_t mshr);
    void forward(protocol::MemRequest r, std::uint64_t physical);
    std::uint64_t number(std::uint64_t address) const;
    std::uint64_t physical(std::uint64_t frame, std::uint64_t address) const;
    void answer(protocol::MemResponse r);
    void shoot_down(const protocol::ShootdownRequest& r);
    void confirm();

    protocol::HasPages* pages_of_ = nullptr; ///< the MMU, for looks that take no time
    parts::Divider page_, pages_;            ///< pages_: those that a stripe goes round
    parts::Interleave stripe_;
};

} // namespace memsim::gpu
