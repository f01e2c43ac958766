#pragma once

#include "core/base/clock.hh"

#include <algorithm>
#include <vector>

namespace memsim::zng::package {

/// Wires of each plane that carry one transfer at a time: those of the local network, through which
/// pages leave its registers, or those of its I/O path.
class RegisterWires {
  public:
    struct State {
        std::vector<Tick> free; ///< by plane: time from which the wires are free
        std::vector<std::int64_t> remainder;
    };
    RegisterWires(Rate rate, State& state) : wire_(rate), state_(state) {}

    void reset(std::uint32_t planes) {
        state_.free.assign(planes, 0);
        state_.remainder.assign(planes, 0);
    }
    Tick free_at(std::uint32_t plane) const { return state_.free[plane]; }
    /// Reserves the wires for `bytes`. Returns the time from now until they have crossed.
    Time take(std::uint32_t plane, std::uint32_t bytes, Tick now) {
        Tick& free = state_.free[plane];
        wire_.occupy(std::max(now, free), bytes, free, state_.remainder[plane]);
        return Time {free - now};
    }
    /// The time that `bytes` take on free wires.
    Time time_of(std::uint32_t bytes) {
        std::int64_t remainder = 0;
        return Time {wire_.take(bytes, remainder)};
    }

  private:
    WireTime wire_;
    State& state_;
};

} // namespace memsim::zng::package
