#pragma once

#include "core/clock.hh"
#include "core/functional.hh"
#include "parts/sector_store.hh"
#include "protocol/block_io.hh"

namespace memsim::flash {

using namespace memsim::literals;

/// A drive of fixed latency and bandwidth: each request takes the data path for bytes / bandwidth,
/// in order of arrival, and is answered its latency later. For tests, and where a drive is an ideal
/// or a figure of a data sheet. Not modelled: flash, cache, capacity.
class FixedDrive final : public Model<FixedDrive>, public Functional {
  public:
    struct Params {
        Param<Time> read_latency {15_us,
                                  {1_fs, 1_s},
                                  "Latency of a read (Samsung SZ985 Z-SSD: 12 to 20 us)",
                                  Change::tunable};
        Param<Time> write_latency {
            16_us, {1_fs, 1_s}, "Latency of a write (Samsung SZ985 Z-SSD: 16 us)", Change::tunable};
        Param<Rate> bandwidth {3'200_MBps,
                               {1_MBps, Rate {1'000'000'000'000'000}},
                               "Rate of the data path (Samsung SZ985 Z-SSD: 3.2 GB/s)",
                               Change::tunable};
        Param<unsigned> queue {64, {1, 65536}, "Requests waiting or in flight to this component"};
    };
    struct Ports {
        Responder<protocol::BlockIo> requests {{.depth = from<&Params::queue>}, "Block requests"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads served"};
        Counter writes {Unit::count, "Writes served"};
        Counter bytes {Unit::byte, "Bytes moved by reads and writes"};
        PerSecond bandwidth {bytes, "Bytes moved a second of simulated time"};
    };
    struct State {
        Tick free_at = 0;           ///< when the data path is free
        std::int64_t remainder = 0; ///< of bytes / bandwidth
        std::uint32_t serving = 0;
        Fifo<protocol::BlockResponse> done;
        parts::SectorStore contents;
        Timer ready;
    };

    explicit FixedDrive(const Params& p) : params(p), wire_(p.bandwidth()) {}
    void wake() override;
    bool pending() const override { return state.serving != 0; }
    void functional(const PortBase&, FunctionalAccess& access) override {
        state.contents.functional(access);
    }
    void served(const protocol::BlockResponse& r);

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    Contents::Id move_contents(const protocol::BlockRequest& r);

    WireTime wire_;
};

} // namespace memsim::flash
