#include "mem/fr_fcfs.hh"

/// A request's bursts follow each other most of the time. That they do is known beforehand for a
/// while, in which the other banks need not be looked at after each.
namespace memsim::mem {

/// Until when the planned burst's request goes before all that waits now, if it has more bursts and
/// they come without a gap.
Tick FrFcfs::first_until(const Command& burst, Tick floor) const {
    if (burst.action != Action::column || state_.entries[burst.entry].left < 2) return 0;
    Tick until = never;
    for_each_used_bank(~std::uint64_t {0}, floor, [&](std::uint32_t b, const Limits& limit) {
        const auto& c = state_.candidates[b];
        until = std::min(until, may_precede(c, b, burst, limit[c.limit]));
    });
    return until;
}

/// After a burst: whether the next one of the same request is what goes next, which most often it
/// is; then it is planned, without a look at the other banks.
bool FrFcfs::goes_on(const Command& issued, Tick now) {
    const auto& next = state_.candidates[issued.bank];
    if (state_.first_until < now || issued.action != Action::column || next.order != issued.order ||
        !next.data || state_.units_refreshing)
        return false;
    const DramTiming& t = device_.timing();
    const bool write = state_.draining;
    const Tick latency = (write ? t.tCWL : t.tCL).raw;
    const Tick floor = std::max(now, device_.next_command());
    const Tick bus = bus_.earliest(user(device_.rank_of(issued.bank)), write) - latency;
    const Tick at = std::max({next.at, floor, bus,
                              device_.group_ready(write ? DramCommand::write : DramCommand::read,
                                                  device_.group_of(issued.bank))});
    const bool gapless = at <= bus_.free_at() - latency;
    if (!gapless || at > state_.first_until || state_.next_refresh <= at) return false;
    state_.plan.at = at;
    state_.bus_seen = buses_free();
    return true;
}

} // namespace memsim::mem
