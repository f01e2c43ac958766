#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "device_parts/mshr.hh"
#include "gpu/mmu/striped_pages.hh"
#include "gpu/mmu/tlb_array.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"

namespace memsim::gpu {

using namespace memsim::literals;
using protocol::Mem;

/// The L1 TLB of an SM, between the SM's coalescer and its L1. It translates virtual to physical
/// addresses, as in Power et al. (HPCA'14).
///
/// Models        A hit is forwarded after `latency`. A miss sends one request to the MMU for its
///               page. Later requests for that page wait with it and leave together, in order;
///               requests for other pages continue (hit under miss, miss under miss). A request
///               that finds no free entry stalls later ones. The first write to a page that the MMU
///               has not marked as writable sends another request, so that the MMU is informed
///               before any page is written.
///
/// A shoot-down drops the pages and waits until all requests translated by them are answered. It
/// then invalidates the L1, whose lines are identified by the frame, and confirms. Posted stores
/// have no response, so the TLB waits for them only with `acknowledged_stores`.
///
/// Not modelled  Ports (the L1 accepts one request per cycle), several page sizes at the same time,
///               prefetching.
class Tlb final : public Model<Tlb>,
                  public Functional,
                  public protocol::StatesTraffic,
                  public protocol::HasStripe {
  public:
    struct Params {
        Param<bool> translates {
            true, "Translate addresses; else they are physical and are forwarded unchanged",
            assumed("a TLB translates")};
        Param<Bytes> page {4_KiB,
                           {1_KiB, 16_GiB},
                           "Page size: 4 KiB, 64 KiB, 2 MiB, ..., or a flash block",
                           multiple_of(1_KiB),
                           assumed("the usual page of a CPU")};
        Param<unsigned> stripe {
            1,
            {1, 65536},
            "Consecutive pages over which addresses are interleaved in units of `stripe_unit`, as "
            "over the planes of a flash package (1: a page holds consecutive addresses)",
            switched_off()};
        Param<Bytes> stripe_unit {4_KiB,
                                  {32_B, 1_GiB},
                                  "Consecutive bytes in one page of a stripe",
                                  assumed("the usual page of a CPU")};
        Param<unsigned> entries {
            64,
            {1, 65536},
            "Pages in the TLB",
            assumed("as Power et al., HPCA'14; not looked up; range 16 to 128")};
        Param<unsigned> ways {
            64, {1, 65536}, "Ways of a set", assumed("fully associative"), divides(entries)};
        Param<PolicyName<device_parts::TagPolicy>> replacement {
            "lru", "Policy that selects the entry of a set to evict", usual_policy()};
        Param<Time> latency {
            833'334_fs,
            {1_fs, 1_ms},
            "Time from the lookup to the L1's input",
            assumed("a cycle of 1.2 GHz, rounded up: hits stay in step with the clock"),
            Change::tunable};
        Param<Time> mmu_latency {10_ns,
                                 {1_fs, 1_ms},
                                 "Latency to the MMU's input",
                                 assumed("two hops of the crossbar; range 5 to 50 ns"),
                                 Change::tunable};
        Param<unsigned> misses {32,
                                {1, 65536},
                                "Maximum number of pages requested from the MMU at the same time",
                                assumed()};
        Param<unsigned> targets {64, {1, 4096}, "Requests that may wait for one page", assumed()};
        Param<unsigned> queue {
            64, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
        Param<unsigned> outstanding {
            1024, {1, 65536}, "Requests to the next level without a response", queue_places()};
        Param<unsigned> shootdown_queue {
            16,
            {1, 64},
            "Shoot-downs waiting or in flight to this TLB, and as many in progress",
            queue_places()};
        Param<bool> empties_l1 {true, "A shoot-down invalidates the L1's clean lines",
                                assumed("a line of a page that has left must not be found")};
        Param<bool> acknowledged_stores {
            false,
            "Have posted stores and atomics acknowledged to the TLB. Shoot-downs then wait "
            "for the acknowledgements, which use crossbar bandwidth",
            switched_off()};
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
            "Shoot-downs of pages"};
    };
    struct Stats {
        Counter accesses {Unit::count, "Requests translated or forwarded"};
        Counter hits {Unit::count, "Requests whose page was present"};
        Counter misses {Unit::count, "Requests whose page was missing, merged or not"};
        Counter merged {Unit::count, "Misses on a page that was already requested"};
        Counter upgrades {Unit::count, "Requests to the MMU for write permission"};
        Ratio miss_rate {misses, accesses, "Misses per request"};
        Counter replaced {Unit::count, "Pages evicted by another page"};
        Counter shootdowns {Unit::count, "Shoot-downs confirmed"};
        Counter shot_down {Unit::count, "Pages dropped by shoot-downs"};
        Counter stalled_by_misses {Unit::count,
                                   "Requests stalled because too many pages were requested"};
        Counter stalled_by_targets {Unit::count,
                                    "Requests stalled because the list of their page was full"};
        Distribution miss_latency {Unit::time,
                                   "Time from a miss to the arrival of the translation"};
        Distribution drain_time {Unit::time,
                                 "Time from the arrival of a shoot-down to its confirmation"};
    };
    struct Miss {
        std::uint64_t key = 0;
        std::uint64_t frame = 0;
        bool write = false;    ///< write permission was requested
        bool writable = false; ///< write permission was granted
        Stamps::Id stamps;     ///< of the request that missed, until the MMU is asked
    };
    struct Passing {
        std::uint64_t address = 0; ///< virtual
        std::uint64_t drains = 0;  ///< shoot-downs that wait for it, as a mask
        std::uint32_t tag = 0;     ///< the sender's
        std::uint16_t application = 0;
        bool live = false;
        bool swallowed = false; ///< a posted store, whose response ends here
    };
    struct Drain {
        std::uint32_t tag = 0;
        std::uint32_t waits_for = 0; ///< responses
        Tick since = 0;
        bool live = false;
    };
    enum class Stall : std::uint8_t { none, misses, targets };
    struct State {
        TlbArray pages;
        device_parts::MshrTable<protocol::MemRequest> mshrs;
        std::vector<Miss> misses;       ///< by MSHR
        HashMap<std::uint32_t> missing; ///< from page to MSHR
        Fifo<std::uint32_t> asking;     ///< MSHRs whose request was not sent
        Fifo<std::uint32_t> ready;      ///< MSHRs with a page and waiting requests
        std::vector<Passing> passing;   ///< by the tag towards memory
        FreeList free;
        std::vector<Drain> drains;
        std::uint32_t draining = 0; ///< number in use
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
        return {{}, above.block, above.sender}; // addresses are translated
    }
    protocol::PageStripe page_stripe() const override {
        return {params.stripe(), static_cast<std::uint64_t>(params.stripe_unit->raw)};
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool translate(const protocol::MemRequest& r);
    bool miss(const protocol::MemRequest& r, std::uint64_t key, bool upgrade);
    void stalls(Stall why);
    void send_misses();
    void translated(const protocol::TranslationReply& reply);
    bool release(std::uint32_t mshr);
    void forward(protocol::MemRequest r, std::uint64_t physical);
    void forward_response(protocol::MemResponse r);
    void shoot_down(const protocol::ShootdownRequest& r);
    void confirm();

    protocol::HasPages* pages_of_ = nullptr; ///< the MMU, for functional accesses
    StripedPages striped_;
};

} // namespace memsim::gpu
