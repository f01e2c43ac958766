#pragma once

#include "cxl/link/flit_mode.hh"
#include "cxl/link/physical_replay.hh"

namespace memsim::cxl {

struct Mode256State {
    ReplayState replay;
    bool overdue = false;  ///< Packer256's
    Tick flush_at = never; ///< of credits and acknowledgements that are owed

    /// The flit that is leaving: its second half follows the first.
    std::array<std::uint8_t, Flit256::bytes> leaving {};
    Asides256 leaving_asides;
    bool half_left = false;
    bool leaving_replayed = false, leaving_control = false;

    /// The flit that is coming, of which the first half has.
    std::array<std::uint8_t, Flit256::bytes> coming {};
    Asides256 coming_asides;
    bool half_came = false;
    bool half_read = false; ///< it had no error, and its header was judged:
    PhysicalReplay::Verdict verdict;
    bool half_taken =
        false; ///< of the next flit to be accepted the messages of the first half were
};

/// One end of a link in 256-byte flits (CXL 3.1, 4.3 and 6.2). There is no retry in the link layer:
/// the physical layer below it corrects errors (FEC), finds them (CRC) and replays. Credits return
/// in each flit, in its CRD field. A flit without messages is sent for credits alone when many are
/// owed, or after a time; it is kept and replayed, too. Acknowledgements alone go in a NOP.
class Mode256 final : public FlitMode {
  public:
    using State = Mode256State;
    static constexpr std::uint32_t forced_acks = 16;

    Mode256(const LinkFigures& figures, LinkMessages& messages, State& state, bool optimised);
    /// An acknowledgement waits for a flit that is being sent, at either end; or alone for its
    /// time.
    Waits waits(Tick flit_time) const override {
        return {forced_acks, 2, static_cast<std::uint32_t>(figures_.flush / flit_time + 4)};
    }
    void init() override;
    bool blocked() const override { return waiting() && !has_flit(); }
    void give_place(CreditClass c, Tick now) override {
        messages_.credits.owe(c);
        note_owed(now);
    }
    std::uint32_t piece() const override { return layout_.piece(); }
    std::uint8_t next_piece(Tick now) const override {
        return static_cast<std::uint8_t>(next(now));
    }
    Piece send_piece(std::uint8_t what, Tick now) override;
    Received receive(Tick now, std::span<const std::uint8_t> bytes, std::span<const Aside> asides,
                     bool intact) override;
    Tick alarm(Tick now) const override;
    bool run_timeout(Tick now) override { return replay_.run_timeout(now); }
    bool idle() const override;
    void check_loaded(Loader& l) const override;

  private:
    enum class Next : std::uint8_t { nothing, half, replay, messages, credits, nop };
    Next next(Tick now) const;
    /// A new flit with messages can be sent.
    bool has_flit() const {
        return !replay_.full() && messages_.out.wants_header(messages_.credits);
    }
    bool owes() const { return state_.replay.acks > 0 || messages_.credits.most_owed() > 0; }
    void note_owed(Tick now) {
        if (state_.flush_at == never && owes()) state_.flush_at = now + figures_.flush;
    }
    Piece leaving(std::span<const Aside> fresh, bool begins) const;
    Received whole(Tick now);
    void take(std::uint32_t begin, std::uint32_t end, std::span<const Aside> asides);

    State& state_;
    Layout256 layout_;
    Packer256 packer_;
    Unpacker256 unpacker_;
    PhysicalReplay replay_;
    std::uint32_t forced_credits_;
};

} // namespace memsim::cxl
