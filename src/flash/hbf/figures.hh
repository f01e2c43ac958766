#pragma once

#include "flash/hbf/params.hh"

namespace memsim::flash {

/// What a stack reaches at most, as formulas of its parameters.
struct HbfFigures {
    using group = void;
    Figure array_bandwidth {Unit::byte_per_second, "Most that the banks sense: banks x page / tR"};
    Figure wire_bandwidth {Unit::byte_per_second, "Most that the wires move to the host"};
    Figure banks_to_fill {Unit::count, "Banks that fill the wires: their rate x tR / page"};
    Figure life {Unit::count, "Erases until all blocks have reached their endurance"};
};

inline void set(HbfFigures& f, const HbfShape& shape, const HbfTimes& times, unsigned endurance) {
    const double banks = double {1} * shape.channels() * shape.dies() * shape.banks();
    const double bank_rate = static_cast<double>(shape.page->raw) *
                             static_cast<double>(ticks_per_second) /
                             static_cast<double>(times.t_read->raw);
    const double wires = static_cast<double>(times.rate->raw) * shape.channels();
    f.array_bandwidth.set(banks * bank_rate);
    f.wire_bandwidth.set(wires);
    f.banks_to_fill.set(wires / bank_rate);
    f.life.set(banks * shape.blocks() * endurance);
}

} // namespace memsim::flash
