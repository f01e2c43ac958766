#pragma once

#include "ohm/channel/ddr_sequence.hh"
#include "ohm/channel/memory_channel.hh"
#include "parts/sector_store.hh"

namespace memsim::ohm {

/// The values of a MemoryRoute, for State.
struct MemoryRouteState {
    /// An answer that leaves the DRAM's end of the route at `at`.
    struct Leaving {
        Tick at = 0;
        std::uint32_t module = 0;
        SequenceDone done;
    };
    SequenceAccess access;    ///< under way
    std::uint32_t module = 0; ///< whose it is
    std::uint32_t bursts = 0; ///< its column commands not yet issued; 0: none is under way
    std::uint32_t turn = 0;   ///< the module that is asked first
    Tick since = 0;           ///< it has been under way
    Fifo<Leaving> leaving;
};

/// The DRAM's end of the memory route (Ohm-GPU IV-B, Fig. 11): column commands of the XPoint
/// modules' DDR sequence generators are carried out when the DRAM allows it, their data crosses the
/// side bus. The modules take turns, an access (a piece of a swap) each.
/// The DRAM serves one column command at a time, whoever sends it: what the two routes ask of it
/// together cannot exceed the rate of its banks.
class MemoryRoute {
  public:
    using Port = Responder<DdrSequence>;
    /// All outlive the route. `dram` is what the DRAM holds, by its addresses.
    MemoryRoute(MemoryChannel& channel, Many<Port>& ports, MemoryRouteState& state,
                Contents& contents, parts::SectorStore& dram)
        : channel_(channel), ports_(ports), state_(state), contents_(contents), dram_(dram) {}

    void check_loaded(Loader& l) const {
        const unsigned modules = ports_.size();
        l.index("route.module", state_.module, modules),
            l.index("route.turn", state_.turn, modules);
        for (std::uint32_t i = 0; i < state_.leaving.size(); ++i)
            l.index("route.leaving", state_.leaving[i].module, modules);
        l.index("route.access", state_.access.bytes, most_bytes + 1);
    }
    /// Issues what may be issued now; true if it did.
    bool run(Tick now);
    /// When run() has something to do. A closed row is opened by the scheduler: its owner is awake.
    Tick next() const;
    /// An access has been under way since then.
    Tick since() const { return state_.bursts ? state_.since : never; }
    /// Accesses wait or are under way.
    bool busy() const {
        for (unsigned m = 0; m < ports_.size(); ++m)
            if (!ports_[m].empty()) return true;
        return state_.bursts != 0;
    }
    bool idle() const { return state_.bursts == 0 && state_.leaving.empty(); }

  private:
    static constexpr std::uint32_t most_bytes = 256; ///< an XPoint line
    bool take(Tick now);
    void finish(Tick end);
    Tick command_at() const;

    MemoryChannel& channel_;
    Many<Port>& ports_;
    MemoryRouteState& state_;
    Contents& contents_;
    parts::SectorStore& dram_;
};

} // namespace memsim::ohm
