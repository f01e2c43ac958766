#pragma once

#include "core/clock.hh"
#include "core/component.hh"
#include "mem/fr_fcfs.hh"
#include "parts/interleave.hh"
#include "protocol/ddrt.hh"
#include "protocol/mem.hh"

#include <optional>

namespace memsim::ohm {

using namespace memsim::literals;

/// What the controllers of both modes have in common as parameters, ports, statistics and State.
struct ChannelParams {
    using group = void;
    Param<unsigned> controllers {
        6, {1, 1024}, "Controllers that share the address space (Ohm-GPU table I: 6)"};
    Param<unsigned> index {0, {0, 1023}, "Which of them this one is"};
    Param<unsigned> modules {
        2, {1, 16}, "XPoint modules behind it (Ohm-GPU table III: 12 over 6 controllers)"};
    Param<unsigned> queue {
        64, {1, 4096}, "Requests in flight to the controller or waiting (assumption)"};
    Param<unsigned> requests {
        128, {2, 4096}, "Requests accepted and not yet done (assumption; sweep 64-512)"};
    Param<unsigned> width {
        16, {1, 4096}, "Bits of the channel (Ohm-GPU: 16 optical, 32 electrical)"};
    Param<Frequency> lane_rate {
        30_GHz, {1_MHz, 1000_GHz}, "Of each bit (Ohm-GPU: 30 GHz optical, 15 GHz electrical)"};
    Param<Time> serdes {
        1_ns, {0_fs, 1_us}, "SerDes, each side (assumption; 0 for an electrical channel)"};
    Param<Time> flight {
        1300_ps, {1_fs, 1_us}, "Along the waveguide (assumption: 10 cm at 13 ps/mm, n_g = 4)"};
    Param<Time> turnaround {
        2_ns,
        {0_fs, 1_us},
        "Idle when sender or direction changes (GDDR5 tRTRS; optical: 100 ps to tune a ring)"};
    Param<Time> grant_latency {
        5_ns,
        {1_fs, 1_us},
        "From grant to data leaving XPoint: half of the DDR-T handshake of 10 ns (assumption)"};
    Param<Time> lookup {
        833_ps, {1_fs, 1_us}, "Mapping or tags, charged to the answer (assumption: 1 cycle)"};
    Param<mem::DramPreset> dram_timing {mem::DramPreset::ohm_table1,
                                        "Timing of the DRAM (Ohm-GPU table I)"};
    Param<std::string> dram_changes {"", "Figures that differ from it: 'tRCDRD=12ns'"};
    Param<mem::PagePolicy> row_policy {mem::PagePolicy::open, "DRAM rows after an access"};
    Param<unsigned> dram_queue {
        32, {4, 4096}, "DRAM reads, and as many writes, being scheduled (assumption)"};
    Param<bool> check_contents {false, "Compare every read with what was written last"};

    Rate rate() const {
        return {width() * (lane_rate->raw / 8) + width() * (lane_rate->raw % 8) / 8};
    }
    Time one_way() const { return 2 * serdes() + flight(); }
};

/// `Params` holds them as `channel`.
template <class Params>
struct ChannelPorts {
    using group = void;
    template <auto M>
    static constexpr auto of = from<&Params::channel, M>;

    Responder<protocol::Mem> cpu_side {
        {.depth = of<&ChannelParams::queue>, .latency = of<&ChannelParams::lookup>}, "Requests"};
    Many<Requester<protocol::Ddrt>> commands {
        of<&ChannelParams::modules>,
        {.depth = of<&ChannelParams::requests>,
         .latency =
             +[](const void* p) { return static_cast<const Params*>(p)->channel.one_way(); }},
        "Commands to the XPoint modules; answered when data is ready"};
    Many<Requester<protocol::DdrtTransfer>> transfers {
        of<&ChannelParams::modules>,
        {.depth = of<&ChannelParams::requests>, .latency = of<&ChannelParams::grant_latency>},
        "Grants of the channel; answered by data"};
};

struct ChannelStats {
    using group = void;
    Distribution read_latency {Unit::time, "Demand reads, from acceptance to answer"};
    Distribution write_latency {Unit::time, "Demand writes, from acceptance to done"};
    Counter demand_bytes {Unit::byte, "Bytes over the channel for requests"};
    Counter migration_bytes {Unit::byte, "Bytes over the channel for migration"};
    Counter demand_time {Unit::time, "Channel time taken by requests"};
    Counter migration_time {Unit::time, "Channel time taken by migration"};
    Counter channel_time {Unit::time, "Channel time taken by both"};
    Counter dram_bytes {Unit::byte, "Bytes over the channel from and to the DRAM"};
    Ratio migration_share {migration_time, channel_time,
                           "Share of channel time spent on migration (ohm-11, ohm-12)"};
    Counter stall_time {Unit::time, "Time in which the first request could not be accepted"};
    Counter activates {Unit::count, "DRAM rows opened"};
    Counter precharges {Unit::count, "DRAM rows closed"};
    Counter refreshes {Unit::count, "DRAM refreshes"};
    Counter row_hits {Unit::count, "DRAM accesses, migration included, to an open row"};
    Counter row_misses {Unit::count, "DRAM accesses to a closed bank"};
    Counter row_conflicts {Unit::count, "DRAM accesses for which another row was closed"};
    Counter forwarded {Unit::count, "DRAM reads served from waiting writes"};
    Counter content_errors {Unit::count, "Reads that returned other data than written last"};
};

/// A write on its way through its slot of the channel.
struct Leaving {
    Tick at = 0;
    protocol::DdrtCommand command;
};

struct ChannelState {
    mem::DramDeviceState device;
    mem::FrFcfsState scheduler;
    parts::DataBusState bus;
    std::vector<Fifo<Leaving>> leaving; ///< to each module, one at most
    // Balance, apart from statistics, which may be reset.
    std::uint64_t bytes = 0, transfers = 0;
    std::array<std::int64_t, 2> remainder {}; ///< of bytes / rate: demand, migration
    Uint128 busy = 0;                         ///< of the channel
};

/// The wires of a controller, the DRAM behind them and the way to the XPoint modules: one transfer
/// at a time, booked at most lead() ahead, demand and migration counted apart. Who comes first is
/// the controller's to say.
class MemoryChannel {
  public:
    /// All outlive the channel. Throws ConfigError (parameter: what is wrong) for impossible DRAM.
    MemoryChannel(const ChannelParams& params, ChannelStats& stats, ChannelState& state);
    void init();

    mem::FrFcfs& dram() { return *dram_; }
    const mem::FrFcfs& dram() const { return *dram_; }
    const mem::DramTiming& timing() const { return timing_; }
    mem::DramAccess dram_access(std::uint64_t address, std::uint32_t bytes) const;
    /// To the scheduler, which can accept it.
    void enqueue(const mem::DramAccess& access, bool migration, Tick now);

    Tick free_at() const { return bus_->free_at(); }
    Tick lead() const { return lead_; } ///< how far ahead the channel is booked
    /// Takes the next slot, from when the sender can use it; returns its end.
    Tick book(std::uint32_t module, std::uint32_t bytes, bool towards_module, bool migration,
              Tick now);

    /// Brackets whatever takes channel time, for the balance.
    Uint128 counted() const { return stats_.channel_time.value(); }
    void balance(Uint128 before) { state_.busy += counted() - before; }
    std::optional<std::string> imbalance() const;

  private:
    void count(std::uint32_t bytes, bool migration);

    const ChannelParams& params_;
    ChannelStats& stats_;
    ChannelState& state_;
    mem::DramTiming timing_ {};
    std::optional<mem::DramDevice> device_;
    std::optional<parts::DataBus> bus_;
    std::optional<mem::FrFcfs> dram_;
    parts::Divider row_, burst_, banks_; ///< of the DRAM
    std::array<WireTime, 2> wire_;       ///< for demand, for migration
    Tick lead_ = 0;
};

} // namespace memsim::ohm
