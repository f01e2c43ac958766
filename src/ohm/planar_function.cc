#include "ohm/modules.hh"
#include "ohm/planar_controller.hh"

/// Swaps that the XPoint controllers make by themselves: what the memory controller does for them
/// (Ohm-GPU IV-B, V-A and Fig. 11).
namespace memsim::ohm {

void PlanarController::check_function() const {
    if (!params.swap_function()) {
        if (params.behind_writes())
            refuse("behind_writes", "there is no swap_function whose swaps could wait for writes");
        return;
    }
    if (params.routes() == Routes::electrical || params.routes() == Routes::optical)
        refuse("swap_function", "no memory route is laid for it: routes is '" +
                                    Text<Routes>::show(params.routes()) +
                                    "', and only 'wom' and 'half_coupled' carry a second route");
    if (params.channel.migration_channel() == MigrationChannel::dedicated)
        refuse("migration_channel", "the swap function moves pages over the memory route: it must "
                                    "be 'shared'");
    const mem::DramTiming& timing = channel_->timing();
    if (timing.row.raw % params.page->raw != 0)
        refuse("page", Text<Bytes>::show(params.page()) + " does not divide a row of the DRAM, " +
                           Text<Bytes>::show(timing.row) +
                           ": the swap function moves what lies in one open row");
    for (unsigned i = 0; i < port.sequences.size(); ++i) {
        const Component& m = port.channel.commands[i].peer()->owner();
        const ModuleFigures f = figures_of(m);
        if (!f.media) continue; // a test's
        if (f.swaps < params.swaps())
            throw ConfigError(m.path() + ".swaps: " + std::to_string(f.swaps) +
                              " is less than swaps of " + path() + ", " +
                              std::to_string(params.swaps()) +
                              ": all of them may be of this module's pages");
        if (&port.sequences[i].peer()->owner() != &m)
            throw ConfigError(path() + ".sequences[" + std::to_string(i) + "] must be bound to " +
                              m.path() + ", as commands[" + std::to_string(i) + "] is");
    }
}

/// Whether a swap begun now would come between reads that wait and their data.
bool PlanarController::serves_reads() const {
    const mem::FrFcfs& dram = channel_->dram();
    if (dram.draining()) return false;
    for (const auto& leaving : state.channel.leaving)
        if (!leaving.empty() && !leaving.front().command.migration) return false;
    return dram.reads() || !state.dram_queue.empty() || state.commands ||
           !state.ready_demand.empty();
}

/// While data crosses the memory route, and before, when it is asked for, the light of the data
/// route carries both.
void PlanarController::share_light() {
    const bool shared = route_->busy() || channel_->free_at(mem::DramWires::side) > now();
    if (shared != channel_->coded()) channel_->code(shared);
}

bool PlanarController::advance_functions() {
    if (params.routes() == Routes::wom) share_light();
    mem::FrFcfs& dram = channel_->dram();
    bool changed = false;
    // What the memory route asks of the DRAM goes behind demand, but not for ever.
    if (route_->since() <= now() - params.swap_patience->raw) changed = route_->run(now());
    for (Swap& s : state.swaps) {
        if (!s.live) continue;
        const Phase before = s.phase;
        if (s.phase == Phase::decided && (!serves_reads() || old(s))) make_still(s);
        if (s.phase == Phase::quiet && !s.waits_for && !dram.held(s.bank)) {
            dram.hold(s.bank, s.row, now());
            ++state.held_banks;
            s.phase = Phase::preset;
        }
        if (s.phase == Phase::preset && dram.preset(s.bank)) s.phase = Phase::command;
        if (s.phase == Phase::command) order(s);
        if (s.phase == Phase::ready) confirm(s);
        changed |= !s.live || s.phase != before;
    }
    return changed;
}

/// SWAP-CMD takes a slot of the channel.
void PlanarController::order(Swap& s) {
    const auto m = s.module;
    auto& leaving = state.channel.leaving[m];
    if (!leaving.empty() || channel_->free_at() > now() + channel_->lead() ||
        !port.channel.commands[m].can_send())
        return;
    const auto bytes = static_cast<std::uint32_t>(params.swap_command->raw);
    protocol::DdrtCommand c;
    c.address = placement_.module_address(s.group, s.location);
    c.other = placement_.dram_address(s.group);
    c.bytes = static_cast<std::uint32_t>(params.page->raw);
    c.id = id_of(s);
    c.migration = c.swap = true;
    leaving.push({channel_->book(m, bytes, true, true, now()), c});
    s.phase = Phase::ordered;
}

/// SWAP-CMD is on its way.
void PlanarController::ordered(Swap& s) { s.ordered = now(); }

/// XPoint is done: the bank is this controller's again, and what waited goes on.
void PlanarController::confirm(Swap& s) {
    if (!port.channel.transfers[s.module].can_send()) return;
    protocol::DdrtGrant end;
    end.id = id_of(s);
    end.confirm = true;
    port.channel.transfers[s.module].send(end);
    stat.command_latency.sample(Time {now() - s.ordered});
    channel_->dram().release(s.bank, now());
    --state.held_banks;
    end_swap(s);
}

} // namespace memsim::ohm
