#pragma once

#include "core/base/units.hh"
#include "protocol/device_load.hh"

#include <algorithm>
#include <cstdint>

namespace memsim::cxl_gpu {

/// How far speculative reads go, by the load that the endpoint reports. While it is light the
/// granularity grows by a step each period, while it is optimal it stays, under moderate load it
/// shrinks by a step at once and by another each further period. Severe load halts speculative
/// reads until the load is light, and they begin again at the least granularity. Nothing changes
/// between reports: one comes with each response. A value for State.
struct LoadControl {
    struct Rule {
        std::uint32_t least = 0, most = 0, step = 0; ///< bytes
        Tick period = 0;
    };

    protocol::DevLoad load = protocol::DevLoad::optimal; ///< until the first report
    bool halted = false;
    std::uint32_t granularity = 0;
    Tick stepped = 0; ///< since when the next step's period runs

    void report(protocol::DevLoad reported, const Rule& rule, Tick now) {
        using protocol::DevLoad;
        const bool steps = load == DevLoad::light || load == DevLoad::moderate;
        if (const Tick periods = steps ? (now - stepped) / rule.period : 0) {
            const Tick enough = rule.most / rule.step + 1;
            move(static_cast<std::uint32_t>(std::min(periods, enough)), rule);
            stepped += periods * rule.period;
        }
        if (reported == load) return;
        load = reported;
        stepped = now;
        if (load == DevLoad::light) halted = false;
        if (load == DevLoad::moderate) move(1, rule);
        if (load == DevLoad::severe) {
            halted = true;
            granularity = rule.least;
        }
    }
    /// How many of a queue's entries may be used: all at the greatest granularity, `least` at the
    /// least, in proportion between.
    std::uint32_t usable(std::uint32_t entries, std::uint32_t least, const Rule& rule) const {
        if (rule.most == rule.least) return entries;
        return least + (entries - least) * (granularity - rule.least) / (rule.most - rule.least);
    }

  private:
    void move(std::uint32_t steps, const Rule& rule) {
        if (load == protocol::DevLoad::light)
            granularity = std::min(rule.most, granularity + steps * rule.step);
        else
            granularity -= std::min(granularity - rule.least, steps * rule.step);
    }
};

} // namespace memsim::cxl_gpu
