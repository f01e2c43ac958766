#pragma once

#include "device_parts/sector_store.hh"
#include "ohm/channel/ddr_sequence.hh"
#include "ohm/channel/memory_channel.hh"

namespace memsim::ohm {

/// The values of a MemoryRoute, for State.
struct MemoryRouteState {
    /// An answer that leaves the DRAM's end of the route at `at`.
    struct Leaving {
        Tick at = 0;
        std::uint32_t module = 0;
        SequenceDone done;
    };
    SequenceAccess access;    ///< the current access
    std::uint32_t module = 0; ///< its module
    std::uint32_t bursts = 0; ///< its column commands that are not issued; 0: no current access
    std::uint32_t turn = 0;   ///< the module that is served first
    Tick since = 0;           ///< start of the current access
    Fifo<Leaving> leaving;
};

/// The DRAM's end of the memory route (Ohm-GPU IV-B, Fig. 11). It executes column commands of the
/// XPoint modules' DDR sequence generators when the DRAM allows; their data crosses the side bus.
/// Modules take turns, one access (a piece of a swap) each. The DRAM executes one column command at
/// a time from either route, so both together cannot exceed the rate of its banks.
class MemoryRoute {
  public:
    using Port = Responder<DdrSequence>;
    /// All references must outlive the route. `dram`: contents of the DRAM, by its addresses.
    MemoryRoute(MemoryChannel& channel, Many<Port>& ports, MemoryRouteState& state,
                Contents& contents, device_parts::SectorStore& dram)
        : channel_(channel), ports_(ports), state_(state), contents_(contents), dram_(dram) {}

    void check_loaded(Loader& l) const {
        const unsigned modules = ports_.size();
        l.index("route.module", state_.module, modules),
            l.index("route.turn", state_.turn, modules);
        for (std::uint32_t i = 0; i < state_.leaving.size(); ++i)
            l.index("route.leaving", state_.leaving[i].module, modules);
        l.index("route.access", state_.access.bytes, most_bytes + 1);
    }
    /// Issues the commands that are possible now. Returns whether there were any.
    bool issue_commands(Tick now);
    /// The next time at which issue_commands() can act. The scheduler opens a closed row and is
    /// awake for it.
    Tick next() const;
    /// Start of the current access, or never.
    Tick since() const { return state_.bursts ? state_.since : never; }
    /// Whether accesses wait or are being executed.
    bool busy() const {
        for (unsigned m = 0; m < ports_.size(); ++m)
            if (!ports_[m].empty()) return true;
        return state_.bursts != 0;
    }
    bool idle() const { return state_.bursts == 0 && state_.leaving.empty(); }

  private:
    static constexpr std::uint32_t most_bytes = 256; ///< an XPoint line
    bool start_access(Tick now);
    void end_access(Tick end);
    Tick command_at() const;

    MemoryChannel& channel_;
    Many<Port>& ports_;
    MemoryRouteState& state_;
    Contents& contents_;
    device_parts::SectorStore& dram_;
};

} // namespace memsim::ohm
