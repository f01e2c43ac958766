#include "mem/fr_fcfs.hh"

/// A request's bursts follow each other most of the time. That they do is known beforehand for a
/// while, in which the other banks need not be looked at after each.
namespace memsim::mem {

/// Until when the planned burst's request goes before all that waits now, if it has more bursts and
/// they come without a gap.
Tick FrFcfs::first_until(const Command& planned) const {
    if (planned.action != Action::column || state_.entries[planned.entry].left < 2 || state_.others)
        return 0;
    Tick until = state_.others_at - 1;
    const auto& used = state_.used_banks[state_.draining];
    for (std::uint32_t w = 0; w < used.size(); ++w)
        for (std::uint64_t bits = used[w] & state_.data_banks[w]; bits; bits &= bits - 1) {
            const std::uint32_t b = w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
            until = std::min(until, lets_pass(state_.candidates[b], b, planned));
        }
    return until;
}

/// After a burst: whether the next one of the same request is what goes next, which most often it
/// is; then it is planned, without a look at the other banks.
bool FrFcfs::goes_on(const Command& issued, Tick now) {
    const auto& next = state_.candidates[issued.bank];
    if (state_.first_until < now || issued.action != Action::column || next.order != issued.order ||
        !next.data || state_.units_refreshing || device_.half_activated())
        return false;
    const bool write = state_.draining;
    const Tick latency = device_.latency(write);
    const Tick floor = std::max(now, device_.next_command(true));
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
