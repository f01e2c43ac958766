#pragma once

#include "mem/dram/device/data_bus.hh"
#include "mem/dram/device/timing.hh"

#include <algorithm>
#include <array>

namespace memsim::mem {

/// The data bus of each rank of a channel: one bus for all ranks, or one for each half of the
/// ranks.
class DramDataBuses {
  public:
    DramDataBuses(DataBus& all) : buses_ {&all, &all} {}
    DramDataBuses(DataBus& first, DataBus& second, std::uint32_t ranks_each)
        : buses_ {&first, &second}, ranks_each_(ranks_each) {}
    DataBus& of(std::uint32_t rank) const { return *buses_[rank >= ranks_each_]; }
    bool several() const { return buses_[0] != buses_[1]; }
    /// Increases with every reservation.
    Tick reserved() const { return buses_[0]->free_at() + (several() ? buses_[1]->free_at() : 0); }
    /// When the last reserved transfer ends.
    Tick free_at() const { return std::max(buses_[0]->free_at(), buses_[1]->free_at()); }
    void check_loaded(Loader& l) const {
        buses_[0]->check_loaded(l);
        if (several()) buses_[1]->check_loaded(l);
    }

  private:
    std::array<DataBus*, 2> buses_;
    std::uint32_t ranks_each_ = ~std::uint32_t {0};
};

/// One or two pseudo-channels of a controller. They share the queues and command buses of the
/// channel. Each pseudo-channel has its own ranks, with their banks, constraints and refreshes, and
/// its own data bus. The ranks of the first one come first.
class PseudoChannels {
  public:
    static constexpr unsigned most = 2;
    using State = std::array<DataBusState, most>;

    /// `ranks_each`: ranks of a pseudo-channel. The state belongs to a component's State.
    PseudoChannels(unsigned count, std::uint32_t ranks_each, const DataBus::Config& wires,
                   State& state)
        : buses_ {DataBus(wires, state[0]), DataBus(wires, state[1])}, count_(count),
          ranks_each_(ranks_each) {}
    DramDataBuses buses() {
        return count_ == 1 ? DramDataBuses(buses_[0])
                           : DramDataBuses(buses_[0], buses_[1], ranks_each_);
    }
    Time transfer_time(std::uint32_t bytes) const { return buses_[0].transfer_time(bytes); }
    /// The timing table of the whole channel.
    static DramTiming together(DramTiming of_one, unsigned count) {
        of_one.ranks *= count;
        return of_one;
    }

  private:
    std::array<DataBus, most> buses_;
    unsigned count_;
    std::uint32_t ranks_each_;
};

} // namespace memsim::mem
