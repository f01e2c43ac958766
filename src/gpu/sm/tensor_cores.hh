#pragma once

#include "core/base/clock.hh"
#include "core/declare/elapsed.hh"
#include "core/declare/param.hh"
#include "core/state/fifo.hh"

#include <algorithm>
#include <vector>

namespace memsim::gpu {

using namespace memsim::literals;

struct TensorParams {
    using group = void;
    Param<unsigned> tensor_rate {
        256,
        {1, 65536},
        "Multiply-accumulates of 16-bit values that a tensor core performs in a cycle",
        assumed("a quarter of the 1024 of an SM of the A100")};
    Param<unsigned> tensor_interval {1,
                                     {1, 1000},
                                     "Least cycles that an operation occupies its tensor core",
                                     assumed("small operations take as long as their products")};
    Param<unsigned> tensor_latency {
        17,
        {1, 1000},
        "Cycles from the end of an operation's time on its tensor core to its result",
        assumed("24.6 cycles of a dependent m16n8k16 on the A100, of which 8 occupy the core")};

    /// Cycles that an operation occupies its core.
    std::uint32_t cycles(std::uint32_t products) const {
        return std::max((products + tensor_rate() - 1) / tensor_rate(), tensor_interval());
    }
};

/// `Params` contains the number of tensor_cores.
template <class Params>
struct TensorStats {
    using group = void;
    Each<Counter> matrix_operations {from<&Params::tensor_cores>, Unit::count,
                                     "Matrix operations of each tensor core"};
    Each<BookedCycles> tensor_busy {from<&Params::tensor_cores>, Unit::cycle,
                                    "Cycles that operations occupied each tensor core"};
};

/// The tensor cores of an SM, one for each scheduler, and their outstanding results. An operation
/// occupies its core for products / rate cycles and completes `latency` cycles after that, so the
/// results of a core complete in order. In an SM without tensor cores a scheduler's lanes take
/// their place; other instructions issue meanwhile. A value for State.
struct TensorCores {
    struct Result {
        Tick ready = 0;
        std::uint32_t warp = 0;
        std::uint32_t place = 0; ///< in the warp's scoreboard
    };
    struct Core {
        std::int64_t free_at = 0; ///< cycle in which it accepts the next operation
        Fifo<Result> results;
    };
    std::vector<Core> cores;

    bool free(std::size_t core, std::int64_t cycle) const { return cores[core].free_at <= cycle; }
    void begin(std::size_t core, std::int64_t cycle, std::uint32_t cycles, const Result& r) {
        cores[core].free_at = cycle + cycles;
        cores[core].results.push(r);
    }
    /// Calls done(warp, place) for the completed results.
    template <class F>
    void finish(Tick now, F&& done) {
        for (Core& c : cores)
            while (!c.results.empty() && c.results.front().ready <= now) {
                const Result r = c.results.pop();
                done(r.warp, r.place);
            }
    }
    /// When the next result completes.
    Tick next() const {
        Tick first = never;
        for (const Core& c : cores)
            if (!c.results.empty()) first = std::min(first, c.results.front().ready);
        return first;
    }
    template <class Archive>
    void check_loaded(Archive& l, std::size_t warps, std::size_t places) const {
        for (const Core& c : cores)
            for (std::uint32_t i = 0; i < c.results.size(); ++i) {
                l.index("tensor_results", c.results[i].warp, warps);
                l.index("tensor_results", c.results[i].place, places);
            }
    }
};

} // namespace memsim::gpu
