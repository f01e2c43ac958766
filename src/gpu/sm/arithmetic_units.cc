#include "gpu/sm/arithmetic_units.hh"

#include <bit>

namespace memsim::gpu {

using gpu_program::arithmetic_units;

ArithmeticUnits::ArithmeticUnits(const ArithmeticParams& params, unsigned schedulers,
                                 unsigned warps, State& state)
    : schedulers_(schedulers) {
    if (!params.given()) return;
    state_ = &state;
    state.free.resize(std::size_t {schedulers} * arithmetic_units);
    state.results.resize(warps);
    for (std::size_t kind = 0; kind < arithmetic_units; ++kind) {
        const unsigned lanes = params.lanes(static_cast<ArithmeticUnit>(kind));
        interval_[kind] = lanes ? (gpu_program::warp_lanes + lanes - 1) / lanes : 0;
        latency_[kind] = params.latency(static_cast<ArithmeticUnit>(kind));
    }
}

ArithmeticUnits::Cycle ArithmeticUnits::available(std::uint32_t warp,
                                                  const gpu_program::WarpOpHead& next) const {
    const Results& results = state_->results[warp];
    if (results.issued) return next.chained ? results.ready[results.latest] : 0;
    Cycle first = 0;
    for (std::uint64_t rest = next.operands; rest; rest &= rest - 1) {
        const auto ago = static_cast<std::uint32_t>(std::countr_zero(rest));
        first = std::max(first, results.ready[(results.latest + ago) % window]);
    }
    return first;
}

bool ArithmeticUnits::add(std::uint32_t warp, ArithmeticUnit unit, Cycle cycle) {
    state_->waiting[index(unit)].add(warp);
    return free(warp % schedulers_, index(unit)) > cycle;
}

WarpSet ArithmeticUnits::ready(std::uint32_t scheduler, Cycle cycle) const {
    WarpSet warps;
    for (std::size_t kind = 0; kind < arithmetic_units; ++kind)
        if (free(scheduler, kind) <= cycle) warps = warps | state_->waiting[kind];
    return warps;
}

ArithmeticUnits::Cycle ArithmeticUnits::next(std::uint32_t scheduler, const WarpSet& warps,
                                             Cycle from) const {
    Cycle first = IssueSlots::never;
    for (std::size_t kind = 0; kind < arithmetic_units; ++kind)
        if (state_->waiting[kind] & warps)
            first = std::min(first, std::max(from, free(scheduler, kind)));
    return first;
}

bool ArithmeticUnits::take_instruction(std::uint32_t warp, gpu_program::WarpOp& op) {
    op.kind = kind(op);
    if (!given()) return false;
    Results& results = state_->results[warp];
    if (results.issued == 0) {
        results.latest = static_cast<std::uint8_t>((results.latest - 1u) % window);
        results.ready[results.latest] = 0; // of a stretch: its warp sleeps until the result
    }
    if (op.kind == gpu_program::WarpOpKind::compute) return false;
    state_->waiting[index(op.unit)].remove(warp);
    if (++results.issued < std::exchange(op.instructions, 1)) return true;
    results.issued = 0;
    return false;
}

std::uint32_t ArithmeticUnits::begin(std::uint32_t warp, ArithmeticUnit unit, Cycle cycle) {
    const std::uint32_t interval = interval_[index(unit)];
    free(warp % schedulers_, index(unit)) = cycle + interval;
    Results& results = state_->results[warp];
    results.ready[results.latest] = cycle + latency_[index(unit)];
    return interval;
}

std::uint64_t ArithmeticUnits::occupied(unsigned kind, Cycle cycle) const {
    Cycle sum = 0;
    for (std::uint32_t s = 0; s < schedulers_; ++s)
        sum += std::max(free(s, kind) - cycle, Cycle {0});
    return static_cast<std::uint64_t>(sum);
}

void ArithmeticUnits::check_loaded(Loader& l, const WarpSet& ready) const {
    if (!given()) return l.check(!ready, "has instructions for units that the SM lacks");
    for (const Results& results : state_->results) l.index("arithmetic", results.latest, window);
    for (const WarpSet& waiting : state_->waiting)
        waiting.check_loaded(l, "arithmetic", state_->results.size());
}

} // namespace memsim::gpu
