#include "upcoming_source.hh"

#include "core/kernel/registry.hh"

namespace memsim::test {

static const Registration<UpcomingSource> upcoming_source {
    "Test: sends accesses of an imaginary GPU."};

std::vector<PlannedHint>& planned_hints() {
    static std::vector<PlannedHint> all;
    return all;
}

void UpcomingSource::wake() {
    if (now() < state.due) return arm(state.next, state.due);
    for (unsigned i = 0; i < params.listeners; ++i)
        if (!port.accesses[i].can_send()) return;
    for (unsigned i = 0; i < params.hearing; ++i)
        if (!port.upcoming[i].can_send()) return;
    if (state.sent == count()) return;
    const PlannedHint t = planned_hints().empty() ? draw() : planned_hints()[state.sent];
    ++state.sent;
    if (t.upcoming) {
        protocol::UpcomingAccesses a;
        a.lines[a.count++] = t.address;
        for (unsigned i = 0; i < params.hearing; ++i) port.upcoming[i].send(a);
    } else {
        for (unsigned i = 0; i < params.listeners; ++i) port.accesses[i].send({t.address, t.write});
    }
    state.due = now() + 10'000'000;
    arm(state.next, state.due);
}

PlannedHint UpcomingSource::draw() {
    const bool upcoming = params.hearing() && state.random.below(4) == 0;
    const std::uint64_t kind = state.random.below(8);
    const std::uint64_t unit = kind < 4   ? state.random.below(16)
                               : kind < 7 ? state.random.below(params.units)
                                          : ++state.scan % params.units;
    return {upcoming, 4096 * unit + 128 * state.random.below(32), state.random.below(3) == 0};
}

} // namespace memsim::test
