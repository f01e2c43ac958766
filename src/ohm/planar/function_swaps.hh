#pragma once

#include "ohm/channel/memory_route.hh"
#include "ohm/channel/module_side.hh"
#include "ohm/planar/page_swaps.hh"

namespace memsim::ohm {

/// The number of concurrent transfers on the channel.
enum class Routes : std::uint8_t {
    electrical,   ///< one transfer, over wires
    optical,      ///< one transfer, by light
    wom,          ///< two by light, in a code that makes each take 3/2 of its time (Ohm-WOM)
    half_coupled, ///< two by light, the second with half its power (Ohm-BW)
};
constexpr std::array<std::string_view, 4> names_of(Routes) {
    return {"electrical", "optical", "wom", "half_coupled"};
}

struct FunctionSwapsState {
    MemoryRouteState route;
    std::uint32_t held_banks = 0; ///< lent for swaps
};

/// The memory controller's part in swaps that the XPoint controllers perform (Ohm-GPU IV-B, V-A and
/// Fig. 11). When both pages are idle, the bank of the DRAM page is lent and its row opened.
/// SWAP-CMD is sent to XPoint over the channel. XPoint moves the data over the memory route
/// (ohm/channel/page_swapper.hh, ohm/channel/memory_route.hh) and reports ready; this side
/// confirms. With `shares_light` the channel runs at 2/3 of its rate while data crosses the memory
/// route.
class FunctionSwaps {
  public:
    /// All references must outlive the object.
    FunctionSwaps(const SwapParams& params, SwapStats& stats, FunctionSwapsState& state,
                  const Placement& placement, PageSwaps& swaps, MemoryChannel& channel,
                  ModuleSide& modules, Many<MemoryRoute::Port>& sequences, Contents& contents,
                  device_parts::SectorStore& dram, bool shares_light)
        : params_(params), stats_(stats), state_(state), placement_(placement), swaps_(swaps),
          channel_(channel), modules_(modules),
          route_(channel, sequences, state.route, contents, dram), shares_light_(shares_light) {
        if (shares_light) channel.code_side();
    }

    /// Throws ConfigError, naming the parameter, for combinations that the swap function excludes.
    static void check(const Component& controller, const SwapParams& params,
                      const ChannelParams& channel, Routes routes, Bytes page, Bytes row);

    /// Advances all swaps. Returns whether anything changed. serves_reads(): a swap begun now would
    /// delay reads that wait. begin(s) starts to make its pages idle; over(s) ends the swap.
    template <class ServesReads, class Begin, class Over>
    bool advance(Tick now, ServesReads&& serves_reads, Begin&& begin, Over&& over) {
        if (shares_light_) share_light(now);
        bool changed = false;
        // Accesses of the memory route yield to demand until they are older than swap_patience.
        if (route_.since() <= now - params_.swap_patience->raw)
            changed = route_.issue_commands(now);
        for (Swap& s : swaps_.all()) {
            if (!s.live) continue;
            const Swap::Phase before = s.phase;
            if (before == Swap::Phase::decided && (!serves_reads() || swaps_.old(s, now))) begin(s);
            prepare(s, now);
            if (s.phase == Swap::Phase::ready && confirm(s, now)) over(s);
            changed |= !s.live || s.phase != before;
        }
        return changed;
    }
    bool run_route(Tick now) { return route_.issue_commands(now); }
    bool idle() const { return route_.idle(); }

    /// Sets the DRAM bank and row of a new swap.
    void place(Swap& s) const;
    /// SWAP-CMD has been sent.
    void ordered(std::uint32_t id, Tick now) { swaps_.of(id).ordered = now; }
    void ready(std::uint32_t id) { swaps_.of(id).phase = Swap::Phase::ready; }
    /// Whether the bank of a DRAM address is lent.
    bool holds(std::uint64_t dram_address) const {
        return state_.held_banks &&
               channel_.lent().held(channel_.dram_access(dram_address, 1).bank);
    }
    /// Calls consider(time) for each time at which state can change without an event.
    template <class F>
    void consider(F&& consider) const {
        for (std::uint64_t rest = swaps_.live(); rest; rest &= rest - 1) {
            const Swap& s = swaps_[static_cast<std::size_t>(std::countr_zero(rest))];
            consider(swaps_.old_at(s));
            if (s.phase == Swap::Phase::command) consider(channel_.free_at() - channel_.lead());
        }
        consider(route_.next());
        if (channel_.coded()) consider(channel_.free_at(mem::DramWires::side));
    }
    void check_loaded(Loader& l) const { route_.check_loaded(l); }

  private:
    void share_light(Tick now);
    void prepare(Swap& s, Tick now);
    void order(Swap& s, Tick now);
    bool confirm(Swap& s, Tick now);

    const SwapParams& params_;
    SwapStats& stats_;
    FunctionSwapsState& state_;
    const Placement& placement_;
    PageSwaps& swaps_;
    MemoryChannel& channel_;
    ModuleSide& modules_;
    MemoryRoute route_;
    bool shares_light_;
};

} // namespace memsim::ohm
