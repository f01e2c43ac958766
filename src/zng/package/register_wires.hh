#pragma once

#include "core/base/clock.hh"

#include <vector>

namespace memsim::zng::package {

/// Wires that each plane has for itself, which one transfer takes at a time: those of the local
/// network, by which pages leave its registers, or those of its I/O path.
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
    Tick free_at(std::uint32_t plane) const { return state_.free[plane]; }
    /// How long from now until so many bytes have crossed.
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
