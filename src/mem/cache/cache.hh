#pragma once

#include "mem/cache/commands.hh"
#include "mem/cache/fills.hh"
#include "mem/cache/prefetching.hh"
#include "mem/cache/writes.hh"
#include "protocol/traffic.hh"
#include "protocol/victims.hh"

namespace memsim::mem {

using protocol::Mem;

/// A sectored, non-blocking cache: an L1, or a slice of an L2.
///
/// Requests are looked up in order, `accesses_per_cycle` a cycle, each in the bank of its line,
/// which it takes for `read_cycles` or `write_cycles`. A hit is answered `latency` later. A miss
/// takes the victim's place at once (allocate on miss), writes its dirty sectors back, sends one
/// fetch of exactly its missing sectors, and waits in an MSHR; requests that find their sectors on
/// the way merge there. While a fetch is out later requests go on (hit under miss, miss under
/// miss); one that finds its bank busy, no MSHR, no target, no room below, or a set whose lines are
/// all being filled holds up those behind it. A fill is taken when it comes, occupies its bank for
/// a write (unless there is a `fill_port`), and answers at once, `latency` later, all that it
/// serves. What goes below leaves in order through one queue, so no fetch overtakes the write-back
/// of its line; fills are always taken, so queues below cannot lock with it.
///
/// Atomics are performed by a write-back cache and passed on by the others, which drop their copy.
/// Reserved ways hold lines that were written, whatever the policy, until they are evicted or
/// flushed. Hints fetch what is missing if there is room, and are dropped if not. Who sits below
/// and takes victims is offered them (protocol/victims.hh).
/// Precondition: a request lies within one line. Not modelled: ECC, the width of the data ports.
/// Equations: docs/models/caches.md.
///
/// The cache wires its stages (src/mem/cache/): look-up (Lines), misses, evictions, writes, fills,
/// the way below (Outlet), commands and hints.
class Cache final : public Model<Cache>,
                    public Functional,
                    public protocol::Probed,
                    public protocol::StatesTraffic,
                    public protocol::HasAddressShare {
  public:
    using Params = cache::Params;
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queues, &cache::QueueParams::queue>,
                                  .latency = from<&Params::timing, &cache::TimingParams::latency>},
                                 "Requests from above"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::queues, &cache::QueueParams::outstanding>,
             .latency = from<&Params::timing, &cache::TimingParams::miss_latency>},
            "Fetches, write-backs and what is passed on"};
        Many<Responder<Mem>> hints {
            from<&Params::hints, &cache::HintParams::hint_ports>,
            {.depth = from<&Params::hints, &cache::HintParams::hint_queue>, .hints = true},
            "Hints what to prefetch, each within this cache's chunk"};
        Many<Responder<Mem>> control {
            from<&Params::control_ports>,
            {.depth = from<&Params::queues, &cache::QueueParams::queue>,
             .latency = from<&Params::timing, &cache::TimingParams::latency>},
            "Commands for the cache itself: invalidate, flush, reserve"};
        cache::Observers events {
            from<&Params::observers>, {}, "Reads and evictions, for who takes them in at once"};
    };
    using Stats = cache::Stats;
    struct Late {
        Tick at = 0;
        protocol::MemResponse answer;
    };
    struct State { // what every access needs comes first, side by side
        CacheStall stall = CacheStall::none;
        std::uint32_t reserved = 0; ///< ways
        /// First line of the set that the first request waits for, as all of it is being filled.
        std::uint32_t full_set = parts::TagArray::none;
        std::uint64_t owed = 0;     ///< answers not yet given
        std::uint64_t fetching = 0; ///< bytes asked for below and not yet here
        parts::TagArray tags;
        Policy<parts::SetHash> set_hash;
        cache::Mshrs mshrs;
        cache::MshrUse::State mshr_use;
        BankedSlotsState slots;
        cache::Outlet::State outlet;
        Fifo<Late> late; ///< answers to writes, which wait for the array
        cache::Commands::Flush flush;
        cache::LineContents::State contents;
        std::vector<std::uint32_t> hint_done; ///< bytes of the first hint of each port
        Tick stalled_since = 0;
        Timer next_cycle, next_late, next_hint;
    };

    explicit Cache(const Params& p) : params(p) {}
    void init() override;
    void start() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    bool pending() const override { return state.owed != 0 || !state.outlet.queue.empty(); }
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    void probe(protocol::SectorProbe& probe) const override { stages_->lines.probe(probe); }
    void take_bank(std::uint64_t address) override;
    bool sees(std::uint64_t address) const override {
        return !share_.dealt_by || stages_->map.cache_of(address) == share_.index;
    }
    protocol::Traffic traffic(const PortBase&, unsigned hops) const override {
        return {protocol::traffic_to(port.cpu_side, hops).share, params.line_bytes(), this};
    }
    std::optional<protocol::AddressShare> share() const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    static constexpr CacheStall served = CacheStall::none;

    void serve_queue();
    CacheStall serve(const protocol::MemRequest& r);
    CacheStall serve_here(const cache::Access& a);
    void take_hints();
    bool take_hint(const protocol::MemRequest& h, std::uint32_t done, std::uint32_t bytes);
    void serve_control();
    CacheStall manage(const protocol::MemRequest& r, std::uint32_t from);
    void end_flush();
    void come_back(const protocol::MemResponse& r);
    void answer(protocol::MemResponse r, std::uint32_t line, bool here);
    void send_up(const protocol::MemResponse& r, bool here);
    void answer_write(const protocol::MemRequest& r);
    void note(CacheStall cause);
    [[noreturn]] void refuse_request(const protocol::MemRequest& r) const;
    void warm();
    void take_share();

    /// The parts, which work on State.
    struct Stages : cache::Core {
        cache::Evictions evictions {*this};
        cache::Misses misses {*this, evictions};
        cache::Writes writes {*this, evictions, misses};
        cache::Fills fills {*this};
        cache::Commands commands;
        cache::Prefetching prefetching;
        Stages(Cache& c, bool victims);
    };
    std::optional<Stages> stages_;
    protocol::AddressShare share_; ///< the addresses that it sees
    Tick late_ = 0;                ///< how much later than a read's a write's answer is
};

} // namespace memsim::mem
