#pragma once

#include "core/base/clock.hh"
#include "core/state/archive.hh"

#include <algorithm>
#include <cstdint>

namespace memsim::mem {

/// The state of a data bus; plain values for State.
struct DataBusState {
    Tick free_at = 0;            ///< when the last reserved transfer ends
    std::int64_t remainder = 0;  ///< of bytes / rate, carried over between back-to-back transfers
    std::uint16_t user = 0;      ///< of the last transfer
    bool towards_device = false; ///< direction of the last transfer
    bool coded = false;          ///< the line code is on
    std::uint64_t coded_bytes = 0;
    Tick busy = 0; ///< total time of all transfers
};

/// The data wires between a controller and the devices that share them (ranks of DRAM, or DRAM and
/// XPoint). Half duplex: one transfer at a time, with a gap when the driver changes. Users are
/// numbered; ranks count from 0.
///
/// Ordering      Reservations are made in order of their time. A transfer reserved ahead (a DRAM
///               read, tCL before its data) delays later ones, and gaps are not filled afterwards.
/// Models        An optional line code, which can be switched on and off. It expands `bits` of data
///               to `places` on the wires.
/// Not modelled  Preambles other than `gap`.
class DataBus {
  public:
    struct LineCode {
        std::uint16_t bits = 1, places = 1; ///< data bits, bits on the wires
    };
    struct Config {
        Rate rate;
        Time gap {0};     ///< idle time between two transfers that differ in user or direction
        Time latency {0}; ///< from one end of the wires to the other
        Time turn {
            0}; ///< idle time from a transfer by a device to one towards it, if longer than gap
        LineCode code {}; ///< used while the code is on
    };
    /// The state belongs to a component's State and outlives the bus.
    DataBus(const Config& figures, DataBusState& state)
        : figures_(figures), turn_(std::max(figures.gap, figures.turn).raw), wire_(figures.rate),
          coded_wire_(Rate {figures.code.bits * figures.rate.raw}), state_(state) {}

    void check_loaded(Loader& l) const {
        const auto rate = static_cast<std::uint64_t>(figures_.rate.raw);
        l.index("remainder", static_cast<std::uint64_t>(state_.remainder),
                state_.coded ? figures_.code.bits * rate : rate);
    }
    /// When the next transfer of this user in this direction may start.
    Tick earliest(std::uint16_t user, bool towards_device) const {
        if (towards_device && !state_.towards_device) return state_.free_at + turn_;
        const bool alike = user == state_.user && towards_device == state_.towards_device;
        return state_.free_at + (alike ? 0 : figures_.gap.raw);
    }
    /// Reserves the wires from `start`. Returns when the last byte has left the sender; it arrives
    /// latency() later. Requires: start >= earliest(user, towards_device).
    Tick reserve(Tick start, std::uint32_t bytes, std::uint16_t user, bool towards_device) {
        MEMSIM_ASSERT(start >= earliest(user, towards_device), "the data bus is reserved twice");
        if (state_.coded)
            occupy_coded(start, bytes);
        else
            wire_.occupy(start, bytes, state_.free_at, state_.remainder);
        state_.busy += state_.free_at - start;
        state_.user = user;
        state_.towards_device = towards_device;
        return state_.free_at;
    }
    /// Switches the line code on or off for later reservations.
    void code(bool on) {
        if (on != state_.coded) state_.remainder = 0; // the remainder belongs to the former rate
        state_.coded = on;
    }
    bool coded() const { return state_.coded; }
    std::uint64_t coded_bytes() const { return state_.coded_bytes; }
    /// The time of one transfer without the line code, rounded up.
    Time transfer_time(std::uint32_t bytes) const {
        const auto rate = static_cast<Uint128>(figures_.rate.raw);
        const auto work = static_cast<Uint128>(bytes) * ticks_per_second;
        return {static_cast<Tick>((work + rate - 1) / rate)};
    }
    Tick busy() const { return state_.busy; }
    Tick free_at() const { return state_.free_at; }
    Tick latency() const { return figures_.latency.raw; }
    Tick gap() const { return figures_.gap.raw; }

  private:
    [[gnu::noinline]] void occupy_coded(Tick start, std::uint32_t bytes) { // rarely called
        state_.coded_bytes += bytes;
        coded_wire_.occupy(start, figures_.code.places * bytes, state_.free_at, state_.remainder);
    }

    Config figures_;
    Tick turn_;
    WireTime wire_, coded_wire_;
    DataBusState& state_;
};

} // namespace memsim::mem
