#pragma once

#include "mem/dram/device/bank_hash.hh"
#include "mem/dram/device/pseudo_channels.hh"
#include "mem/dram/presets/preset.hh"
#include "mem/dram/schedule/scheduler.hh"
#include "mem/fault.hh"

#include <optional>

namespace memsim::mem {

using namespace memsim::literals;

struct DramControllerParams {
    Param<DramPreset> timing {
        DramPreset("ddr4_3200"),
        "Timing table: the name of a preset, or a memsim.dram.Preset of a script", example_value()};
    Param<std::string> changes {
        "", "Values that replace those of the timing table: 'tRCDRD=12ns ranks=1'",
        table_figures()};
    Param<unsigned> pseudo_channels {
        1,
        {1, PseudoChannels::most},
        "Pseudo-channels that share queues and command buses. Each has the ranks and data pins "
        "of the table; the digit Ra of the map counts the ranks of all",
        assumed("a channel without pseudo-channels")};
    Param<Bytes> capacity {16_GiB,
                           {1_KiB, Bytes {std::int64_t {1} << 50}},
                           "Capacity of this channel, all ranks together",
                           example_value()};
    Param<std::string> map {"RoRaBaCoCh", "Order of the digits of the address, highest first",
                            usual_policy()};
    Param<PolicyName<BankHash>> bank_hash {
        "none", "Policy that permutes the banks of the map by the row", switched_off()};
    Param<unsigned> channels {
        0,
        {0, 4096},
        "Channels over which the digit Ch of the map spreads the addresses; 0: the map covers "
        "only this channel's addresses, as distributed by the crossbar above",
        from_wiring()};
    Param<unsigned> channel {
        0, {0, 4095}, "Index of this channel among those that share the addresses", from_wiring()};
    Param<Bytes> interleave {
        0_B, {0_B, 1_GiB}, "Range of the digit Cl of the map; 0: one burst", from_wiring()};
    Param<unsigned> hash_rounds {0,
                                 {0, 4096},
                                 "Rounds in which a hash deals chunks of `interleave` bytes to the "
                                 "channels, as of mem.Crossbar; the map then covers one channel",
                                 from_wiring()};
    Param<PolicyName<RowPolicy>> page {"open", "Policy that closes rows after an access",
                                       usual_policy()};
    Param<unsigned> most_accesses {0,
                                   {0, 1u << 20},
                                   "Column commands after which a row is closed; 0: no limit",
                                   switched_off()};
    Param<unsigned> queue {
        8, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
    Param<unsigned> read_queue {32, {1, 16384}, "Reads visible to the scheduler", queue_places()};
    Param<unsigned> write_queue {32, {1, 16384}, "Writes visible to the scheduler", queue_places()};
    Param<unsigned> write_high {
        28, {1, 16384}, "Waiting writes that start a drain", assumed("7/8 of the queue")};
    Param<unsigned> write_low {16,
                               {0, 16384},
                               "Waiting writes at which the scheduler returns to reads",
                               assumed("half of the queue")};
    Param<unsigned> write_batch {
        0,
        {0, 16384},
        "Writes of a drain after which the scheduler returns to reads; 0: at write_low",
        switched_off()};
    Param<Time> write_idle {0_fs,
                            {0_fs, 1_ms},
                            "Time without data on the bus after which fewer than write_high writes "
                            "are written, if no read waits; 0: at once",
                            switched_off()};
    Param<unsigned> read_batch {
        0, {0, 16384}, "Reads served before a drain begins, while any wait", switched_off()};
    Param<PolicyName<DramOrder>> order {
        "first_ready", "Policy that selects the next command",
        cited("GPGPU-Sim, SM2_GTX480: FR-FCFS (Rixner et al., ISCA'00)")};
    Param<unsigned> bank_queue {
        0,
        {0, 64},
        "Requests of a bank visible to the scheduler. Further requests wait in the read and "
        "write queues, whose capacity then counts only those. 0: all are visible",
        switched_off()};
    Param<PolicyName<RefreshPolicy>> refresh {
        "ranks_in_turn", "Policy that selects the banks to refresh together, each every tREFI",
        usual_policy()};
    Param<Rate> channel_rate {Rate {0},
                              {Rate {0}, Rate {1'000'000'000'000'000}},
                              "Rate of the wires; 0: that of the table",
                              at_least(1_MBps).or_zero(),
                              table_figures()};
    Param<Time> channel_latency {
        0_fs, {0_fs, 1_us}, "Time from one end of the wires to the other", least_latency()};
    Param<Time> latency {1_fs,
                         {1_fs, 1_us},
                         "Latency of the controller's pipeline, added to the response",
                         least_latency()};
};

/// The timing table of all pseudo-channels together. Throws ConfigError if it is invalid.
DramTiming timing_of(const DramControllerParams& p);
/// `t`: the timing table.
std::optional<Fault> fault_of(const DramControllerParams& p, const DramTiming& t);

} // namespace memsim::mem
