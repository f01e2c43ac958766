#pragma once

#include "ohm/channel/module_side.hh"
#include "ohm/two_level/dram_cache.hh"

#include <functional>

namespace memsim::ohm {

struct EvictionParams {
    using group = void;
    Param<bool> auto_rw {false, "XPoint snarfs evicted lines", stated("Ohm-GPU IV-B")};
    Param<Time> patience {1_us,
                          {0_fs, 1_s},
                          "Age above which an eviction precedes demand",
                          assumed("no source gives it; range 0-10 us"),
                          Change::tunable};
    Param<unsigned> evictions {
        64,
        {1, 4096},
        "Outstanding evictions to XPoint",
        assumed("the lines of its write buffer, half of the 16 KB register; range 4-128")};
};

struct EvictionStats {
    using group = void;
    Counter evictions {Unit::count, "Dirty lines evicted from DRAM to XPoint"};
    Counter snarfed {Unit::count, "Evictions that the XPoint controller took over"};
};

/// A line being written to XPoint.
struct Eviction {
    std::uint32_t request = 0; ///< the request whose set it leaves
    std::uint64_t local = 0;
    Tick decided = 0;
    Contents::Id contents;
};

struct EvictionState {
    struct Queue { ///< by module
        Fifo<Eviction> evictions;
        Fifo<protocol::DdrtCommand> snarfs; ///< lines that the module has seen on the channel
    };
    std::vector<Queue> modules;
    std::uint32_t taken = 0; ///< reserved places of `evictions`
};

/// Dirty lines of the DRAM cache being written to XPoint. A place is reserved for a victim before
/// its line is read, because a line that has been read must be accepted. An eviction uses idle time
/// of the channel, or precedes demand when it is older than `patience`. With auto-read/write,
/// XPoint takes the line over as it passes on the channel; the place is free when XPoint reports
/// so.
class Evictions {
  public:
    using Left = std::function<void(std::uint32_t request)>;

    /// All references must outlive the object. `left`: called when the victim of a request has left
    /// its set.
    Evictions(const EvictionParams& params, EvictionStats& stats, EvictionState& state,
              const LineMap& map, MemoryChannel& channel, ModuleSide& modules, mem::DramWires wires,
              Left left)
        : params_(params), stats_(stats), state_(state), map_(map), channel_(channel),
          modules_(modules), wires_(wires), left_(std::move(left)) {}
    void init() { state_.modules.resize(modules_.modules()); }

    bool has_place() const { return state_.taken < params_.evictions(); }
    void keep_place() { ++state_.taken; }
    void give_place_back() { --state_.taken; }
    bool any() const { return state_.taken != 0; }
    std::uint32_t taken() const { return state_.taken; }

    /// Adds a victim that has been read. Requires a reserved place.
    void evict(const Eviction& e, std::uint32_t module);
    /// A DRAM line has crossed the channel, so its module knows line and tag bits. `requested`: the
    /// line for which it was read.
    void seen_passing(const Eviction& e, std::uint64_t requested, bool dirty);
    /// Informs a module of the lines that passed, in order; dependent commands follow. Returns
    /// whether anything was sent.
    bool send_snarfs(std::uint32_t module);
    /// Books the channel for old evictions, or for all. Returns whether any was booked.
    bool book(bool old_ones, Tick now);
    /// An eviction has left over the channel.
    void sent(std::uint32_t request) {
        give_place_back();
        left_(request);
    }
    /// Calls consider(time) for each time at which state can change without an event.
    template <class F>
    void consider(F&& consider) const {
        const Tick free = channel_.free_at(wires_);
        for (const EvictionState::Queue& q : state_.modules) {
            if (q.evictions.empty()) continue;
            consider(q.evictions.front().decided + params_.patience->raw);
            consider(free - channel_.lead());
            consider(free);
        }
    }
    void check_loaded(Loader& l, std::size_t requests) const;

  private:
    std::uint32_t line_bytes() const { return static_cast<std::uint32_t>(map_.line_bytes); }

    const EvictionParams& params_;
    EvictionStats& stats_;
    EvictionState& state_;
    const LineMap& map_;
    MemoryChannel& channel_;
    ModuleSide& modules_;
    mem::DramWires wires_;
    Left left_;
};

} // namespace memsim::ohm
