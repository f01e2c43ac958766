#pragma once

#include "core/declare/elapsed.hh"
#include "mem/dram/access.hh"
#include "mem/dram/device/pseudo_channels.hh"

#include <array>
#include <optional>

namespace memsim::mem {

/// Wires in addition to the data bus, to the same devices. They carry one more transfer at a time.
struct DramSide {
    DataBus& bus;
    ElapsedTime& busy;
};

/// Traffic of a bus since the start of the run; unlike statistics it is not reset.
struct DramCarried {
    std::uint64_t bytes = 0, transfers = 0;
};

/// Counts demand and migration separately, on either bus.
struct DramKinds {
    struct Kind { ///< traffic on the data bus
        Counter& bytes;
        ElapsedTime& time;       ///< of the bytes without a line code
        std::int64_t& remainder; ///< of bytes / rate
        WireTime wire;
    };
    Kind demand, migration;
    DramCarried &data, &side;
    Counter& side_bytes;

    /// Counts `transfers` back-to-back transfers of one kind that begin at `from`.
    void count(std::uint32_t bytes, std::uint64_t transfers, bool migrates, DramWires wires,
               Tick now, Tick from) {
        DramCarried& carried = wires == DramWires::data ? data : side;
        carried.bytes += bytes;
        carried.transfers += transfers;
        if (wires != DramWires::data) {
            side_bytes += bytes;
            return;
        }
        Kind& kind = migrates ? migration : demand;
        kind.time.add(now, from, from + kind.wire.take(bytes, kind.remainder));
        kind.bytes += bytes;
    }
};

/// The routes of a burst between a channel's DRAM and its controller: the data bus of its rank, an
/// optional second bus, or none (a register in front of the device). Reservations by other users of
/// a bus are respected. Each bus has its own turnaround.
class DramDataPath {
  public:
    struct Counters {
        Counter& bytes; ///< of the data buses, as is `busy`
        ElapsedTime& busy;
        DramKinds* kinds = nullptr; ///< set if demand and migration are counted separately
    };
    /// `burst`: bytes per column command. `first_user`: number of rank 0 at the buses, which
    /// outlive the path. `lent` is State of the owner.
    DramDataPath(DramDataBuses buses, std::optional<DramSide> side, Counters count,
                 std::uint32_t burst, std::uint16_t first_user, bool& lent)
        : buses_(buses), side_(side), count_(count), burst_(burst), first_user_(first_user),
          burst_time_(buses.of(0).transfer_time(burst).raw), lent_(lent) {}

    bool has_side() const { return side_.has_value(); }
    const DramDataBuses& buses() const { return buses_; }
    const DataBus& bus(std::uint32_t rank) const { return buses_.of(rank); }
    Tick burst_time() const { return burst_time_; }
    void check_loaded(Loader& l) const {
        buses_.check_loaded(l);
        if (side_) side_->bus.check_loaded(l);
    }

    /// While the data bus is lent for an unknown time, no burst may cross it.
    void lend(bool lent) { lent_ = lent; }

    /// The earliest column commands of a rank over each of DramWires, whose data follows `latency`
    /// later. `column`: when the device allows one.
    std::array<Tick, 3> earliest(std::uint32_t rank, bool write, Tick column, Tick latency) const {
        const std::uint16_t of = user(rank);
        return {lent_ ? never : std::max(column, bus(rank).earliest(of, write) - latency),
                side_ ? std::max(column, side_->bus.earliest(of, write) - latency) : never, column};
    }
    /// The same for the data bus alone, by the bus's own constraints, whether lent or not.
    Tick bus_ready(std::uint32_t rank, bool write, Tick latency) const {
        return bus(rank).earliest(user(rank), write) - latency;
    }

    /// Transfers one burst whose first bit is at the device at `data`. Returns when it has arrived.
    Tick move(const DramAccess& access, std::uint32_t rank, Tick now, Tick data) {
        if (access.wires == DramWires::none) return data + burst_time_;
        if (count_.kinds) count_.kinds->count(burst_, 1, access.migration, access.wires, now, data);
        if (access.wires == DramWires::side) {
            const Tick end = side_->bus.reserve(data, burst_, user(rank), access.write);
            side_->busy.add(now, data, end);
            return end + side_->bus.latency();
        }
        DataBus& bus = buses_.of(rank);
        const Tick end = bus.reserve(data, burst_, user(rank), access.write);
        count_.bytes += burst_;
        count_.busy.add(now, data, end);
        return end + bus.latency();
    }
    /// Increases with every reservation of any bus.
    Tick reserved() const { return buses_.reserved() + (side_ ? side_->bus.free_at() : 0); }

  private:
    std::uint16_t user(std::uint32_t rank) const {
        return static_cast<std::uint16_t>(first_user_ + rank);
    }

    DramDataBuses buses_;
    std::optional<DramSide> side_;
    Counters count_;
    std::uint32_t burst_;
    std::uint16_t first_user_;
    Tick burst_time_;
    bool& lent_;
};

} // namespace memsim::mem
