#pragma once

#include "core/base/units.hh"
#include "protocol/device_load.hh"

#include <algorithm>
#include <cstdint>

namespace memsim::cxl_gpu {

/// Sets the granularity of speculative reads from the load that the endpoint reports. Light load:
/// it grows by one step per period. Optimal load: it stays. Moderate load: it shrinks by one step
/// at once and by another each further period. Severe load: speculative reads stop until the load
/// is light and then resume at the smallest granularity. State changes only on reports, which
/// arrive with responses. A value for State.
struct LoadControl {
    struct Rule {
        std::uint32_t least = 0, most = 0, step = 0; ///< bytes
        Tick period = 0;
    };

    protocol::DevLoad load = protocol::DevLoad::optimal; ///< until the first report
    bool halted = false;
    std::uint32_t granularity = 0;
    Tick stepped = 0; ///< start of the current step's period

    void report(protocol::DevLoad reported, const Rule& rule, Tick now) {
        using protocol::DevLoad;
        const bool steps = load == DevLoad::light || load == DevLoad::moderate;
        if (const Tick periods = steps ? (now - stepped) / rule.period : 0) {
            const Tick enough = rule.most / rule.step + 1;
            adjust_granularity(static_cast<std::uint32_t>(std::min(periods, enough)), rule);
            stepped += periods * rule.period;
        }
        if (reported == load) return;
        load = reported;
        stepped = now;
        if (load == DevLoad::light) halted = false;
        if (load == DevLoad::moderate) adjust_granularity(1, rule);
        if (load == DevLoad::severe) {
            halted = true;
            granularity = rule.least;
        }
    }
    /// The number of queue entries to use: all at the largest granularity, `least` at the smallest,
    /// in proportion between.
    std::uint32_t usable(std::uint32_t entries, std::uint32_t least, const Rule& rule) const {
        if (rule.most == rule.least) return entries;
        return least + (entries - least) * (granularity - rule.least) / (rule.most - rule.least);
    }

  private:
    void adjust_granularity(std::uint32_t steps, const Rule& rule) {
        if (load == protocol::DevLoad::light)
            granularity = std::min(rule.most, granularity + steps * rule.step);
        else
            granularity -= std::min(granularity - rule.least, steps * rule.step);
    }
};

} // namespace memsim::cxl_gpu
