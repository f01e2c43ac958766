#include "ohm/memory_channel.hh"

#include <algorithm>

namespace memsim::ohm {

MemoryChannel::MemoryChannel(const ChannelParams& params, ChannelStats& stats, ChannelState& state)
    : params_(params), stats_(stats), state_(state) {
    timing_ = mem::timing_of(params.dram_timing());
    timing_.rate = params.rate();
    timing_ = mem::with_changes(timing_, params.dram_changes());
    mem::check(timing_);
    // A command goes to the DRAM over the channel's way, and its data comes back over it.
    bus_.emplace(parts::DataBus::Figures {params.rate(), params.turnaround(), 2 * params.one_way()},
                 state.bus);
    device_.emplace(timing_, bus_->transfer_time(timing_.burst), state.device);
    mem::FrFcfs::Figures figures;
    figures.read_queue = figures.write_queue = params.dram_queue();
    figures.write_high = params.dram_queue() * 7 / 8;
    figures.write_low = params.dram_queue() / 2;
    figures.page = params.row_policy();
    dram_.emplace(figures, *device_, *bus_, state.scheduler,
                  mem::DramCounters {stats.activates, stats.precharges, stats.refreshes,
                                     stats.row_hits, stats.row_misses, stats.row_conflicts,
                                     stats.forwarded, stats.dram_bytes, stats.channel_time});
    row_ = parts::Divider(static_cast<std::uint64_t>(timing_.row.raw));
    burst_ = parts::Divider(timing_.burst);
    banks_ = parts::Divider(device_->banks());
    wire_.fill(WireTime(params.rate()));
    lead_ = std::max({timing_.tCL.raw, timing_.tCWL.raw, params.grant_latency->raw});
}

void MemoryChannel::init() {
    dram_->init();
    state_.leaving.resize(params_.modules());
}

mem::DramAccess MemoryChannel::dram_access(std::uint64_t address, std::uint32_t bytes) const {
    const std::uint64_t row = row_.quotient(address), offset = row_.remainder(address);
    const std::uint64_t first = burst_.quotient(offset);
    const std::uint64_t last = burst_.quotient(offset + bytes - 1);
    mem::DramAccess a;
    a.bank = static_cast<std::uint32_t>(banks_.remainder(row));
    a.row = static_cast<std::uint32_t>(banks_.quotient(row));
    a.column = static_cast<std::uint32_t>(first);
    a.bursts = static_cast<std::uint16_t>(last - first + 1);
    return a;
}

void MemoryChannel::enqueue(const mem::DramAccess& access, bool migration, Tick now) {
    const Uint128 forwarded = stats_.forwarded.value();
    dram_->enqueue(access, now);
    if (stats_.forwarded.value() == forwarded) count(access.bursts * timing_.burst, migration);
}

Tick MemoryChannel::book(std::uint32_t module, std::uint32_t bytes, bool towards_module,
                         bool migration, Tick now) {
    const Tick lead = towards_module ? 0 : params_.grant_latency->raw;
    const auto user = static_cast<std::uint16_t>(timing_.ranks + module);
    const Tick start = std::max(bus_->earliest(user, towards_module), now + lead);
    count(bytes, migration);
    const Tick end = bus_->reserve(start, bytes, user, towards_module);
    stats_.channel_time += Time {end - start};
    return end;
}

void MemoryChannel::count(std::uint32_t bytes, bool migration) {
    (migration ? stats_.migration_time : stats_.demand_time) +=
        static_cast<std::uint64_t>(wire_[migration].take(bytes, state_.remainder[migration]));
    (migration ? stats_.migration_bytes : stats_.demand_bytes) += bytes;
    state_.bytes += bytes;
    state_.transfers += burst_.quotient(bytes + timing_.burst - 1);
}

std::optional<std::string> MemoryChannel::imbalance() const {
    const auto exact = static_cast<Uint128>(state_.bytes) * ticks_per_second /
                       static_cast<Uint128>(params_.rate().raw);
    // Each transfer that does not follow another back to back loses a part of a femtosecond.
    if (state_.busy > exact || state_.busy + state_.transfers < exact)
        return "the channel was busy for " + to_text(static_cast<Int128>(state_.busy)) + "fs but " +
               std::to_string(state_.bytes) + " bytes of demand and migration take " +
               to_text(static_cast<Int128>(exact)) + "fs";
    return {};
}

} // namespace memsim::ohm
