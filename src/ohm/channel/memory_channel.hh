#pragma once

#include "core/base/clock.hh"
#include "core/kernel/component.hh"
#include "device_parts/interleave.hh"
#include "mem/dram/presets/preset.hh"
#include "mem/dram/schedule/scheduler.hh"
#include "ohm/channel/lent_banks.hh"
#include "protocol/ddrt.hh"
#include "protocol/mem.hh"

#include <functional>
#include <optional>

namespace memsim::ohm {

using namespace memsim::literals;

/// The channel for transfers of migrations.
enum class MigrationChannel : std::uint8_t {
    shared,    ///< over the channel, between requests
    dedicated, ///< over a separate channel of the same width and rate (Ohm-GPU Fig. 8: Oracle)
};
constexpr std::array<std::string_view, 2> names_of(MigrationChannel) {
    return {"shared", "dedicated"};
}

/// Parameters, ports, statistics and State that the controllers of both modes share.
struct ChannelParams {
    using group = void;
    Param<unsigned> controllers {
        6, {1, 1024}, "Controllers that share the address space", stated("Ohm-GPU table I: 6")};
    Param<unsigned> index {0,
                           {0, 1023},
                           "Index of this controller among those that share the addresses",
                           from_wiring()};
    Param<unsigned> modules {2,
                             {1, 16},
                             "XPoint modules behind this controller",
                             stated("Ohm-GPU table III: 12 over 6 controllers")};
    Param<unsigned> queue {
        64, {1, 4096}, "Requests queued or in flight to the controller", assumed()};
    Param<unsigned> requests {128,
                              {2, 4096},
                              "Requests accepted and not yet done",
                              assumed("no source gives it; range 64-512")};
    Param<unsigned> width {16,
                           {1, 4096},
                           "Width of the channel in bits",
                           stated("Ohm-GPU: 16 optical, 32 electrical")};
    Param<Frequency> lane_rate {30_GHz,
                                {1_MHz, 1000_GHz},
                                "Bit rate of each lane",
                                stated("Ohm-GPU: 30 GHz optical, 15 GHz electrical")};
    Param<unsigned> command_bits {0,
                                  {0, 256},
                                  "Command and address bits that cross the channel with each 32 "
                                  "bytes (0: they use separate lanes)",
                                  stated("Ohm-GPU III-A: \"serialized in the optical channel\"")};
    Param<Time> serdes {
        1_ns, {0_fs, 1_us}, "SerDes latency of each side (0 for an electrical channel)", assumed()};
    Param<Time> flight {1300_ps,
                        {1_fs, 1_us},
                        "Time of light along the waveguide",
                        assumed("10 cm at 13 ps/mm, n_g = 4")};
    Param<Time> turnaround {
        2_ns,
        {0_fs, 1_us},
        "Idle time when sender or direction changes",
        assumed("of the order of tRTRS of wires; a ring takes 100 ps to tune (Ohm-GPU IV-C)")};
    Param<Time> grant_latency {
        5_ns,
        {1_fs, 1_us},
        "Time from a grant to data leaving XPoint (half of the DDR-T handshake of 10 ns)",
        assumed()};
    Param<Time> lookup {833_ps,
                        {1_fs, 1_us},
                        "Latency of the mapping or tag look-up, added to the answer",
                        assumed("1 cycle")};
    Param<mem::DramPreset> dram_timing {mem::DramPreset("ohm_table1"), "Timing table of the DRAM",
                                        stated("Ohm-GPU table I")};
    Param<std::string> dram_changes {
        "", "Values that replace those of the timing table, such as 'tRCDRD=12ns'",
        table_figures()};
    Param<PolicyName<mem::RowPolicy>> row_policy {
        "open", "Policy for closing DRAM rows after an access", usual_policy()};
    Param<unsigned> dram_queue {
        32, {4, 4096}, "DRAM reads in the scheduler, and equally many writes", assumed()};
    Param<bool> bank_stats {false, "Count statistics of each DRAM bank", switched_off()};
    Param<MigrationChannel> migration_channel {
        MigrationChannel::shared, "Channel for transfers of migrations", stated("Ohm-GPU Fig. 8")};

    /// Data rate, without the share of commands.
    Rate rate() const {
        const std::int64_t all =
            width() * (lane_rate->raw / 8) + width() * (lane_rate->raw % 8) / 8;
        constexpr std::int64_t data = 8 * 32;
        const std::int64_t with = data + command_bits();
        return {all / with * data + all % with * data / with};
    }
    Time one_way() const { return 2 * serdes() + flight(); }
    /// Throws ConfigError if the DRAM parameters are inconsistent.
    mem::DramTiming timing() const;
    /// Banks with statistics; 0 if the timing is invalid.
    unsigned counted_banks() const;
    /// Wires of transfers for which no request waits.
    mem::DramWires migration_wires() const {
        return migration_channel() == MigrationChannel::dedicated ? mem::DramWires::side
                                                                  : mem::DramWires::data;
    }
};

/// Requires that `Params` contains ChannelParams as `channel`.
template <class Params>
struct ChannelPorts {
    using group = void;
    template <auto M>
    static constexpr auto of = from<&Params::channel, M>;

    Responder<protocol::Mem> cpu_side {
        {.depth = of<&ChannelParams::queue>, .latency = of<&ChannelParams::lookup>, .hints = true},
        "Requests and hints from the GPU"};
    Many<Requester<protocol::Ddrt>> commands {
        of<&ChannelParams::modules>,
        {.depth = of<&ChannelParams::requests>,
         .latency =
             +[](const void* p) { return static_cast<const Params*>(p)->channel.one_way(); }},
        "Commands to the XPoint modules, answered when data is ready"};
    Many<Requester<protocol::DdrtTransfer>> transfers {
        of<&ChannelParams::modules>,
        {.depth = of<&ChannelParams::requests>, .latency = of<&ChannelParams::grant_latency>},
        "Grants of the channel, answered by data"};
};

struct ChannelStats {
    using group = void;
    Distribution read_latency {Unit::time, "Time of demand reads from acceptance to answer"};
    Distribution write_latency {Unit::time, "Time of demand writes from acceptance to completion"};
    Counter demand_bytes {Unit::byte, "Bytes over the channel for requests"};
    Counter migration_bytes {Unit::byte, "Bytes over the channel for migration"};
    ElapsedTime demand_time {"Channel time used by requests"};
    ElapsedTime migration_time {"Channel time used by migration"};
    ElapsedTime channel_time {"Channel time used by requests and migration"};
    Counter side_bytes {Unit::byte,
                        "Bytes over the memory route or the separate migration channel"};
    ElapsedTime side_time {"Busy time of the memory route or the separate migration channel"};
    Counter coded_bytes {Unit::byte,
                         "Bytes over the channel that took 3/2 of the plain time (WOM code)"};
    Counter dram_bytes {Unit::byte, "Bytes over the channel to and from the DRAM"};
    Ratio migration_share {migration_time, channel_time,
                           "Share of channel time spent on migration (ohm-11, ohm-12)"};
    Counter hints_dropped {
        Unit::count, "Hints that did not count as an access: for pages elsewhere or being moved, "
                     "and all hints in two-level mode"};
    ElapsedTime stall_time {"Time during which the oldest request could not be accepted"};
    Counter activates {Unit::count, "DRAM rows opened"};
    Counter precharges {Unit::count, "DRAM rows closed"};
    Counter refreshes {Unit::count, "DRAM refreshes"};
    Counter row_hits {Unit::count, "DRAM accesses, migration included, to an open row"};
    Counter row_misses {Unit::count, "DRAM accesses to a closed bank"};
    Counter row_conflicts {Unit::count, "DRAM accesses that closed another row first"};
    Counter forwarded {Unit::count, "DRAM reads served from queued writes"};
};

/// Statistics of each DRAM bank, with `bank_stats`. Requires that `Params` contains ChannelParams
/// as `channel`.
template <class Params>
struct BankStats {
    using group = void;
    static unsigned banks(const void* params) {
        return static_cast<const Params*>(params)->channel.counted_banks();
    }
    Each<Counter> bank_reads {banks, Unit::count, "DRAM accesses that read from each bank"};
    Each<Counter> bank_writes {banks, Unit::count, "DRAM accesses that wrote to each bank"};
    Each<Counter> bank_activates {banks, Unit::count, "DRAM rows opened in each bank"};
    Each<Counter> bank_row_hits {banks, Unit::count, "DRAM accesses to an open row in each bank"};

    mem::DramBankCounters counters() {
        return {bank_reads, bank_writes, bank_activates, bank_row_hits};
    }
};

/// A write whose slot of the channel has been booked.
struct Leaving {
    Tick at = 0;
    protocol::DdrtCommand command;
};

struct ChannelState {
    mem::DramDeviceState device;
    mem::DramSchedulerState scheduler;
    LentBanksState lent;
    mem::DataBusState bus;
    mem::DataBusState side;                   ///< the side bus, if there is one
    std::vector<Fifo<Leaving>> leaving;       ///< at most one per module
    std::array<std::int64_t, 2> remainder {}; ///< of bytes / rate: demand, migration
    mem::DramCarried data, beside;
    std::uint64_t coded_seen = 0; ///< bytes included in the statistic
    Tick uncoded_until = 0;       ///< end of transfers that cannot share the light
};

/// The wires of a controller, the DRAM and the path to the XPoint modules. The channel carries one
/// transfer at a time, booked at most lead() ahead; demand and migration are counted separately.
/// The controller decides the order. An optional side bus works in parallel, with its own
/// turnaround: the memory route between the devices, or the separate channel for migration.
class MemoryChannel {
  public:
    /// All references must outlive the channel. Throws ConfigError (parameter: reason) if the DRAM
    /// parameters are inconsistent. A side bus exists with `memory_route` or if migration has its
    /// own channel. `banks` is used with params.bank_stats.
    MemoryChannel(const ChannelParams& params, ChannelStats& stats, ChannelState& state,
                  bool memory_route = false, std::optional<mem::DramBankCounters> banks = {});
    /// `place`: path of the owner.
    void init(const std::string& place, std::uint64_t machine_seed);
    /// Checks a loaded state. `id` throws for numbers that are neither a request nor a swap of the
    /// owner.
    void check_loaded(Loader& l, const std::function<void(std::uint32_t)>& dram_context,
                      const std::function<void(std::uint32_t)>& id) const;

    mem::DramScheduler& dram() { return *dram_; }
    const mem::DramScheduler& dram() const { return *dram_; }
    mem::DramDevice& device() { return *device_; }
    const mem::DramTiming& timing() const { return timing_; }
    /// DRAM banks lent to an XPoint module.
    LentBanks& lent() { return *lent_; }
    const LentBanks& lent() const { return *lent_; }
    mem::DramAccess dram_access(std::uint64_t address, std::uint32_t bytes) const;
    /// Passes an access to the scheduler. Requires that the scheduler can accept it.
    void enqueue(mem::DramAccess access, bool migration, Tick now);

    const mem::DataBus& bus(mem::DramWires wires) const {
        return wires == mem::DramWires::side ? *side_ : *bus_;
    }
    Tick free_at() const { return bus_->free_at(); }
    Tick free_at(mem::DramWires wires) const { return bus(wires).free_at(); }
    Time transfer_time(std::uint32_t bytes) const { return bus_->transfer_time(bytes); }
    Tick lead() const { return lead_; } ///< how far ahead the channel is booked
    /// Books the next slot from the time at which the sender can use it. Returns its end.
    Tick book(std::uint32_t module, std::uint32_t bytes, bool towards_module, bool migration,
              Tick now, mem::DramWires wires = mem::DramWires::data);

    /// Starts or ends sharing the light with the memory route: transfers then take 3/2 of their
    /// time. Transfers booked earlier are not coded; data of the memory route waits for their end.
    void code(bool on);
    bool coded() const { return bus_->coded(); }
    /// The same for the side bus, whose transfers are always coded.
    void code_side() { side_->code(true); }

    // Column commands that bypass the scheduler. Their data crosses the side bus between the DRAM
    // and a module. Requires that the row is open.
    Tick side_command_at(std::uint32_t module, std::uint32_t bank, std::uint32_t row,
                         bool write) const;
    /// Issues one burst now. Returns the time at which its last bit has been sent.
    Tick side_command(std::uint32_t module, std::uint32_t bank, std::uint32_t row, bool write,
                      Tick now);

    std::optional<std::string> imbalance() const;

  private:
    void count(std::uint32_t bytes, bool migration, mem::DramWires wires, Tick now, Tick from);
    std::optional<std::string> imbalance(const mem::DramCarried& carried, const mem::DataBus& bus,
                                         const char* wires) const;
    std::uint16_t user(std::uint32_t module) const {
        return static_cast<std::uint16_t>(timing_.ranks + module);
    }

    const ChannelParams& params_;
    ChannelStats& stats_;
    ChannelState& state_;
    mem::DramTiming timing_ {};
    std::optional<mem::DramDevice> device_;
    std::optional<mem::DataBus> bus_, side_;
    std::optional<mem::DramScheduler> dram_;
    std::optional<LentBanks> lent_;
    device_parts::Divider row_, burst_, banks_; ///< dividers for DRAM addresses
    mem::DramKinds kinds_;
    Tick lead_ = 0;
};

/// Creates the channel of a controller that moves `unit` bytes at a time. Throws ConfigError,
/// naming the parameter, for invalid values.
void make_channel(std::optional<MemoryChannel>& channel, const Component& controller,
                  const ChannelParams& params, ChannelStats& stats, ChannelState& state,
                  mem::DramBankCounters banks, bool memory_route, std::uint64_t unit);

} // namespace memsim::ohm
