#pragma once

#include "mem/cache/stages.hh"
#include "protocol/traffic.hh"
#include "protocol/victims.hh"

namespace memsim::mem {

using protocol::Mem;

/// A sectored, non-blocking cache: an L1, or a slice of an L2.
///
/// Requests are looked up in order, `accesses_per_cycle` per cycle. Each request occupies the bank
/// of its line for `read_cycles` or `write_cycles`. A hit is answered after `latency`. A miss
/// allocates the victim's way at once, writes back the victim's dirty sectors, fetches exactly the
/// missing sectors with one read, and waits in an MSHR. Requests for sectors that are already being
/// fetched merge into that MSHR. Later requests continue while a fetch is outstanding (hit under
/// miss, miss under miss). A request stalls the queue if its bank is busy, if no MSHR, target or
/// space in the queue below is free, or if all lines of its set are being filled. A fill is
/// accepted when it arrives, occupies its bank for a write (unless `fill_port` is set) and answers
/// all requests that it completes, `latency` later.
///
/// A write-back cache performs atomics; other caches forward them and drop their copy. Atomics that
/// change one sector follow each other at `atomic_interval` or later. Reserved
/// ways keep written lines under every write policy until they are evicted or flushed. Hints fetch
/// missing sectors if resources are free; otherwise they are dropped. Evicted lines are offered to
/// the component below if it accepts victims (protocol/victims.hh).
///
/// A slice of an L2 of two partitions answers requesters of the other one later, unless a copy of
/// their sectors is there (partitions.hh).
///
/// Ordering      All messages to the next level leave in order through one queue: a fetch never
///               overtakes the write-back of its line.
/// Requires      A request lies within one line.
/// Guarantees    Fills are always accepted, so the queues below cannot deadlock with the cache.
/// Not modelled  ECC; the width of the data ports.
/// See           docs/models/caches.md (equations); src/mem/cache/ (the stages: Lines, Misses,
///               Evictions, Writes, Fills, Outlet, Commands, Prefetching, Partitions)
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
            "Fetches, write-backs and forwarded requests"};
        Many<Responder<Mem>> hints {
            from<&Params::hints, &cache::HintParams::hint_ports>,
            {.depth = from<&Params::hints, &cache::HintParams::hint_queue>, .hints = true},
            "Prefetch hints, each within this cache's chunk"};
        Many<Responder<Mem>> control {
            from<&Params::control_ports>,
            {.depth = from<&Params::queues, &cache::QueueParams::queue>,
             .latency = from<&Params::timing, &cache::TimingParams::latency>},
            "Commands to the cache: invalidate, flush, reserve"};
        cache::Observers events {from<&Params::observers>,
                                 {},
                                 "Reads and evictions, received by observers at the same time"};
    };
    using Stats = cache::Stats;
    using State = cache::State;

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
    void serve_hints();
    void take_hints();
    bool take_hint(const protocol::MemRequest& h, std::uint32_t done, std::uint32_t bytes);
    void serve_control();
    CacheStall execute_command(const protocol::MemRequest& r, std::uint32_t from);
    void end_flush();
    void come_back(const protocol::MemResponse& r);
    void set_stall(CacheStall cause);
    [[noreturn]] void refuse_request(const protocol::MemRequest& r) const;
    void warm();
    void take_share();

    std::optional<cache::Stages> stages_; ///< operate on State
    protocol::AddressShare share_;        ///< the addresses that this cache serves
    Tick late_write_ = 0;  ///< extra latency of a write's response compared with a read's
    Tick late_atomic_ = 0; ///< extra latency of an atomic's response
};

} // namespace memsim::mem
