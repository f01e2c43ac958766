#pragma once

#include "core/base/clock.hh"
#include "core/state/archive.hh"

#include <algorithm>
#include <cstdint>

namespace memsim::mem {

/// What a data bus remembers; plain values for State.
struct DataBusState {
    Tick free_at = 0;            ///< when the last reserved transfer ends
    std::int64_t remainder = 0;  ///< of bytes / rate, carried over back-to-back transfers
    std::uint16_t user = 0;      ///< whose transfer it was, and
    bool towards_device = false; ///< its direction
    bool coded = false;          ///< in the bus's line code
    std::uint64_t coded_bytes = 0;
    Tick busy = 0; ///< the time of all transfers
};

/// The data wires between a controller and the devices that share them (ranks of DRAM, DRAM and
/// XPoint): one transfer at a time, half duplex, with a gap when the driver changes. Each user gets
/// a number; ranks count from 0.
/// Reservations are made in the order of their time: a transfer reserved ahead (a DRAM read, tCL
/// before its data) keeps later ones behind it, and gaps are not filled afterwards.
/// A bus may have a line code, which is switched on and off: in it so many bits take so many more
/// places on the wires.
/// Not modelled: preambles other than `gap`.
class DataBus {
  public:
    struct LineCode {
        std::uint16_t bits = 1, places = 1; ///< of data, on the wires
    };
    struct Config {
        Rate rate;
        Time gap {0};     ///< idle between two transfers of unlike user or direction
        Time latency {0}; ///< from one end of the wires to the other
        Time turn {0};    ///< idle from a transfer by a device to one towards it, if more than gap
        LineCode code {}; ///< while it is on
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
    /// Takes the wires from `start`, not before earliest(), and says when the last byte has left
    /// the sender; it arrives latency() later.
    Tick reserve(Tick start, std::uint32_t bytes, std::uint16_t user, bool towards_device) {
        MEMSIM_ASSERT(start >= earliest(user, towards_device), "the data bus is taken twice");
        if (start != state_.free_at) state_.remainder = 0;
        const Tick taken = state_.coded ? take_coded(bytes) : wire_.take(bytes, state_.remainder);
        state_.busy += taken;
        state_.free_at = start + taken;
        state_.user = user;
        state_.towards_device = towards_device;
        return state_.free_at;
    }
    /// Transfers reserved from now on are in the line code, or no longer are.
    void code(bool on) {
        if (on != state_.coded) state_.remainder = 0; // it counts parts of another rate
        state_.coded = on;
    }
    bool coded() const { return state_.coded; }
    std::uint64_t coded_bytes() const { return state_.coded_bytes; }
    /// The time of one transfer, rounded up; without the code.
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
    [[gnu::noinline]] Tick take_coded(std::uint32_t bytes) { // seldom
        state_.coded_bytes += bytes;
        return coded_wire_.take(figures_.code.places * bytes, state_.remainder);
    }

    Config figures_;
    Tick turn_;
    WireTime wire_, coded_wire_;
    DataBusState& state_;
};

} // namespace memsim::mem
