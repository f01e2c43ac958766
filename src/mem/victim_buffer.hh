#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "protocol/mem.hh"
#include "protocol/probe.hh"
#include "protocol/traffic.hh"
#include "protocol/victims.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

/// A small, fully associative buffer between a cache and the next level. It keeps clean sectors of
/// evicted lines; the oldest are replaced first.
///
/// Models        A read that finds sectors in the buffer moves them back into the cache. Missing
///               sectors are read from the next level; both form one response. A write drops the
///               sectors that it touches and is forwarded.
/// Ordering      Requests are looked up in order of arrival. A request that must be forwarded while
///               the next level is full stalls later requests.
/// Not modelled  The width of its port; the time of a search.
class VictimBuffer final : public Model<VictimBuffer>,
                           public Functional,
                           public protocol::StatesTraffic,
                           public protocol::TakesVictims,
                           public protocol::Probed {
  public:
    struct Params {
        Param<unsigned> sectors {
            16, {1, 1024}, "Capacity in sectors of 32 bytes", stated("CMD III-D: 16")};
        Param<Time> latency {
            1_ns,
            {1_fs, 1_us},
            "Time from the lookup to the response, and latency of responses from the next level",
            assumed("a search of 16 entries; range 0.5 to 5 ns"),
            Change::tunable};
        Param<Time> miss_latency {1_fs,
                                  {1_fs, 1_us},
                                  "Time from the lookup to the next level's input",
                                  Change::tunable,
                                  least_latency()};
        Param<unsigned> queue {
            16, {1, 65536}, "Messages waiting or in flight to this component", queue_places()};
        Param<unsigned> outstanding {
            256, {1, 65536}, "Messages to the next level without a response", queue_places()};
        Param<Stage> stage {protocol::Stage::l2, "Latency stage of the time spent in this buffer",
                            example_value()};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>, .latency = from<&Params::latency>},
                                 "The cache above"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::miss_latency>},
            "Writes, and reads that are not found in the buffer"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads looked up"};
        Counter hits {Unit::count, "Reads with all sectors in the buffer"};
        Counter part_hits {Unit::count, "Reads with some sectors in the buffer"};
        Counter read_sectors {Unit::count, "Sectors requested by reads"};
        Counter hit_sectors {Unit::count,
                             "Sectors found in the buffer and moved back into the cache"};
        Counter taken {Unit::count, "Sectors of victims stored"};
        Counter pushed_out {Unit::count, "Sectors replaced by younger ones"};
        Counter dropped {
            Unit::count,
            "Sectors dropped because they were written or their cache was invalidated"};
        Distribution hit_distance {Unit::count,
                                   "Position of each sector that a read finds, counted from the "
                                   "youngest: 1 is the last one stored"};
        Ratio hit_rate {hit_sectors, read_sectors, "Sectors found per sector requested"};
    };
    struct Held {
        std::uint64_t sector = 0; ///< address / 32
        std::uint16_t application = 0;
        SectorBytes data; ///< if the machine carries contents
    };
    struct State {
        Fifo<Held> held;
        std::vector<protocol::MemRequest>
            waiting;   ///< reads waiting for the next level, with the sectors found here
        FreeList free; ///< free entries of `waiting`
    };

    explicit VictimBuffer(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    void probe(protocol::SectorProbe& probe) const override;

    protocol::Traffic traffic(const PortBase&, unsigned hops) const override {
        return protocol::traffic_to(port.cpu_side, hops);
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool serve(const protocol::MemRequest& r);
    bool read(const protocol::MemRequest& r);
    bool forward(protocol::MemRequest r, const protocol::MemRequest& awaited);
    void store_victim(const protocol::MemRequest& r);
    void drop(const protocol::MemRequest& r);
    void empty(std::uint16_t application);
    void come_back(const protocol::MemResponse& r);
    std::uint32_t find(std::uint64_t sector) const;

    static constexpr std::uint32_t none = ~std::uint32_t {0};
};

} // namespace memsim::mem
