#pragma once

#include "core/base/clock.hh"
#include "core/machine/functional.hh"
#include "device_parts/sector_store.hh"
#include "flash/drive/task_load.hh"
#include "protocol/block_size.hh"

namespace memsim::flash {

using namespace memsim::literals;

/// A drive of fixed latency and bandwidth. Each request occupies the data path for a fixed time
/// plus bytes / bandwidth, in order of arrival, and is answered after its latency. For tests, ideal
/// drives, or drives described by a data sheet. Optionally the drive performs an internal task,
/// such as wear levelling, after every `task_writes` writes; its data path then stops for
/// `task_time`, which is announced if `load` is connected. Not modelled: flash, cache, capacity.
class FixedDrive final : public Model<FixedDrive>,
                         public Functional,
                         public protocol::HasBlockSize {
  public:
    struct Params {
        Param<Time> read_latency {
            15_us,
            {1_fs, 1_s},
            "Latency of a read",
            assumed("within the 12 to 20 us of the Samsung SZ985's specifications of January 2018"),
            Change::tunable};
        Param<Time> write_latency {
            16_us,
            {1_fs, 1_s},
            "Latency of a write",
            cited("Samsung SZ985, specifications of January 2018: random write 16 us"),
            Change::tunable};
        Param<Rate> bandwidth {3'200_MBps,
                               {1_MBps, Rate {1'000'000'000'000'000}},
                               "Rate of the data path",
                               cited("Samsung SZ985, specifications of January 2018: 3.2 GB/s"),
                               Change::tunable};
        Param<Rate> write_bandwidth {Rate {0},
                                     {Rate {0}, Rate {1'000'000'000'000'000}},
                                     "Rate of the data path for writes; 0: the rate for reads",
                                     at_least(1_MBps).or_zero(),
                                     Change::tunable,
                                     assumed("one rate for reads and writes")};
        Param<Time> read_time {0_fs,
                               {0_fs, 1_s},
                               "Fixed time of the data path for a read, in addition to its bytes; "
                               "limits the reads per second",
                               Change::tunable,
                               assumed("the bytes alone take time")};
        Param<Time> write_time {0_fs,
                                {0_fs, 1_s},
                                "Fixed time of the data path for a write, in addition to its bytes",
                                Change::tunable,
                                assumed("the bytes alone take time")};
        Param<Bytes> block {512_B,
                            {32_B, 4_KiB},
                            "Size of a block, the unit of requests",
                            power_of_two(),
                            assumed("a sector of a drive")};
        Param<unsigned> task_writes {
            0,
            {0, 1u << 30},
            "Writes between two internal tasks of the drive; 0: no such tasks",
            switched_off()};
        Param<Time> task_time {10_us,
                               {1_fs, 1_s},
                               "Duration of an internal task of the drive",
                               assumed("without effect where `task_writes` is 0")};
        Param<Time> announce {
            10_us, {0_fs, 100_us}, "Time from the announcement of a task to its start", assumed()};
        Param<unsigned> queue {
            64, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
    };
    struct Ports {
        Responder<protocol::BlockIo> requests {{.depth = from<&Params::queue>}, "Block requests"};
        Optional<Out<protocol::DeviceLoad>> load {
            {}, "Load of the drive: severe before and during an internal task"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads served"};
        Counter writes {Unit::count, "Writes served"};
        Counter bytes {Unit::byte, "Bytes transferred by reads and writes"};
        Counter tasks {Unit::count, "Internal tasks started"};
        Counter announcements {Unit::count, "Announcements of severe load"};
        PerSecond bandwidth {bytes, "Bytes transferred per second of simulated time"};
    };
    struct State {
        Tick free_at = 0;           ///< when the data path is free
        std::int64_t remainder = 0; ///< of bytes / bandwidth
        std::int64_t write_remainder = 0;
        std::uint32_t serving = 0;
        std::uint32_t writes = 0; ///< since the last task
        Tick task_until = 0;      ///< the end of the last task
        TaskLoad load;
        Fifo<protocol::BlockResponse> done;
        device_parts::SectorStore contents;
        Timer ready;
    };

    explicit FixedDrive(const Params& p)
        : params(p), read_wire_(p.bandwidth()),
          write_wire_(p.write_bandwidth->raw ? p.write_bandwidth() : p.bandwidth()) {}
    void wake() override;
    bool pending() const override { return state.serving != 0; }
    void functional(const PortBase&, FunctionalAccess& access) override {
        state.contents.functional(access);
    }
    std::uint32_t block_bytes() const override {
        return static_cast<std::uint32_t>(params.block->raw);
    }
    void served(const protocol::BlockResponse& r);

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void begin(const protocol::BlockRequest& r);
    bool task_due() const { return params.task_writes() && state.writes >= params.task_writes(); }
    void run_task();
    Contents::Id move_contents(const protocol::BlockRequest& r);

    WireTime read_wire_, write_wire_;
};

} // namespace memsim::flash
