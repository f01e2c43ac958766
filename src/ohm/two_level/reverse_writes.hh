#pragma once

#include "ohm/channel/module_side.hh"
#include "ohm/channel/ready_reads.hh"

namespace memsim::ohm {

/// What stops from the confirmation of a reverse-write until XPoint's completion signal.
enum class ReverseHold : std::uint8_t {
    nothing,  ///< the controller has granted the slot, so it knows its end
    requests, ///< no new request is issued; those under way continue (Ohm-GPU V-A)
    channel   ///< as `requests`, and no other data crosses the channel
};
constexpr std::array<std::string_view, 3> names_of(ReverseHold) {
    return {"nothing", "requests", "channel"};
}

struct ReverseParams {
    using group = void;
    Param<bool> reverse_write {false, "XPoint's lines are demand's answer and fill at once",
                               stated("Ohm-GPU V-A")};
    Param<ReverseHold> reverse_hold {ReverseHold::requests,
                                     "What stops until XPoint's completion signal",
                                     stated("Ohm-GPU V-A: new memory requests")};
    Param<unsigned> reverse_batch {
        8,
        {1, 4096},
        "Lines that one hold serves at most; so many begin a hold of the channel",
        assumed("they take as long as the rest of the hold and the DRAM's restart; range 1-32")};
    Param<Time> reverse_patience {
        20_ns,
        {0_fs, 1_s},
        "Wait of a ready line that begins a hold of the channel while the DRAM has work",
        assumed("what a hold costs the DRAM: grant, line, completion and tCL; range 0-100 ns"),
        Change::tunable};
    Param<Bytes> dram_register {
        16_KiB,
        {128_B, 1_MiB},
        "Capacity of the register in front of the DRAM, for lines of reverse-writes",
        stated("Ohm-GPU III-A: 16 KB")};
};

struct ReverseStats {
    using group = void;
    Counter reverse_writes {Unit::count, "Fills that crossed the channel as demand's answer"};
    Counter holds {Unit::count, "Times that reverse-writes stopped new requests or the channel"};
    ElapsedTime hold_time {"Time from confirmations to the last completion signals"};
    Level in_register {Unit::count, "Lines confirmed and not yet written to the DRAM"};
};

struct ReverseState {
    std::uint32_t under_way = 0; ///< confirmed and not complete: the hold
    std::uint32_t confirmed = 0; ///< since it began
    Tick held_since = 0;
    std::uint32_t registered = 0; ///< lines that have a place in the DRAM's register
};

/// Reverse-writes (Ohm-GPU V-A, Fig. 12): a line that a miss brings crosses the channel once, from
/// XPoint to the register in front of the DRAM, and the controller's DDR monitor sees it pass. A
/// hold lasts from the confirmation until XPoint's completion signal and stops what reverse_hold
/// names; one serves all lines that are ready, up to reverse_batch. A hold of the channel begins,
/// while the DRAM has work, when so many are ready or one has waited for reverse_patience.
class ReverseWrites {
  public:
    /// All outlive it.
    ReverseWrites(const ReverseParams& params, ReverseStats& stats, ReverseState& state,
                  const ChannelParams& channel_params, MemoryChannel& channel, ModuleSide& modules,
                  std::uint32_t line_bytes)
        : params_(params), stats_(stats), state_(state), channel_(channel), modules_(modules),
          line_bytes_(line_bytes),
          registers_(static_cast<std::uint32_t>(params.dram_register->raw) / line_bytes),
          shortest_(channel_params.grant_latency->raw + channel_params.one_way().raw +
                    channel.transfer_time(line_bytes).raw) {}

    /// Nothing else crosses the channel.
    bool holds_channel() const {
        return params_.reverse_hold() == ReverseHold::channel && state_.under_way != 0;
    }
    /// No new request is issued.
    bool holds_requests() const {
        return params_.reverse_hold() != ReverseHold::nothing && state_.under_way != 0;
    }
    /// Whether the next ready line may be confirmed now: within a hold up to its batch; else a hold
    /// begins, one of the channel where it costs the DRAM nothing, or when enough lines wait
    /// (`ready`, the first since `since`) or one for long enough.
    bool may_confirm(std::uint32_t ready, Tick since, Tick now) const;
    /// Lets XPoint send what is ready to the DRAM, with the DDR monitor on. True if anything was
    /// confirmed.
    bool confirm(ReadyReads& ready, Tick now);
    /// XPoint's completion signal has come.
    void complete(Tick now);
    /// A line has gone from the register to its place in the DRAM.
    void written(Tick now) { stats_.in_register.set(now, --state_.registered); }

  private:
    void confirmed(Tick now);

    const ReverseParams& params_;
    ReverseStats& stats_;
    ReverseState& state_;
    MemoryChannel& channel_;
    ModuleSide& modules_;
    std::uint32_t line_bytes_;
    std::uint32_t registers_; ///< lines of dram_register
    Tick shortest_;           ///< the shortest hold
};

} // namespace memsim::ohm
