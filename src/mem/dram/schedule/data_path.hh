#pragma once

#include "core/declare/elapsed.hh"
#include "mem/dram/access.hh"
#include "mem/dram/device/pseudo_channels.hh"

#include <array>
#include <optional>

namespace memsim::mem {

/// Wires beside the data bus that lead to the same devices: one more transfer at a time.
struct DramSide {
    DataBus& bus;
    ElapsedTime& busy;
};

/// What has crossed a bus since the run's begin; apart from statistics, which may be reset.
struct DramCarried {
    std::uint64_t bytes = 0, transfers = 0;
};

/// Counts demand and migration apart, each of the two over either bus.
struct DramKinds {
    struct Kind { ///< over the data bus
        Counter& bytes;
        ElapsedTime& time;       ///< of the bytes, where the bus has no line code
        std::int64_t& remainder; ///< of bytes / rate
        WireTime wire;
    };
    Kind demand, migration;
    DramCarried &data, &side;
    Counter& side_bytes;

    /// So many transfers of one kind begin, one behind the other, at `from`.
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

/// The ways that a burst takes between a channel's DRAM and its controller: its rank's data bus, a
/// second bus beside it where there is one, or none, to a register in front of the device. Whoever
/// else reserves a bus is planned around; each bus has its own turnaround.
class DramDataPath {
  public:
    struct Counters {
        Counter& bytes; ///< of the data buses, as is the time
        ElapsedTime& busy;
        DramKinds* kinds = nullptr; ///< where demand and migration are counted apart
    };
    /// `burst` bytes a column command. `first_user` is rank 0's number at the buses, which outlive
    /// the path. `lent` is State of the owner.
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

    /// While the data bus is lent to somebody who does not say how long, no burst may cross it.
    void lend(bool lent) { lent_ = lent; }

    /// The earliest column commands of a rank over each of DramWires, whose data comes `latency`
    /// later. `column` is when the device allows one.
    std::array<Tick, 3> earliest(std::uint32_t rank, bool write, Tick column, Tick latency) const {
        const std::uint16_t of = user(rank);
        return {lent_ ? never : std::max(column, bus(rank).earliest(of, write) - latency),
                side_ ? std::max(column, side_->bus.earliest(of, write) - latency) : never, column};
    }
    /// The same over the data bus, lent or not, as far as the bus has a say.
    Tick bus_ready(std::uint32_t rank, bool write, Tick latency) const {
        return bus(rank).earliest(user(rank), write) - latency;
    }

    /// One burst, whose first bit is at the device at `data`; says when it has arrived.
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
    /// Grows with every reservation of any bus.
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
