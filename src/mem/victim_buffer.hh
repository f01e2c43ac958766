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

/// A small, fully associative buffer below a cache, which keeps the clean sectors of lines that
/// made room there, the oldest out first. It sits on the cache's way to the level below. A read
/// that finds sectors here takes them back into the cache; what it does not find is asked for
/// below, and both are one answer. A write drops the sectors that it touches, and goes on. Requests
/// are looked up in order as they come; one that goes below and finds no room there holds up those
/// behind it. Not modelled: the width of its port, the time of a search.
class VictimBuffer final : public Model<VictimBuffer>,
                           public Functional,
                           public protocol::StatesTraffic,
                           public protocol::TakesVictims,
                           public protocol::Probed {
  public:
    struct Params {
        Param<unsigned> sectors {
            16, {1, 1024}, "Sectors of 32 bytes held", stated("CMD III-D: 16")};
        Param<Time> latency {1_ns,
                             {1_fs, 1_us},
                             "Time from the look-up to the answer, and of answers from below",
                             assumed(),
                             Change::tunable};
        Param<Time> miss_latency {
            1_fs, {1_fs, 1_us}, "Time from the look-up to the next level's input", Change::tunable};
        Param<unsigned> queue {16, {1, 65536}, "Messages waiting or in flight to this component"};
        Param<unsigned> outstanding {256, {1, 65536}, "Messages below that wait for an answer"};
        Param<Stage> stage {protocol::Stage::l2, "Stage that a request's time here is"};
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
        Counter hits {Unit::count, "Reads of which all sectors were in the buffer"};
        Counter part_hits {Unit::count, "Reads of which some sectors were in the buffer"};
        Counter read_sectors {Unit::count, "Sectors that reads ask for"};
        Counter hit_sectors {
            Unit::count,
            "Sectors of fetches that were in the buffer, and went back into the cache"};
        Counter taken {Unit::count, "Sectors of victims put in"};
        Counter pushed_out {Unit::count, "Sectors that made room for younger ones"};
        Counter dropped {Unit::count, "Sectors that became old: written, or their cache emptied"};
        Distribution hit_distance {
            Unit::count,
            "Place of each sector that a read finds, counted from the youngest: 1 is the last one "
            "that was put in"};
        Ratio hit_rate {hit_sectors, read_sectors, "Sectors found for each asked for"};
    };
    struct Held {
        std::uint64_t sector = 0; ///< address / 32
        std::uint16_t application = 0;
        SectorBytes data; ///< where the machine carries contents
    };
    struct State {
        Fifo<Held> held;
        std::vector<protocol::MemRequest> waiting; ///< for answers from below, with what was here
        FreeList free;                             ///< places there
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
    bool pass(protocol::MemRequest r, const protocol::MemRequest& awaited);
    void take(const protocol::MemRequest& r);
    void drop(const protocol::MemRequest& r);
    void empty(std::uint16_t application);
    void come_back(const protocol::MemResponse& r);
    std::uint32_t find(std::uint64_t sector) const;

    static constexpr std::uint32_t none = ~std::uint32_t {0};
};

} // namespace memsim::mem
