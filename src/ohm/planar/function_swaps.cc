#include "ohm/planar/function_swaps.hh"

namespace memsim::ohm {

void FunctionSwaps::check(const Component& controller, const SwapParams& params,
                          const ChannelParams& channel, Routes routes, Bytes page, Bytes row) {
    const auto refuse = [&](const char* parameter, const std::string& why) {
        throw ConfigError(controller.path() + "." + parameter + ": " + why);
    };
    if (!params.swap_function()) {
        if (params.behind_writes()) refuse("behind_writes", "it requires swap_function");
        if (routes == Routes::wom || routes == Routes::half_coupled)
            refuse("routes", "only the swap function uses the second route of '" +
                                 Text<Routes>::show(routes) +
                                 "': set swap_function, or routes to optical");
        return;
    }
    if (routes == Routes::electrical || routes == Routes::optical)
        refuse("swap_function", "it requires a memory route: routes is '" +
                                    Text<Routes>::show(routes) +
                                    "', and only 'wom' and 'half_coupled' carry a second route");
    if (channel.migration_channel() == MigrationChannel::dedicated)
        refuse("migration_channel",
               "the swap function moves pages over the memory route: the parameter must "
               "be 'shared'");
    if (row.raw % page.raw != 0)
        refuse("page", Text<Bytes>::show(page) + " does not divide a row of the DRAM, " +
                           Text<Bytes>::show(row) +
                           ": the swap function moves data within one open row");
}

void FunctionSwaps::place(Swap& s) const {
    const mem::DramAccess at = channel_.dram_access(placement_.dram_address(s.group), 1);
    s.bank = at.bank;
    s.row = at.row;
    s.phase = Swap::Phase::decided;
}

/// The data route and the memory route share the light while data crosses the memory route, and
/// already when it is requested.
void FunctionSwaps::share_light(Tick now) {
    const bool shared = route_.busy() || channel_.free_at(mem::DramWires::side) > now;
    if (shared != channel_.coded()) channel_.code(shared);
}

/// Steps from idle pages to SWAP-CMD.
void FunctionSwaps::prepare(Swap& s, Tick now) {
    LentBanks& lent = channel_.lent();
    if (s.phase == Swap::Phase::quiet && !s.waits_for && !lent.held(s.bank)) {
        lent.hold(s.bank, s.row, now);
        ++state_.held_banks;
        s.phase = Swap::Phase::preset;
    }
    if (s.phase == Swap::Phase::preset && lent.preset(s.bank)) s.phase = Swap::Phase::command;
    if (s.phase == Swap::Phase::command) order(s, now);
}

/// Books a slot of the channel for SWAP-CMD.
void FunctionSwaps::order(Swap& s, Tick now) {
    const std::uint32_t m = s.module;
    if (!modules_.quiet(m) || channel_.free_at() > now + channel_.lead() || !modules_.can_send(m))
        return;
    protocol::DdrtCommand c;
    c.address = placement_.module_address(s.group, s.location);
    c.other = placement_.dram_address(s.group);
    c.bytes = static_cast<std::uint32_t>(placement_.page_bytes);
    c.id = swaps_.id_of(s);
    c.migration = c.swap = true;
    modules_.book(m, static_cast<std::uint32_t>(params_.swap_command->raw), c, true, now);
    s.phase = Swap::Phase::ordered;
}

/// Confirms a swap and takes the bank back. Returns false if no grant can be sent now.
bool FunctionSwaps::confirm(Swap& s, Tick now) {
    if (!modules_.can_grant(s.module)) return false;
    modules_.confirm(s.module, swaps_.id_of(s));
    stats_.command_latency.sample(Time {now - s.ordered});
    channel_.lent().release(s.bank, now);
    --state_.held_banks;
    return true;
}

} // namespace memsim::ohm
