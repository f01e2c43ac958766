#include "sap/stack_distances.hh"

#include "core/kernel/registry.hh"

#include <algorithm>

namespace memsim::sap {

static const Registration<StackDistances> stack_distances {
    "Counts accesses that would hit in an LRU memory, at several capacities in one pass."};

void StackDistances::init() {
    if (const std::string fault = params.sizes.fault(); !fault.empty()) refuse("capacities", fault);
}

void StackDistances::wake() {
    while (!port.accesses.empty()) {
        const protocol::Observed a = port.accesses.pop();
        stat.sizes.count(a);
        access(params.sizes.unit_of(a.address), a.write);
    }
}

void StackDistances::access(std::uint64_t unit, bool write) {
    Recency& recency = state.recency;
    const Recency::Unit* known = recency.find(unit);
    const std::uint32_t distance = known ? recency.distance(*known) : Recency::never;
    for (std::uint32_t i = 0; i < params.sizes.capacities(); ++i) {
        const std::uint64_t held = params.sizes.units(i);
        if (distance <= held) {
            ++stat.sizes.hits[i];
            continue;
        }
        ++stat.sizes.misses[i];
        if (recency.size() < held) continue;
        // The unit at this position is replaced.
        const Recency::Unit& victim = recency.at(static_cast<std::uint32_t>(held));
        stat.sizes.written_back[i] += victim.dirty_from <= held;
    }
    stat.units += !known;
    Recency::Unit& now = recency.access(unit);
    if (write)
        now.dirty_from = 0;
    else if (now.dirty_from != Recency::never)
        now.dirty_from = std::max(now.dirty_from, distance);
}

void StackDistances::check_loaded(Loader& l) const {
    l.check(state.recency.size() < Recency::never / 4, "has more units than it can number");
}

} // namespace memsim::sap
