#pragma once

#include "parts/cycle_slots.hh"

#include <algorithm>
#include <vector>

namespace memsim::mem {

/// Plain values for State.
struct BankedSlotsState {
    parts::CycleSlots slots;
    std::vector<std::int64_t> banks; ///< the first cycle in which each port of each is free
};

/// A pipeline that starts so many accesses a cycle, each in one of several banks, of which it takes
/// a port for some cycles.
class BankedSlots {
  public:
    BankedSlots(Frequency clock, std::uint32_t per_cycle, std::uint32_t banks, std::uint32_t ports,
                BankedSlotsState& state)
        : clock_(clock), per_cycle_(per_cycle), ports_(ports), s_(state) {
        s_.banks.assign(std::size_t {banks} * ports, 0);
    }

    const Clock& clock() const { return clock_; }
    /// Whether an access may start in the cycle of `now`; makes that cycle the current one.
    bool free(Tick now) { return s_.slots.free(clock_, now, per_cycle_); }
    /// When the current cycle ends.
    Tick cycle_end() const { return s_.slots.next.tick; }
    void take() { s_.slots.take(); }
    /// When a port of the bank is free; `now`, which lies in the current cycle, if one is.
    Tick bank_free(std::uint32_t bank, Tick now) const {
        const std::int64_t free = *least(bank);
        if (free < s_.slots.next.cycle) return now;
        return clock_.advance(s_.slots.next, free - s_.slots.next.cycle).tick;
    }
    /// Takes a port of the bank, from the current cycle on or from when one is free.
    void occupy(std::uint32_t bank, std::int64_t cycles) {
        std::int64_t& port = *least(bank);
        port = std::max(port, s_.slots.next.cycle - 1) + cycles;
    }

    /// Cycles at `now` or later for which ports are occupied.
    std::uint64_t occupied_after(Tick now) const {
        const std::int64_t next = clock_.at_or_after(now).cycle;
        std::int64_t cycles = 0;
        for (const std::int64_t free : s_.banks) cycles += std::max(free - next, std::int64_t {0});
        return static_cast<std::uint64_t>(cycles);
    }

  private:
    std::int64_t* least(std::uint32_t bank) const {
        std::int64_t* const ports = &s_.banks[std::size_t {bank} * ports_];
        return std::min_element(ports, ports + ports_);
    }

    Clock clock_;
    std::uint32_t per_cycle_, ports_;
    BankedSlotsState& s_;
};

} // namespace memsim::mem
