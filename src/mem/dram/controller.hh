#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "mem/dram/device/bank_hash.hh"
#include "mem/dram/device/pseudo_channels.hh"
#include "mem/dram/presets/preset.hh"
#include "mem/dram/schedule/scheduler.hh"
#include "parts/address_map.hh"
#include "parts/interleave.hh"
#include "parts/sector_store.hh"
#include "protocol/mem.hh"

#include <optional>

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

/// One channel of DRAM and its controller: a DramScheduler and a DramDevice on a private data bus,
/// or on one bus for each of its PseudoChannels.
///
/// Models        A read is answered when its last byte arrives; a write when the write queue
///               accepts it. An atomic is timed and counted as a write, but answered when its data
///               has been transferred. A request is split into the rows that it touches and
///               transfers whole bursts.
/// Guarantees    Bytes requested = bytes answered or written at the end of a complete run.
/// Not modelled  What DramScheduler and DramDevice omit.
class DramController final : public Model<DramController>,
                             public Functional,
                             public parts::HasAddressMap {
  public:
    struct Params {
        Param<DramPreset> timing {
            DramPreset("ddr4_3200"),
            "Timing table: the name of a preset, or a memsim.dram.Preset of a script",
            example_value()};
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
        Param<unsigned> channel {0,
                                 {0, 4095},
                                 "Index of this channel among those that share the addresses",
                                 from_wiring()};
        Param<Bytes> interleave {
            0_B, {0_B, 1_GiB}, "Range of the digit Cl of the map; 0: one burst", from_wiring()};
        Param<PolicyName<RowPolicy>> page {"open", "Policy that closes rows after an access",
                                           usual_policy()};
        Param<unsigned> most_accesses {0,
                                       {0, 1u << 20},
                                       "Column commands after which a row is closed; 0: no limit",
                                       switched_off()};
        Param<unsigned> queue {
            8, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
        Param<unsigned> read_queue {
            32, {1, 16384}, "Reads visible to the scheduler", queue_places()};
        Param<unsigned> write_queue {
            32, {1, 16384}, "Writes visible to the scheduler", queue_places()};
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
                                  table_figures()};
        Param<Time> channel_latency {
            0_fs, {0_fs, 1_us}, "Time from one end of the wires to the other", least_latency()};
        Param<Time> latency {1_fs,
                             {1_fs, 1_us},
                             "Latency of the controller's pipeline, added to the response",
                             least_latency()};
    };
    /// Banks of all ranks; 1 if the parameters are invalid.
    static unsigned banks_of(const void* params);
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>, .latency = from<&Params::latency>},
                                 "Requests"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads answered"};
        Counter writes {Unit::count, "Writes and atomics whose data was transferred"};
        Counter bytes {Unit::byte, "Bytes requested by reads and writes"};
        Counter row_hits {Unit::count, "Pieces of requests whose row was open"};
        Counter row_misses {Unit::count, "Pieces whose bank was closed"};
        Counter row_conflicts {Unit::count, "Pieces whose bank had another row open"};
        Counter activates {Unit::count, "Rows opened"};
        Counter precharges {Unit::count, "Precharge commands and rows closed by a column command"};
        Counter refreshes {
            Unit::count,
            "Refreshes of a rank or bank; those of an idle one are counted at its next use"};
        Each<Counter> bank_reads {banks_of, Unit::count, "Pieces of reads served by each bank"};
        Each<Counter> bank_writes {banks_of, Unit::count, "Pieces of writes served by each bank"};
        Each<Counter> bank_activates {banks_of, Unit::count, "Rows opened in each bank"};
        Each<Counter> bank_row_hits {banks_of, Unit::count,
                                     "Pieces that found their row open, by bank"};
        Counter forwarded {Unit::count, "Reads answered from the write queue"};
        Counter bus_bytes {Unit::byte, "Bytes transferred over the data bus, in whole bursts"};
        ElapsedTime bus_busy {"Time that the data bus was busy; two pseudo-channels are added up"};
        Distribution read_latency {Unit::time,
                                   "Time from the acceptance of a read to its last byte"};
        Level queued {Unit::count, "Pieces of requests in the scheduler's queues"};
        PerSecond bandwidth {bytes, "Requested bytes transferred per second of simulated time"};
    };
    struct State {
        /// Accepted and not completed. Half a cache line of the host, because there are many.
        struct alignas(32) Request {
            std::uint64_t address = 0;
            Tick accepted = 0;
            std::uint32_t bytes = 0;
            std::uint32_t tag = 0;
            std::uint16_t left = 0; ///< pieces not completed, plus 1 while some are not queued
            std::uint16_t source = 0;
            std::uint16_t sectors = 0;
            protocol::Command command = protocol::Command::read;
            bool answered = false; ///< or no response is due
        };
        struct Stages { ///< of a request that carries stamps
            Stamps::Id stamps;
            Tick started = 0;
        };
        DramDeviceState device;
        PseudoChannels::State buses;
        DramSchedulerState scheduler;
        Policy<BankHash> bank_hash;
        std::vector<Request> requests;
        std::vector<protocol::PackedSize> packed; ///< of each request
        std::vector<Stages> stages;
        std::vector<Contents::Id> data; ///< of uncompleted writes, and of reads
        Fifo<std::uint32_t> writes;     ///< the writes among the requests, in order of acceptance
        parts::SectorStore contents;    ///< of the DRAM cells
        FreeList free;
        std::uint32_t front = ~std::uint32_t {0}; ///< of the started request in the port
        std::uint32_t front_bytes = 0;            ///< bytes of it already queued
        Fifo<std::uint32_t> unanswered;           ///< completed, waiting for the port
        Timer command, done;
    };

    explicit DramController(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    bool pending() const override { return state.free.size() != state.requests.size(); }
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    parts::AddressMap address_map() const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    /// The part of its rows that a request transfers: packed data are contiguous from its address.
    struct Moved {
        std::uint64_t address;
        std::uint32_t bytes;
        std::uint16_t sectors;
        bool write;
    };
    static Moved moved_by(const protocol::MemRequest& r) {
        const bool write = r.command != protocol::Command::read;
        if (r.packed.words) return {r.address, std::min(r.packed.bytes(0), r.bytes), 0, write};
        return {r.address, r.bytes, r.sectors, write};
    }
    static DramTiming timing_of(const Params& params);
    void issue_and_accept();
    bool accept();
    void queue_pieces(const Moved& r);
    void share();
    [[noreturn]] void refuse_address(std::uint64_t address, std::uint32_t channel) const;
    void collect();
    protocol::MemResponse answer_to(std::uint32_t request) const;
    void piece_done(std::uint32_t request, Tick started, Tick at);
    void accept_data(const protocol::MemRequest& r);
    void move_data(std::uint32_t request);
    void add_waiting(std::uint64_t sector, SectorBytes& to);
    template <class F>
    void for_each_waiting(std::uint64_t sector, F&& f);
    std::uint32_t bank_of(const parts::DramPlace& p) const {
        const std::uint32_t bank = p.group * timing_.banks_per_group + p.bank;
        return p.rank * timing_.banks() + state.bank_hash->bank(bank, p.row, timing_.banks());
    }

    // Derived in init().
    DramTiming timing_ {};
    std::optional<parts::AddressMap> map_;
    std::optional<PseudoChannels> pseudo_;
    std::optional<DramDevice> device_;
    std::optional<DramScheduler> dram_;
    parts::Interleave dealt_; ///< if the map covers only this channel's addresses:
    std::uint64_t chunk_ = 0; ///< not 0 in that case
    std::uint32_t index_ = 0;
};

} // namespace memsim::mem
