#pragma once

#include "core/declare/elapsed.hh"
#include "device_parts/cycle_slots.hh"

#include <algorithm>
#include <vector>

namespace memsim::mem {

/// Plain values for State.
struct BankedSlotsState {
    device_parts::CycleSlots slots;
    std::vector<std::int64_t> banks; ///< first cycle in which each port of each bank is free
};

/// A pipeline that starts up to `per_cycle` accesses per cycle. Each access occupies one port of
/// its bank for some cycles.
class BankedSlots {
  public:
    BankedSlots(Frequency clock, std::uint32_t per_cycle, std::uint32_t banks, std::uint32_t ports,
                BankedSlotsState& state)
        : clock_(clock), per_cycle_(per_cycle), ports_(ports), state_(state) {
        state_.banks.assign(std::size_t {banks} * ports, 0);
    }

    const Clock& clock() const { return clock_; }
    /// Whether an access may start in the cycle of `now`. Makes that cycle the current one.
    bool free(Tick now) { return state_.slots.free(clock_, now, per_cycle_); }
    /// End of the current cycle.
    Tick cycle_end() const { return state_.slots.next.tick; }
    void take() { state_.slots.take(); }
    /// The tick at which a port of the bank is free; `now` if one is free already. `now` lies in
    /// the current cycle.
    Tick bank_free(std::uint32_t bank, Tick now) const { return begin_of(*least(bank), now); }
    /// The beginning of a cycle; `now` if it has begun. `now` lies in the current cycle.
    Tick begin_of(std::int64_t cycle, Tick now) const {
        if (cycle < state_.slots.next.cycle) return now;
        return clock_.advance(state_.slots.next, cycle - state_.slots.next.cycle).tick;
    }
    /// The number of the current cycle.
    std::int64_t cycle() const { return state_.slots.next.cycle - 1; }
    /// Occupies a port of the bank from the current cycle, or from the cycle in which one is free.
    void occupy(std::uint32_t bank, std::int64_t cycles) {
        std::int64_t& port = *least(bank);
        port = std::max(port, cycle()) + cycles;
    }

    /// Cycles from `now` on in which ports are occupied.
    std::uint64_t occupied_after(Tick now) const {
        const std::int64_t next = clock_.at_or_after(now).cycle;
        std::int64_t cycles = 0;
        for (const std::int64_t free : state_.banks)
            cycles += std::max(free - next, std::int64_t {0});
        return static_cast<std::uint64_t>(cycles);
    }

  private:
    std::int64_t* least(std::uint32_t bank) const {
        std::int64_t* const ports = &state_.banks[std::size_t {bank} * ports_];
        return std::min_element(ports, ports + ports_);
    }

    Clock clock_;
    std::uint32_t per_cycle_, ports_;
    BankedSlotsState& state_;
};

/// Occupies banks and counts the cycles. Both arguments outlive it.
class Banks {
  public:
    Banks(BankedSlots& slots, BookedCycles& busy) : slots_(slots), busy_(busy) {}
    void occupy(std::uint32_t bank, std::int64_t cycles) {
        slots_.occupy(bank, cycles);
        busy_ += static_cast<std::uint64_t>(cycles);
    }

  private:
    BankedSlots& slots_;
    BookedCycles& busy_;
};

} // namespace memsim::mem
