#pragma once

#include "core/base/clock.hh"
#include "device_parts/cycle_slots.hh"
#include "gpu/mmu/device_pages.hh"
#include "gpu/mmu/missing_pages.hh"
#include "gpu/mmu/page_moves.hh"
#include "gpu/mmu/page_walker.hh"
#include "protocol/mem.hh"
#include "protocol/page_fault.hh"
#include "protocol/translation.hh"

namespace memsim::gpu {

using namespace memsim::literals;
using protocol::Mem;

/// The MMU shared by all SMs: a second-level TLB, a page-walk buffer, walker threads, a page-walk
/// cache, a fault buffer, and the address spaces of the applications (Power et al., HPCA'14; ZnG
/// II-A).
///
/// Models        `lookups` requests of L1 TLBs are looked up per cycle, the TLBs in turn. A hit is
///               answered after `latency`. A miss allocates an entry of the walk buffer, or joins
///               the entry of its page; if none is free it stalls later requests of the same TLB. A
///               walker thread reads the root's entry, unless the walk cache has it, and then the
///               leaf's, each by a memory read of `walk_read` bytes. Walks beyond `walkers` wait.
///               The mapping of a page is determined at the end of its walk: mappings are sparse
///               State, independent of the bytes that are read.
///
/// If the walk's page is not resident, it enters the fault buffer, a fault is sent to the host, and
/// the thread is released. If the fault buffer is full, the page keeps its thread. The host claims
/// a frame (evicting a page if none is free), transfers the page and answers the fault.
///
/// A page order (claim with eviction, unmap) removes the mapping, shoots it down in all L1 TLBs,
/// and completes when all have confirmed. Requests for unmapped pages wait and do not fault. If an
/// application is held, all its pages are shot down, and requests for its pages wait.
///
/// Not modelled  Writes of page-table entries (accessed and dirty bits, writes of the driver);
///               accesses to pages below a second MMU; several page sizes at the same time.
class Mmu final : public Model<Mmu>, public protocol::HasPages {
  public:
    struct Params {
        Param<unsigned> tlbs {1, {1, 256}, "L1 TLBs served by this MMU", from_wiring()};
        PlacementParams pages;
        EvictionParams eviction;
        WalkerParams walker;
        MissingParams missing;
        Param<unsigned> entries {512,
                                 {0, 1 << 20},
                                 "Pages that the L2 TLB holds",
                                 assumed("ZnG states none; range 0 to 4096")};
        Param<unsigned> ways {16, {1, 65536}, "Ways of a set of the L2 TLB", assumed()};
        Param<PolicyName<device_parts::TagPolicy>> replacement {
            "lru", "Policy that selects the entry of a set of the L2 TLB to evict", usual_policy()};
        Param<Time> latency {10_ns,
                             {1_fs, 1_ms},
                             "Time from the lookup in the L2 TLB to the L1 TLB",
                             assumed(),
                             Change::tunable};
        Param<Time> walk_latency {1_fs,
                                  {1_fs, 1_ms},
                                  "Time from a walker to the memory's input",
                                  Change::tunable,
                                  least_latency()};
        Param<Time> fault_latency {1_fs,
                                   {1_fs, 1_ms},
                                   "Latency to the host's input, in addition to the host's own",
                                   Change::tunable,
                                   least_latency()};
        Param<Frequency> clock {
            1.2_GHz, {1_MHz, 100_GHz}, "Clock of the L2 TLB", stated("Ohm-GPU table I")};
        Param<unsigned> lookups {1, {1, 64}, "Lookups in the L2 TLB per cycle", assumed()};
        Param<unsigned> queue {
            16, {1, 65536}, "Requests of a TLB waiting or in flight", queue_places()};
        Param<unsigned> orders {
            16, {1, 4096}, "Page orders in progress, and waiting of each mover", queue_places()};
    };
    struct Ports {
        Many<Responder<protocol::Translation>> tlb_side {
            from<&Params::tlbs>,
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>},
            "Misses of L1 TLBs"};
        Many<Requester<protocol::Shootdown>> shootdowns {
            from<&Params::tlbs>,
            {.depth = from<&Params::orders>, .latency = from<&Params::latency>},
            "Shoot-downs of pages in the L1 TLBs"};
        Requester<Mem> walk_side {{.depth = from<&Params::walker, &WalkerParams::walkers>,
                                   .latency = from<&Params::walk_latency>},
                                  "Reads of page-table entries"};
        Optional<Requester<protocol::Faults>> fault_side {
            {.depth = from<&Params::missing, &MissingParams::fault_buffer>,
             .latency = from<&Params::fault_latency>},
            "Page faults, to the host that handles them"};
        Many<Responder<protocol::PageControl>> mover_side {
            {.depth = from<&Params::orders>, .latency = from<&Params::fault_latency>},
            "Page orders of a host or of a garbage collector"};
    };
    struct Stats {
        Counter requests {Unit::count, "Misses of L1 TLBs looked up"};
        Counter hits {Unit::count, "Lookups that hit the L2 TLB"};
        Ratio hit_rate {hits, requests, "Share of lookups that hit the L2 TLB"};
        Counter merged {Unit::count, "Requests that joined a walk or fault of their page"};
        WalkerStats walker;
        Counter faults {Unit::count, "Page faults sent to the host"};
        Counter first_touches {Unit::count, "Pages placed at their first access"};
        Counter orders {Unit::count, "Page orders completed"};
        EvictionStats eviction;
        Counter shootdowns {Unit::count, "Shoot-downs, each sent to every L1 TLB"};
        MissingStats missing;
        Distribution walk_time {Unit::time, "Time from the lookup to the end of the walk"};
        Distribution fault_time {Unit::time, "Time from a fault to its response"};
        Distribution shootdown_time {Unit::time, "Time from a shoot-down to the last confirmation"};
    };
    struct State {
        TlbArray translations; ///< the L2 TLB
        MissingPages missing;
        PageWalker walker;
        Fifo<std::uint32_t> queued;    ///< missing pages that wait for a walker thread
        Fifo<std::uint32_t> held;      ///< missing pages that wait for the fault buffer
        Fifo<std::uint32_t> reporting; ///< missing pages whose fault was not sent
        PageMap map;
        DevicePages resident; ///< pages transferred by the host, if placement is by faults
        PageOrders orders;
        std::uint32_t turn = 0; ///< TLB to look up first
        device_parts::CycleSlots slots;
        Timer next_cycle;
    };

    explicit Mmu(const Params& p) : params(p), clock_(p.clock()) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::vector<MemoryUse> memory_uses() const override;
    bool pending() const override { return state.missing.waited_for() || state.orders.live(); }
    std::optional<std::string> imbalance() const override;
    std::uint64_t page_bytes() const override { return params.pages.page_bytes(); }
    std::uint64_t pages() const override { return params.pages.pages(); }
    std::uint64_t frames() const override { return params.pages.frames(); }
    std::optional<std::uint64_t> frame_at_start(std::uint16_t application) const override;
    std::optional<std::uint64_t> frame_of(std::uint16_t application,
                                          std::uint64_t page) const override;
    void functional_unmapped(FunctionalAccess& access) override;
    void functional_written(FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool by_fault() const { return params.pages.by_fault(); }

    // Lookups and walks.
    void look_up();
    bool translate(std::uint16_t tlb, const protocol::TranslationRequest& r);
    void start_walks();
    void end_walk(std::uint32_t page);
    void fault(std::uint32_t page);
    void complete(std::uint32_t page, std::uint64_t frame);
    /// The frame of a page; assigned now if this is the first access.
    std::optional<std::uint64_t> find(std::uint64_t key);
    void place_contents(std::uint64_t key, std::uint64_t frame);
    // Page orders.
    void take_orders();
    bool begin_order(std::uint16_t mover, const protocol::PageOrder& order);
    void complete_unmapped(std::uint32_t page);
    void advance_orders();

    PageMoves moves() {
        return PageMoves({params.pages, state.map, state.resident, state.translations,
                          state.missing, stat.eviction});
    }

    Clock clock_;
};

} // namespace memsim::gpu
