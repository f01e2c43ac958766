#pragma once

#include "core/base/clock.hh"
#include "core/machine/functional.hh"
#include "device_parts/sector_store.hh"
#include "protocol/mem.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

/// A memory of fixed latency and bandwidth. Each request occupies the data path for bytes /
/// bandwidth, in order of arrival, and is answered `latency` later. For tests, and as an ideal
/// memory for comparison. Not modelled: banks, refresh, turnaround.
class SimpleMemory final : public Model<SimpleMemory>, public Functional {
  public:
    struct Params {
        Param<Bytes> capacity {1_GiB,
                               {1_B, Bytes {std::int64_t {1} << 50}},
                               "Has no effect: the memory has every address",
                               example_value()};
        Param<Time> latency {100_ns,
                             {1_fs, 1_ms},
                             "Time from the data path to the response",
                             Change::tunable,
                             example_value()};
        Param<Rate> bandwidth {64_GBps,
                               {1_MBps, Rate {1'000'000'000'000'000}},
                               "Rate of the data path, shared by reads and writes",
                               Change::tunable,
                               example_value()};
        Param<unsigned> queue {
            32, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>, .latency = from<&Params::latency>},
                                 "Requests"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads served"};
        Counter writes {Unit::count, "Writes and atomics served"};
        Counter bytes {Unit::byte, "Bytes transferred by reads and writes"};
        PerSecond bandwidth {bytes, "Bytes transferred per second of simulated time"};
    };
    struct State {
        Tick free_at = 0;           ///< when the data path is free
        std::int64_t remainder = 0; ///< of bytes / bandwidth
        device_parts::SectorStore contents;
        Timer ready;
    };

    explicit SimpleMemory(const Params& p) : params(p), wire_(p.bandwidth()) {}
    void wake() override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    WireTime wire_;
};

} // namespace memsim::mem
