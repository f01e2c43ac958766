#include "ohm/planar/page_swaps.hh"

namespace memsim::ohm {

const char* Swap::doing() const {
    switch (phase) {
    case Phase::decided:
        return " waits for writes to be served";
    case Phase::preset:
        return " waits for its row to be open";
    case Phase::command:
        return " waits for the channel";
    case Phase::ordered:
        return " is performed by XPoint";
    case Phase::ready:
        return " waits to be confirmed";
    case Phase::quiet:
        break;
    }
    return " is in progress";
}

void PageSwaps::check(const Component& controller, const SwapParams& params, Bytes page) {
    const auto refuse = [&](const char* parameter, const std::string& why) {
        throw ConfigError(controller.path() + "." + parameter + ": " + why);
    };
    const std::int64_t buffer = 2 * page.raw * params.swaps();
    if (page.raw % Swap::piece_bytes != 0)
        refuse("page", Text<Bytes>::show(page) + " is not a multiple of an XPoint line, " +
                           std::to_string(Swap::piece_bytes) + "B");
    if (params.swap_buffer->raw < buffer)
        refuse("swap_buffer", Text<Bytes>::show(params.swap_buffer()) +
                                  " does not hold two pages for each of " +
                                  std::to_string(params.swaps()) + " swaps: set it to " +
                                  std::to_string(buffer) + "B or reduce swaps");
}

Swap* PageSwaps::access(const Placement::Page& p, Group* g, Tick now) {
    if (params_.swaps() == 0) return nullptr;
    if (!g) {
        if (p.slot == 0) return nullptr; // in DRAM initially: its counter is 0 and stays 0
        g = &state_.groups[p.group];
    }
    const bool hot = g->access(static_cast<std::uint8_t>(p.slot), params_.hot_threshold());
    return hot ? decide(p.group, *g, now) : nullptr;
}

Swap* PageSwaps::decide(std::uint64_t group, Group& g, Tick now) {
    const auto index = static_cast<std::uint8_t>(std::countr_one(state_.live));
    if (index == params_.swaps()) {
        ++stats_.swaps_postponed;
        return nullptr;
    }
    Swap& s = state_.swaps[index];
    s = {};
    s.live = true;
    s.group = group;
    s.slot_in = g.candidate;
    s.slot_out = g.resident;
    s.location = g.location[g.candidate];
    s.module = static_cast<std::uint8_t>(placement_.module_of(group, s.location));
    s.decided = now;
    g.swap = index;
    state_.live |= std::uint64_t {1} << index;
    return &s;
}

void PageSwaps::end(Swap& s, Tick now) {
    state_.groups[s.group].swapped();
    ++stats_.swaps;
    stats_.swap_latency.sample(Time {now - s.decided});
    s.live = false;
    state_.live &= ~(std::uint64_t {1} << number(s));
}

bool PageSwaps::functional(const Swap& s, std::uint8_t slot, std::uint32_t offset,
                           FunctionalAccess& access) {
    if (access.write)
        state_.deferred.add(s.group, access);
    else
        state_.deferred.apply_to(s.group, access);
    if (!s.has(slot, offset)) return false;
    FunctionalAccess buffered = access;
    buffered.address = sector(s, slot == s.slot_out, offset) * SectorBytes::size;
    state_.buffer.functional(buffered);
    access.data = buffered.data;
    return true;
}

void PageSwaps::check_loaded(Loader& l, unsigned slots, unsigned modules, std::size_t banks) const {
    const std::size_t swaps = state_.swaps.size();
    state_.groups.all([&](std::uint64_t group, const Group& g) {
        l.index("groups", group, placement_.groups);
        if (g.swap != Group::none) l.index("groups.swap", g.swap, swaps);
        l.index("groups.resident", g.resident, slots),
            l.index("groups.candidate", g.candidate, slots);
        l.indices("groups.location", g.location, Group::most_slots);
        return true;
    });
    l.bits("live_swaps", state_.live, swaps);
    for (std::size_t i = 0; i < swaps; ++i) {
        const Swap& s = state_.swaps[i];
        l.within("live_swaps", [&] {
            l.check(s.live == (state_.live >> i & 1), "differs from the set of live swaps");
        });
        l.index("swaps.group", s.group, placement_.groups);
        l.index("swaps.slot_in", s.slot_in, slots), l.index("swaps.slot_out", s.slot_out, slots);
        l.index("swaps.module", s.module, modules);
        l.index("swaps.bank", s.bank, banks);
        for (const Swap::Mask asked :
             {s.dram_read_asked, s.xpoint_read_asked, s.xpoint_write_asked})
            l.bits("swaps.asked", asked, placement_.page_bytes / Swap::piece_bytes);
    }
}

void PageSwaps::waits_on(const std::string& path, WaitReport& report) const {
    for (const Swap& s : state_.swaps)
        if (s.live)
            report.add(path + ": the swap of group " + std::to_string(s.group) +
                       (s.waits_for ? " waits for " + std::to_string(s.waits_for) + " requests"
                                    : s.doing()));
}

} // namespace memsim::ohm
