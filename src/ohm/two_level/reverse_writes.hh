#pragma once

#include "ohm/channel/module_side.hh"
#include "ohm/channel/ready_reads.hh"

namespace memsim::ohm {

/// What stops between the confirmation of a reverse-write and XPoint's completion signal.
enum class ReverseHold : std::uint8_t {
    nothing,  ///< the controller has granted the slot and knows its end
    requests, ///< no new request is issued; outstanding requests continue (Ohm-GPU V-A)
    channel   ///< like `requests`; also, no other data crosses the channel
};
constexpr std::array<std::string_view, 3> names_of(ReverseHold) {
    return {"nothing", "requests", "channel"};
}

struct ReverseParams {
    using group = void;
    Param<bool> reverse_write {false, "Lines from XPoint are answer and DRAM fill in one transfer",
                               stated("Ohm-GPU V-A")};
    Param<ReverseHold> reverse_hold {ReverseHold::requests,
                                     "Activity that stops until XPoint's completion signal",
                                     stated("Ohm-GPU V-A: new memory requests")};
    Param<unsigned> reverse_batch {
        8,
        {1, 4096},
        "Lines served by one hold; a hold of the channel begins when this many are ready",
        assumed("they take as long as the rest of the hold and the DRAM's restart; range 1-32")};
    Param<Time> reverse_patience {
        20_ns,
        {0_fs, 1_s},
        "Waiting time of a ready line that begins a hold of the channel while the DRAM is busy",
        assumed("what a hold costs the DRAM: grant, line, completion and tCL; range 0-100 ns"),
        Change::tunable};
    Param<Bytes> dram_register {16_KiB,
                                {128_B, 1_MiB},
                                "Capacity of the register for reverse-writes in front of the DRAM",
                                stated("Ohm-GPU III-A: 16 KB")};
};

struct ReverseStats {
    using group = void;
    Counter reverse_writes {Unit::count, "Fills that crossed the channel together with the answer"};
    Counter holds {Unit::count, "Times that reverse-writes stopped new requests or the channel"};
    ElapsedTime hold_time {"Time from confirmations to the last completion signals"};
    Level in_register {Unit::count, "Lines confirmed and not yet written to the DRAM"};
};

struct ReverseState {
    std::uint32_t under_way = 0; ///< confirmed and not complete, in the current hold
    std::uint32_t confirmed = 0; ///< since the hold began
    Tick held_since = 0;
    std::uint32_t registered = 0; ///< lines with a place in the DRAM's register
};

/// Reverse-writes (Ohm-GPU V-A, Fig. 12): a missing line crosses the channel once, from XPoint to
/// the register in front of the DRAM, while the controller's DDR monitor observes it. A hold lasts
/// from the confirmation to XPoint's completion signal and stops what `reverse_hold` selects. One
/// hold serves all ready lines, up to `reverse_batch`. While the DRAM is busy, a hold of the
/// channel begins when that many lines are ready or one has waited for `reverse_patience`.
class ReverseWrites {
  public:
    /// All references must outlive the object.
    ReverseWrites(const ReverseParams& params, ReverseStats& stats, ReverseState& state,
                  const ChannelParams& channel_params, MemoryChannel& channel, ModuleSide& modules,
                  std::uint32_t line_bytes)
        : params_(params), stats_(stats), state_(state), channel_(channel), modules_(modules),
          line_bytes_(line_bytes),
          registers_(static_cast<std::uint32_t>(params.dram_register->raw) / line_bytes),
          shortest_(channel_params.grant_latency->raw + channel_params.one_way().raw +
                    channel.transfer_time(line_bytes).raw) {}

    /// Whether no other data may cross the channel.
    bool holds_channel() const {
        return params_.reverse_hold() == ReverseHold::channel && state_.under_way != 0;
    }
    /// Whether no new request may be issued.
    bool holds_requests() const {
        return params_.reverse_hold() != ReverseHold::nothing && state_.under_way != 0;
    }
    /// Whether the next ready line may be confirmed now. Within a hold: up to its batch. Otherwise
    /// a hold begins; a hold of the channel only if it does not delay the DRAM, if enough lines are
    /// `ready`, or if the first has waited (`since`) long enough.
    bool may_confirm(std::uint32_t ready, Tick since, Tick now) const;
    /// Allows XPoint to send ready lines to the DRAM, observed by the DDR monitor. Returns whether
    /// any was confirmed.
    bool confirm(ReadyReads& ready, Tick now);
    /// XPoint's completion signal has arrived.
    void complete(Tick now);
    /// A line has moved from the register to its place in the DRAM.
    void written(Tick now) { stats_.in_register.set(now, --state_.registered); }

  private:
    void confirmed(Tick now);

    const ReverseParams& params_;
    ReverseStats& stats_;
    ReverseState& state_;
    MemoryChannel& channel_;
    ModuleSide& modules_;
    std::uint32_t line_bytes_;
    std::uint32_t registers_; ///< lines that dram_register holds
    Tick shortest_;           ///< duration of the shortest hold
};

} // namespace memsim::ohm
