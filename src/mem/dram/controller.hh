#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "device_parts/address_map.hh"
#include "device_parts/hashed_interleave/hashed_interleave.hh"
#include "mem/dram/contents.hh"
#include "mem/dram/params.hh"
#include "mem/dram/schedule/scheduler.hh"
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
                             public device_parts::HasAddressMap {
  public:
    using Params = DramControllerParams;
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
        struct Stages { ///< of a request that carries stamps
            Stamps::Id stamps;
            Tick started = 0;
        };
        DramDeviceState device;
        PseudoChannels::State buses;
        DramSchedulerState scheduler;
        Policy<BankHash> bank_hash;
        std::vector<DramRequest> requests;
        std::vector<protocol::PackedSize> packed; ///< of each request
        std::vector<Stages> stages;
        DramContents::State contents;
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
    device_parts::AddressMap address_map() const override;

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
    void check_policies() const;
    void issue_and_accept();
    bool accept();
    void queue_pieces(const Moved& r);
    void share();
    void share_by_hash();
    [[noreturn]] void refuse_address(std::uint64_t address, std::uint32_t channel) const;
    void collect();
    protocol::MemResponse answer_to(std::uint32_t request) const;
    void piece_done(std::uint32_t request, Tick started, Tick at);
    std::uint32_t bank_of(const device_parts::DramPlace& p) const {
        const std::uint32_t bank = p.group * timing_.banks_per_group + p.bank;
        return p.rank * timing_.banks() + state.bank_hash->bank(bank, p.row, timing_.banks());
    }

    // Derived in init().
    DramTiming timing_ {};
    std::optional<device_parts::AddressMap> map_;
    std::optional<PseudoChannels> pseudo_;
    std::optional<DramDevice> device_;
    std::optional<DramScheduler> dram_;
    std::optional<DramContents> contents_;
    device_parts::HashedInterleave dealt_; ///< of this channel's addresses; used if chunk_ is not 0
    std::uint64_t chunk_ = 0;
    std::uint32_t index_ = 0;
};

} // namespace memsim::mem
