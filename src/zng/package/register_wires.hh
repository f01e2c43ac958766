#pragma once

#include "core/clock.hh"

#include <vector>

namespace memsim::zng::package {

/// The local network of registers: pages leave each plane over its own wires, one at a time.
class RegisterWires {
  public:
    struct State {
        std::vector<Tick> free; ///< from when on, by plane
        std::vector<std::int64_t> remainder;
    };
    RegisterWires(Rate rate, State& state) : wire_(rate), state_(state) {}

    void reset(std::uint32_t planes) {
        state_.free.assign(planes, 0);
        state_.remainder.assign(planes, 0);
    }
    /// How long from now until so many bytes have left.
    Time take(std::uint32_t plane, std::uint32_t bytes, Tick now) {
        Tick& free = state_.free[plane];
        if (free < now) free = now, state_.remainder[plane] = 0;
        free += wire_.take(bytes, state_.remainder[plane]);
        return Time {free - now};
    }
    /// Of so many bytes, on wires that are free.
    Time time_of(std::uint32_t bytes) {
        std::int64_t remainder = 0;
        return Time {wire_.take(bytes, remainder)};
    }

  private:
    WireTime wire_;
    State& state_;
};

} // namespace memsim::zng::package
