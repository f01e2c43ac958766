#pragma once

#include "ohm/channel/module_side.hh"
#include "ohm/two_level/dram_cache.hh"

#include <functional>

namespace memsim::ohm {

struct EvictionParams {
    using group = void;
    Param<bool> auto_rw {false, "XPoint snarfs evictions", stated("Ohm-GPU IV-B")};
    Param<Time> patience {1_us,
                          {0_fs, 1_s},
                          "Age from which an eviction goes before demand",
                          assumed("no source gives it; range 0-10 us"),
                          Change::tunable};
    Param<unsigned> evictions {
        64,
        {1, 4096},
        "Victims on their way to XPoint",
        assumed("as many as its write buffer has lines, half of the 16 KB register; range 4-128")};
};

struct EvictionStats {
    using group = void;
    Counter evictions {Unit::count, "Dirty lines that left DRAM for XPoint"};
    Counter snarfed {Unit::count, "Evictions that the XPoint controller took over"};
};

/// A line on its way to XPoint.
struct Eviction {
    std::uint32_t request = 0; ///< whose set it leaves
    std::uint64_t local = 0;
    Tick decided = 0;
    Contents::Id contents;
};

struct EvictionState {
    struct Queue { ///< of a module
        Fifo<Eviction> evictions;
        Fifo<protocol::DdrtCommand> snarfs; ///< what the module has seen passing
    };
    std::vector<Queue> modules;
    std::uint32_t taken = 0; ///< places of `evictions`
};

/// Dirty lines of the DRAM cache on their way to XPoint. A place is kept for a victim before its
/// line is read, as what has been read cannot be refused. It goes over the channel where that would
/// idle, or before demand when it is older than `patience`. With auto-read/write XPoint sees the
/// line pass as it is read, and takes it over by itself; the place is free again when XPoint says
/// so.
class Evictions {
  public:
    using Left = std::function<void(std::uint32_t request)>;

    /// All outlive it. `left`: a request's victim has left its set.
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

    /// A line has been read and is a victim. Its place has been kept since before.
    void evict(const Eviction& e, std::uint32_t module);
    /// A line of DRAM has crossed the channel: its module has seen it, with the tag bits.
    /// `requested`: the line that it was read for.
    void seen_passing(const Eviction& e, std::uint64_t requested, bool dirty);
    /// Tells a module what it has seen, in the order in which that passed. Commands that follow
    /// from it come behind. True if anything was sent.
    bool send_snarfs(std::uint32_t module);
    /// Books the channel for those that are old enough, or for all; true if any was.
    bool book(bool old_ones, Tick now);
    /// One has left over the channel.
    void sent(std::uint32_t request) {
        give_place_back();
        left_(request);
    }
    /// Calls consider(time) for all times at which something can change by itself.
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
