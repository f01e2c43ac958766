#pragma once

#include "core/base/clock.hh"
#include "core/kernel/component.hh"
#include "mem/dram/presets/preset.hh"
#include "mem/dram/schedule/scheduler.hh"
#include "ohm/channel/lent_banks.hh"
#include "parts/interleave.hh"
#include "protocol/ddrt.hh"
#include "protocol/mem.hh"

#include <functional>
#include <optional>

namespace memsim::ohm {

using namespace memsim::literals;

/// Where migration's transfers go.
enum class MigrationChannel : std::uint8_t {
    shared,    ///< over the channel, between requests
    dedicated, ///< over a channel of their own, as wide and as fast (Ohm-GPU Fig. 8: Oracle)
};
constexpr std::array<std::string_view, 2> names_of(MigrationChannel) {
    return {"shared", "dedicated"};
}

/// What the controllers of both modes have in common as parameters, ports, statistics and State.
struct ChannelParams {
    using group = void;
    Param<unsigned> controllers {
        6, {1, 1024}, "Controllers that share the address space", stated("Ohm-GPU table I: 6")};
    Param<unsigned> index {
        0, {0, 1023}, "Number of this controller among those that share the addresses"};
    Param<unsigned> modules {2,
                             {1, 16},
                             "XPoint modules behind this controller",
                             stated("Ohm-GPU table III: 12 over 6 controllers")};
    Param<unsigned> queue {
        64, {1, 4096}, "Requests in flight to the controller or waiting", assumed()};
    Param<unsigned> requests {128,
                              {2, 4096},
                              "Requests accepted and not yet done",
                              assumed("no source gives it; range 64-512")};
    Param<unsigned> width {
        16, {1, 4096}, "Bits of the channel", stated("Ohm-GPU: 16 optical, 32 electrical")};
    Param<Frequency> lane_rate {30_GHz,
                                {1_MHz, 1000_GHz},
                                "Frequency of each bit",
                                stated("Ohm-GPU: 30 GHz optical, 15 GHz electrical")};
    Param<unsigned> command_bits {0,
                                  {0, 256},
                                  "Bits of command and address that cross the channel with each 32 "
                                  "bytes; 0: they have lanes of their own",
                                  stated("Ohm-GPU III-A: \"serialized in the optical channel\"")};
    Param<Time> serdes {
        1_ns, {0_fs, 1_us}, "SerDes, each side (0 for an electrical channel)", assumed()};
    Param<Time> flight {1300_ps,
                        {1_fs, 1_us},
                        "Time of light along the waveguide",
                        assumed("10 cm at 13 ps/mm, n_g = 4")};
    Param<Time> turnaround {2_ns,
                            {0_fs, 1_us},
                            "Idle when sender or direction changes",
                            cited("GDDR5 tRTRS; optical: 100 ps to tune a ring")};
    Param<Time> grant_latency {
        5_ns,
        {1_fs, 1_us},
        "Time from grant to data leaving XPoint: half of the DDR-T handshake of 10 ns",
        assumed()};
    Param<Time> lookup {
        833_ps, {1_fs, 1_us}, "Mapping or tags, charged to the answer", assumed("1 cycle")};
    Param<mem::DramPreset> dram_timing {mem::DramPreset("ohm_table1"), "Timing of the DRAM",
                                        stated("Ohm-GPU table I")};
    Param<std::string> dram_changes {"",
                                     "Figures that differ from the timing table's: 'tRCDRD=12ns'"};
    Param<PolicyName<mem::RowPolicy>> row_policy {"open", "DRAM rows after an access"};
    Param<unsigned> dram_queue {
        32, {4, 4096}, "DRAM reads, and as many writes, being scheduled", assumed()};
    Param<bool> bank_stats {false, "Statistics of each bank of the DRAM"};
    Param<MigrationChannel> migration_channel {
        MigrationChannel::shared, "Where migration's transfers go", stated("Ohm-GPU Fig. 8")};

    /// Of data, beside its commands.
    Rate rate() const {
        const std::int64_t all =
            width() * (lane_rate->raw / 8) + width() * (lane_rate->raw % 8) / 8;
        constexpr std::int64_t data = 8 * 32;
        const std::int64_t with = data + command_bits();
        return {all / with * data + all % with * data / with};
    }
    Time one_way() const { return 2 * serdes() + flight(); }
    /// Throws ConfigError for impossible DRAM.
    mem::DramTiming timing() const;
    /// Of which there are statistics; of timing that is refused, none.
    unsigned counted_banks() const;
    /// Of transfers that no request waits for.
    mem::DramWires migration_wires() const {
        return migration_channel() == MigrationChannel::dedicated ? mem::DramWires::side
                                                                  : mem::DramWires::data;
    }
};

/// `Params` holds them as `channel`.
template <class Params>
struct ChannelPorts {
    using group = void;
    template <auto M>
    static constexpr auto of = from<&Params::channel, M>;

    Responder<protocol::Mem> cpu_side {
        {.depth = of<&ChannelParams::queue>, .latency = of<&ChannelParams::lookup>, .hints = true},
        "Requests and hints from above"};
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
    ElapsedTime demand_time {"Channel time taken by requests"};
    ElapsedTime migration_time {"Channel time taken by migration"};
    ElapsedTime channel_time {"Channel time taken by requests and migration"};
    Counter side_bytes {Unit::byte, "Bytes over the memory route or the migration's own channel"};
    ElapsedTime side_time {"Time taken on the memory route or the migration's own channel"};
    Counter coded_bytes {Unit::byte, "Bytes over the channel that took 3/2 of their time (WOM)"};
    Counter dram_bytes {Unit::byte, "Bytes over the channel from and to the DRAM"};
    Ratio migration_share {migration_time, channel_time,
                           "Share of channel time spent on migration (ohm-11, ohm-12)"};
    Counter hints_dropped {
        Unit::count, "Hints that counted as no access: of pages elsewhere or on the move, and "
                     "all in two-level mode"};
    ElapsedTime stall_time {"Time in which the first request could not be accepted"};
    Counter activates {Unit::count, "DRAM rows opened"};
    Counter precharges {Unit::count, "DRAM rows closed"};
    Counter refreshes {Unit::count, "DRAM refreshes"};
    Counter row_hits {Unit::count, "DRAM accesses, migration included, to an open row"};
    Counter row_misses {Unit::count, "DRAM accesses to a closed bank"};
    Counter row_conflicts {Unit::count, "DRAM accesses for which another row was closed"};
    Counter forwarded {Unit::count, "DRAM reads served from waiting writes"};
};

/// Of each bank of the DRAM, with `bank_stats`. `Params` holds ChannelParams as `channel`.
template <class Params>
struct BankStats {
    using group = void;
    static unsigned banks(const void* params) {
        return static_cast<const Params*>(params)->channel.counted_banks();
    }
    Each<Counter> bank_reads {banks, Unit::count, "DRAM accesses that read from each bank"};
    Each<Counter> bank_writes {banks, Unit::count, "DRAM accesses that wrote to each bank"};
    Each<Counter> bank_activates {banks, Unit::count, "DRAM rows opened in each bank"};
    Each<Counter> bank_row_hits {banks, Unit::count,
                                 "DRAM accesses that found their row open in each bank"};

    mem::DramBankCounters counters() {
        return {bank_reads, bank_writes, bank_activates, bank_row_hits};
    }
};

/// A write on its way through its slot of the channel.
struct Leaving {
    Tick at = 0;
    protocol::DdrtCommand command;
};

struct ChannelState {
    mem::DramDeviceState device;
    mem::DramSchedulerState scheduler;
    LentBanksState lent;
    mem::DataBusState bus;
    mem::DataBusState side;                   ///< the bus beside it, if there is one
    std::vector<Fifo<Leaving>> leaving;       ///< to each module, one at most
    std::array<std::int64_t, 2> remainder {}; ///< of bytes / rate: demand, migration
    mem::DramCarried data, beside;
    std::uint64_t coded_seen = 0; ///< bytes that are in the statistic
    Tick uncoded_until = 0;       ///< light that nobody else can share
};

/// The wires of a controller, the DRAM behind them and the way to the XPoint modules: one transfer
/// at a time, booked at most lead() ahead, demand and migration counted apart. Who comes first is
/// the controller's to say.
/// There may be a second bus beside: the memory route between the devices, or the channel that
/// migration has for itself. Transfers of both go on at once, each bus with its own turnaround.
class MemoryChannel {
  public:
    /// All outlive the channel. Throws ConfigError (parameter: what is wrong) for impossible DRAM.
    /// With `memory_route`, or if migration has its own channel, there is a side bus. `banks`: used
    /// with params.bank_stats.
    MemoryChannel(const ChannelParams& params, ChannelStats& stats, ChannelState& state,
                  bool memory_route = false, std::optional<mem::DramBankCounters> banks = {});
    /// `place` is the owner's path.
    void init(const std::string& place, std::uint64_t machine_seed);
    /// Of a state that was loaded; `id` refuses the number of no request or swap of the owner's.
    void check_loaded(Loader& l, const std::function<void(std::uint32_t)>& dram_context,
                      const std::function<void(std::uint32_t)>& id) const;

    mem::DramScheduler& dram() { return *dram_; }
    const mem::DramScheduler& dram() const { return *dram_; }
    mem::DramDevice& device() { return *device_; }
    const mem::DramTiming& timing() const { return timing_; }
    /// Banks that are an XPoint module's for a while.
    LentBanks& lent() { return *lent_; }
    const LentBanks& lent() const { return *lent_; }
    mem::DramAccess dram_access(std::uint64_t address, std::uint32_t bytes) const;
    /// To the scheduler, which can accept it.
    void enqueue(mem::DramAccess access, bool migration, Tick now);

    const mem::DataBus& bus(mem::DramWires wires) const {
        return wires == mem::DramWires::side ? *side_ : *bus_;
    }
    Tick free_at() const { return bus_->free_at(); }
    Tick free_at(mem::DramWires wires) const { return bus(wires).free_at(); }
    Time transfer_time(std::uint32_t bytes) const { return bus_->transfer_time(bytes); }
    Tick lead() const { return lead_; } ///< how far ahead the channel is booked
    /// Takes the next slot, from when the sender can use it; returns its end.
    Tick book(std::uint32_t module, std::uint32_t bytes, bool towards_module, bool migration,
              Tick now, mem::DramWires wires = mem::DramWires::data);

    /// The memory route shares the light from now on, or no longer does: transfers take 3/2 of
    /// their time. What was booked before is not coded, so the memory route's data waits for its
    /// end.
    void code(bool on);
    bool coded() const { return bus_->coded(); }
    /// The same for the side bus, which has its place in the code whenever it is used.
    void code_side() { side_->code(true); }

    // Column commands of somebody else than the scheduler, whose data crosses the side bus between
    // the DRAM and a module. The row must be open.
    Tick side_command_at(std::uint32_t module, std::uint32_t bank, std::uint32_t row,
                         bool write) const;
    /// One burst, now; says when its last bit has been sent.
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
    parts::Divider row_, burst_, banks_; ///< of the DRAM
    mem::DramKinds kinds_;
    Tick lead_ = 0;
};

/// Makes the channel of a controller that moves so many bytes at a time (`unit`); refuses, by the
/// parameter, what cannot be.
void make_channel(std::optional<MemoryChannel>& channel, const Component& controller,
                  const ChannelParams& params, ChannelStats& stats, ChannelState& state,
                  mem::DramBankCounters banks, bool memory_route, std::uint64_t unit);

} // namespace memsim::ohm
