#include "ohm/channel/memory_channel.hh"

#include "optical/wom_code.hh"

#include <algorithm>

namespace memsim::ohm {

mem::DramTiming ChannelParams::timing() const {
    mem::DramTiming t = dram_timing->timing();
    t.rate = rate();
    t = mem::with_changes(t, dram_changes());
    mem::check(t);
    return t;
}

unsigned ChannelParams::counted_banks() const {
    if (!bank_stats()) return 0;
    try {
        const mem::DramTiming t = timing();
        return t.ranks * t.banks();
    } catch (const ConfigError&) {
        return 0;
    }
}

MemoryChannel::MemoryChannel(const ChannelParams& params, ChannelStats& stats, ChannelState& state,
                             bool memory_route, std::optional<mem::DramBankCounters> banks)
    : params_(params), stats_(stats), state_(state),
      timing_(params.timing()), kinds_ {{stats.demand_bytes, stats.demand_time, state.remainder[0],
                                         WireTime(params.rate())},
                                        {stats.migration_bytes, stats.migration_time,
                                         state.remainder[1], WireTime(params.rate())},
                                        state.data,
                                        state.beside,
                                        stats.side_bytes} {
    // Commands to the DRAM and its data both cross the channel.
    const mem::DataBus::Config wires {.rate = params.rate(),
                                      .gap = params.turnaround(),
                                      .latency = 2 * params.one_way(),
                                      .code = {optical::wom_data_bits, optical::wom_pulses}};
    bus_.emplace(wires, state.bus);
    std::optional<mem::DramSide> beside;
    if (memory_route || params.migration_channel() == MigrationChannel::dedicated)
        beside.emplace(mem::DramSide {side_.emplace(wires, state.side), stats.side_time});
    device_.emplace(timing_, bus_->transfer_time(timing_.burst), state.device);
    mem::DramScheduler::Config figures;
    figures.read_queue = figures.write_queue = params.dram_queue();
    figures.write_high = params.dram_queue() * 7 / 8;
    figures.write_low = params.dram_queue() / 2;
    figures.page = params.row_policy();
    dram_.emplace(figures, *device_, *bus_, state.scheduler,
                  mem::DramCounters {stats.activates, stats.precharges, stats.refreshes,
                                     stats.row_hits, stats.row_misses, stats.row_conflicts,
                                     stats.forwarded, stats.dram_bytes, stats.channel_time,
                                     &kinds_},
                  beside, params.bank_stats() ? banks : std::nullopt);
    lent_.emplace(*dram_, *device_, state.lent);
    row_ = device_parts::Divider(static_cast<std::uint64_t>(timing_.row.raw));
    burst_ = device_parts::Divider(timing_.burst);
    banks_ = device_parts::Divider(device_->banks());
    lead_ = std::max({timing_.tCL.raw, timing_.tCWL.raw, params.grant_latency->raw});
}

void MemoryChannel::init(const std::string& place, std::uint64_t machine_seed) {
    dram_->init(place, machine_seed);
    lent_->init();
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

void MemoryChannel::enqueue(mem::DramAccess access, bool migration, Tick now) {
    access.migration = migration;
    dram_->enqueue(access, now);
}

Tick MemoryChannel::book(std::uint32_t module, std::uint32_t bytes, bool towards_module,
                         bool migration, Tick now, mem::DramWires wires) {
    const bool data = wires == mem::DramWires::data;
    mem::DataBus& bus = data ? *bus_ : *side_;
    const Tick lead = towards_module ? 0 : params_.grant_latency->raw;
    const Tick start = std::max(bus.earliest(user(module), towards_module), now + lead);
    count(bytes, migration, wires, now, start);
    const Tick end = bus.reserve(start, bytes, user(module), towards_module);
    (data ? stats_.channel_time : stats_.side_time).add(now, start, end);
    return end;
}

/// Counts a transfer that begins at `from`.
void MemoryChannel::count(std::uint32_t bytes, bool migration, mem::DramWires wires, Tick now,
                          Tick from) {
    kinds_.count(bytes, bytes == timing_.burst ? 1 : burst_.quotient(bytes + timing_.burst - 1),
                 migration, wires, now, from);
}

Tick MemoryChannel::side_command_at(std::uint32_t module, std::uint32_t bank, std::uint32_t row,
                                    bool write) const {
    if (device_->row(bank) != row) return never;
    const Tick command = device_->latency(write);
    const Tick light = std::max(side_->earliest(user(module), write), state_.uncoded_until);
    return std::max(
        device_->earliest(write ? mem::DramCommand::write : mem::DramCommand::read, bank),
        light - command);
}

Tick MemoryChannel::side_command(std::uint32_t module, std::uint32_t bank, std::uint32_t row,
                                 bool write, Tick now) {
    const Tick start = now + device_->latency(write);
    device_->issue(write ? mem::DramCommand::write : mem::DramCommand::read, bank, row, now);
    const Tick end = side_->reserve(start, timing_.burst, user(module), write);
    count(timing_.burst, true, mem::DramWires::side, now, start);
    stats_.side_time.add(now, start, end);
    return end;
}

void MemoryChannel::code(bool on) {
    if (on) {
        state_.uncoded_until = bus_->free_at();
    } else {
        stats_.coded_bytes += bus_->coded_bytes() - state_.coded_seen;
        state_.coded_seen = bus_->coded_bytes();
    }
    bus_->code(on);
}

void MemoryChannel::check_loaded(Loader& l, const std::function<void(std::uint32_t)>& dram_context,
                                 const std::function<void(std::uint32_t)>& id) const {
    dram_->check_loaded(l, dram_context);
    lent_->check_loaded(l);
    for (const auto& leaving : state_.leaving)
        for (std::uint32_t i = 0; i < leaving.size(); ++i) id(leaving[i].command.id);
    for (const mem::DramKinds::Kind* kind : {&kinds_.demand, &kinds_.migration})
        l.index("remainder", static_cast<std::uint64_t>(kind->remainder),
                static_cast<std::uint64_t>(kind->wire.rate()));
}

std::optional<std::string> MemoryChannel::imbalance() const {
    if (auto wrong = imbalance(state_.data, *bus_, "channel")) return wrong;
    return side_ ? imbalance(state_.beside, *side_, "side bus") : std::nullopt;
}

std::optional<std::string> MemoryChannel::imbalance(const mem::DramCarried& carried,
                                                    const mem::DataBus& bus,
                                                    const char* wires) const {
    constexpr unsigned bits = optical::wom_data_bits, more = optical::wom_pulses - bits;
    const auto exact = static_cast<Uint128>(bits * carried.bytes + more * bus.coded_bytes()) *
                       ticks_per_second / static_cast<Uint128>(bits * params_.rate().raw);
    // Each transfer that does not directly follow another one loses part of a femtosecond.
    const auto busy = static_cast<Uint128>(bus.busy());
    if (busy > exact || busy + carried.transfers < exact)
        return std::string("the ") + wires + " was busy for " + std::to_string(bus.busy()) +
               "fs but its " + std::to_string(carried.bytes) + " bytes take " +
               to_text(static_cast<Int128>(exact)) + "fs";
    return {};
}

void make_channel(std::optional<MemoryChannel>& channel, const Component& controller,
                  const ChannelParams& params, ChannelStats& stats, ChannelState& state,
                  mem::DramBankCounters banks, bool memory_route, std::uint64_t unit) {
    const auto refuse = [&](const char* parameter, const std::string& why) {
        throw ConfigError(controller.path() + "." + parameter + ": " + why);
    };
    if (params.index() >= params.controllers())
        refuse("index", "it must be below controllers, " + std::to_string(params.controllers()));
    try {
        channel.emplace(params, stats, state, memory_route, banks);
    } catch (const ConfigError& e) {
        refuse("dram_changes", e.what());
    }
    const mem::DramTiming& timing = channel->timing();
    if (unit % timing.burst != 0 || static_cast<std::uint64_t>(timing.row.raw) % unit != 0)
        refuse("dram_timing", "its burst must divide the access size of " + std::to_string(unit) +
                                  " bytes, which must divide the row");
    channel->init(controller.path(), controller.sim().seed());
}

} // namespace memsim::ohm
