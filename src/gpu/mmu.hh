#pragma once

#include "core/clock.hh"
#include "core/free_list.hh"
#include "core/functional.hh"
#include "gpu/page_table.hh"
#include "gpu/tlb_array.hh"
#include "parts/cycle_slots.hh"
#include "parts/interleave.hh"
#include "parts/mshr.hh"
#include "parts/sector_store.hh"
#include "protocol/mem.hh"
#include "protocol/page_fault.hh"
#include "protocol/translation.hh"

namespace memsim::gpu {

using namespace memsim::literals;
using protocol::Mem;

/// Which page makes room when device memory is full: the one whose translation was asked for
/// longest ago (the MMU sees no hits of L1 TLBs), or the one that came first.
enum class PageEviction : std::uint8_t { lru, fifo };
constexpr std::array<std::string_view, 2> names_of(PageEviction) { return {"lru", "fifo"}; }

/// The MMU that all SMs share: a second-level TLB, a page-walk buffer, walker threads, a page-walk
/// cache, a fault buffer, and the address spaces of the applications (Power et al., HPCA'14; ZnG
/// II-A).
///
/// Requests of L1 TLBs are looked up `lookups` a cycle, the TLBs in turn. A hit is answered
/// `latency` later. A miss takes an entry of the walk buffer, or joins the one of its page; without
/// room it holds up those behind it of the same TLB. A walker thread reads the root's entry, unless
/// the walk cache has it, and then the leaf's, each by a real read of `walk_read` bytes; the walks
/// beyond `walkers` wait. What a page maps to is known at the walk's end: mappings are State,
/// sparse, apart from the bytes that are read.
///
/// A walk that finds its page not resident goes to the fault buffer and on to the host, the thread
/// is free again; with a full buffer it keeps its thread. The host claims a frame, with an eviction
/// if none is free, brings the page and answers the fault.
///
/// A page order (claim with eviction, unmap) takes the mapping out, shoots it down in all L1 TLBs
/// and is done when all have confirmed. Pages that were unmapped are waited for, not faulted on. An
/// application that is held has all its pages shot down, and each that it asks for is waited for.
/// Not modelled: the writes of page-table entries (accessed and dirty bits, what the driver
/// writes), accesses to pages below a second MMU, several page sizes at once.
class Mmu final : public Model<Mmu>, public protocol::HasPages {
  public:
    struct Params {
        Param<unsigned> tlbs {1, {1, 256}, "L1 TLBs that ask it"};
        Param<unsigned> hosts {0, {0, 1}, "Whether a host takes page faults"};
        Param<unsigned> movers {0, {0, 16}, "Who may order pages: a host, a garbage collector"};
        Param<Bytes> page {4_KiB, {1_KiB, 1_GiB}, "Page size, as in the TLBs"};
        Param<unsigned> applications {1, {1, 256}, "Address spaces"};
        Param<Bytes> address_space {1_GiB,
                                    {1_KiB, Bytes {std::int64_t {1} << 50}},
                                    "Virtual addresses of an application, from 0 on"};
        Param<PagePlacement> placement {PagePlacement::identity, "Where pages lie initially"};
        Param<unsigned> partitions {1, {1, 65536}, "Equal parts of the memory, for interleaved"};
        Param<Bytes> memory {
            1_GiB, {1_KiB, Bytes {std::int64_t {1} << 50}}, "Device memory for pages"};
        Param<Bytes> memory_base {0_B, "Where it begins"};
        Param<PageEviction> eviction {PageEviction::lru, "Which page makes room"};
        Param<Bytes> table_memory {16_MiB, {1_KiB, 1_GiB}, "Device memory for page tables"};
        Param<Bytes> table_base {Bytes {std::int64_t {1} << 40}, "Where it begins"};
        Param<Bytes> table_entry {8_B, {1_B, 128_B}, "An entry of a page table (x86-64: 8 B)"};
        Param<unsigned> leaf_entries {
            512,
            {1, 1u << 20},
            "Pages that a leaf table maps (512 x 8 B fill 4 KiB, as in x86-64)"};
        Param<Bytes> walk_read {32_B, {1_B, 128_B}, "What a walker reads for an entry: a sector"};
        Param<unsigned> walkers {32, {1, 4096}, "Walker threads (ZnG table I; Power et al.)"};
        Param<unsigned> walk_buffer {
            128, {1, 65536}, "Pages that walk or wait for a walker (assumption: four a thread)"};
        Param<unsigned> targets {64, {1, 4096}, "TLBs' requests that may wait for a page"};
        Param<unsigned> walk_cache {
            1024, {0, 1 << 20}, "Root entries held (8 KiB of 8 B: Power et al., HPCA'14)"};
        Param<unsigned> walk_cache_ways {16, {1, 65536}, "Of a set (assumption)"};
        Param<unsigned> entries {512, {0, 1 << 20}, "Pages that the L2 TLB holds (assumption)"};
        Param<unsigned> ways {16, {1, 65536}, "Of a set (assumption)"};
        Param<Time> latency {10_ns,
                             {1_fs, 1_ms},
                             "From the look-up in the L2 TLB to the L1 TLB (assumption)",
                             Change::tunable};
        Param<Time> walk_latency {
            1_fs, {1_fs, 1_ms}, "From a walker to the memory's input", Change::tunable};
        Param<Time> fault_latency {
            1_fs, {1_fs, 1_ms}, "To the host's input: the host has the latency", Change::tunable};
        Param<Frequency> clock {1.2_GHz, {1_MHz, 100_GHz}, "Of the L2 TLB (Ohm-GPU table I)"};
        Param<unsigned> lookups {1, {1, 64}, "In the L2 TLB, in a cycle (assumption)"};
        Param<unsigned> queue {16, {1, 65536}, "Requests of a TLB waiting or in flight"};
        Param<unsigned> fault_buffer {
            256, {1, 65536}, "Pages that may be faulted on (assumption: a batch of the driver's)"};
        Param<unsigned> orders {16, {1, 4096}, "Page orders under way, and waiting of each mover"};
    };
    struct Ports {
        Many<Responder<protocol::Translation>> tlb_side {
            from<&Params::tlbs>,
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>},
            "Misses of L1 TLBs"};
        Many<Requester<protocol::Shootdown>> shootdowns {
            from<&Params::tlbs>,
            {.depth = from<&Params::orders>, .latency = from<&Params::latency>},
            "Pages that the L1 TLBs are to forget"};
        Requester<Mem> walk_side {
            {.depth = from<&Params::walkers>, .latency = from<&Params::walk_latency>},
            "Reads of page-table entries"};
        Many<Requester<protocol::Faults>> fault_side {
            from<&Params::hosts>,
            {.depth = from<&Params::fault_buffer>, .latency = from<&Params::fault_latency>},
            "Page faults"};
        Many<Responder<protocol::PageControl>> mover_side {
            from<&Params::movers>,
            {.depth = from<&Params::orders>, .latency = from<&Params::fault_latency>},
            "Page orders"};
    };
    struct Stats {
        Counter requests {Unit::count, "Misses of L1 TLBs looked up"};
        Counter hits {Unit::count, "Found in the L2 TLB"};
        Ratio hit_rate {hits, requests, "Found in the L2 TLB for each look-up"};
        Counter merged {Unit::count, "Joined a walk or fault of their page"};
        Counter walks {Unit::count, "Walks begun"};
        Counter walk_reads {Unit::count, "Reads of page-table entries"};
        Counter walk_cache_hits {Unit::count, "Root entries found in the walk cache"};
        Counter faults {Unit::count, "Page faults sent to the host"};
        Counter first_touches {Unit::count, "Pages placed when first touched"};
        Counter orders {Unit::count, "Page orders done"};
        Counter evictions {Unit::count, "Pages that made room for another"};
        Counter dirty_evictions {Unit::count, "Among them pages that had been written to"};
        Counter shootdowns {Unit::count, "Shoot-downs, each sent to every L1 TLB"};
        Level walking {Unit::count, "Walker threads in use"};
        Level buffered {Unit::count, "Entries of the walk buffer in use"};
        Level faulting {Unit::count, "Entries of the fault buffer in use"};
        Distribution walk_time {Unit::time, "From the look-up to the walk's end"};
        Distribution fault_time {Unit::time, "From a fault to its answer"};
        Distribution shootdown_time {Unit::time, "From a shoot-down to the last confirmation"};
    };
    /// Who waits for a page.
    struct Waiter {
        std::uint32_t tag = 0;
        std::uint16_t tlb = 0;
    };
    /// queued: waits for a thread; walking: has one; held: ended on a page that is not resident,
    /// the fault buffer is full, still has its thread; faulting: the host is asked; unmapped: waits
    /// for a page order to map it, or to resume its application.
    enum class Phase : std::uint8_t { queued, walking, held, faulting, unmapped };
    struct Walk {
        std::uint64_t key = 0;
        Phase phase = Phase::queued;
        bool write = false; ///< somebody asks for leave to write
        std::uint32_t walker = 0;
        Tick since = 0; ///< of the walk, then of the fault
    };
    struct Walker {
        std::uint32_t walk = 0;
        bool leaf = false; ///< what it reads
    };
    struct Mapping {
        std::uint64_t frame = 0;
        bool mapped = false; ///< false: unmapped by an order, to be mapped again
    };
    struct Frame { ///< of memory that pages are brought to
        std::uint64_t key = 0;
        std::uint32_t older = 0, younger = 0; ///< neighbours in the order of eviction
        bool dirty = false;
    };
    struct Order {
        protocol::PageOrderReply reply;
        std::uint64_t key = 0, pages = 0; ///< shot down
        std::uint16_t mover = 0;
        std::uint32_t asked = 0, confirmed = 0; ///< TLBs
        Tick since = 0;
        bool live = false;
    };
    struct State {
        TlbArray pages; ///< the L2 TLB
        TlbArray roots; ///< the walk cache: leaf tables by application and number
        parts::MshrTable<Waiter> waiters;
        std::vector<Walk> walks;        ///< of each entry there
        HashMap<std::uint32_t> missing; ///< page to entry
        std::uint32_t buffered = 0;     ///< of them in the walk buffer,
        std::uint32_t faulting = 0;     ///< and in the fault buffer
        std::vector<Walker> walkers;
        FreeList free_walkers;
        Fifo<std::uint32_t> queued;               ///< entries that wait for a thread
        Fifo<std::uint32_t> reading;              ///< threads whose read has not left
        Fifo<std::uint32_t> held;                 ///< entries that wait for the fault buffer
        Fifo<std::uint32_t> reporting;            ///< entries whose fault has not left
        HashMap<Mapping> mappings;                ///< what does not follow from the placement
        std::uint64_t touched = 0;                ///< frames given out by first_touch
        std::vector<parts::SectorStore> unplaced; ///< by application: what pages hold before that
        std::vector<Frame> frames;                ///< that were ever claimed
        std::uint32_t oldest = 0, youngest = 0;
        std::vector<std::uint32_t> held_spaces; ///< orders to hold, by application
        std::vector<Order> orders;
        std::uint32_t ordered = 0; ///< of them in use
        std::uint32_t turn = 0;    ///< the TLB that is looked at first
        parts::CycleSlots slots;
        Timer next_cycle;
    };

    explicit Mmu(const Params& p) : params(p), clock_(p.clock()) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::vector<MemoryUse> memory_uses() const override;
    bool pending() const override { return state.waiters.size() != 0 || state.ordered != 0; }
    std::optional<std::string> imbalance() const override;
    std::uint64_t page_bytes() const override {
        return static_cast<std::uint64_t>(params.page->raw);
    }

    std::optional<std::uint64_t> frame_at_start(std::uint16_t application) const override;

    std::optional<std::uint64_t> frame_of(std::uint16_t application,
                                          std::uint64_t page) const override;
    void functional_unmapped(FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    static constexpr std::uint32_t nil = ~std::uint32_t {0};
    bool by_fault() const { return params.placement() == PagePlacement::faults; }

    void check_capacities();
    // Look-ups and walks.
    void look_up();
    bool serve(std::uint16_t tlb, const protocol::TranslationRequest& r);
    void start_walks();
    void read_entry(std::uint32_t walker);
    void entry_read(std::uint32_t walker);
    void end_walk(std::uint32_t walk);
    bool may_fault();
    void fault(std::uint32_t walk);
    void complete(std::uint32_t walk, std::uint64_t frame);
    std::optional<std::uint64_t> find(std::uint64_t key);
    std::optional<std::uint64_t> placed(std::uint64_t key) const;
    void place_contents(std::uint64_t key, std::uint64_t frame);
    // Page orders and residency (mmu_orders.cc).
    void take_orders();
    bool begin(std::uint16_t mover, const protocol::PageOrder& order);
    bool claim(Order& o);
    void unmap(Order& o);
    void map(const protocol::PageOrder& order);
    void hold(Order& o);
    void resume(std::uint16_t application);
    void complete_unmapped(std::uint32_t walk);
    void advance_orders();
    void resident(std::uint64_t key, std::uint64_t frame);
    void use(std::uint64_t frame, bool write);
    void append(std::uint32_t frame);
    void unlink(std::uint32_t frame);

    Clock clock_;
    PageTable table_;
    Permutation permutation_;
    std::uint64_t space_pages_ = 0, frames_ = 0, first_frame_ = 0;
};

} // namespace memsim::gpu
