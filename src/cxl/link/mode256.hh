#pragma once

#include "cxl/link/flit_mode.hh"
#include "cxl/link/physical_replay.hh"

namespace memsim::cxl {

struct Mode256State {
    ReplayState replay;
    bool overdue = false;  ///< for Packer256
    Tick flush_at = never; ///< deadline of owed credits and acknowledgements

    /// The flit being sent: its second half follows the first.
    std::array<std::uint8_t, Flit256::bytes> leaving {};
    Asides256 leaving_asides;
    bool half_left = false;
    bool leaving_replayed = false, leaving_control = false;

    /// The flit being received, of which the first half has arrived.
    std::array<std::uint8_t, Flit256::bytes> coming {};
    Asides256 coming_asides;
    bool half_came = false;
    bool half_read = false;          ///< the first half had no error
    PhysicalReplay::Verdict verdict; ///< result of its header, if half_read
    bool half_taken = false; ///< the messages of the first half of the next flit were accepted
};

/// One end of a link with 256-byte flits (CXL 3.1, 4.3 and 6.2). The link layer has no retry: the
/// physical layer corrects errors (FEC), detects them (CRC) and replays flits. Credits return in
/// the CRD field of each flit. A flit without messages is sent only if many credits are owed, or
/// after a time; it is stored and replayed, too. Acknowledgements without credits use a NOP.
class Mode256 final : public FlitMode {
  public:
    using State = Mode256State;
    static constexpr std::uint32_t forced_acks = 16;

    Mode256(const LinkFigures& figures, LinkMessages& messages, State& state, bool optimised);
    /// An acknowledgement waits for the flit being sent, at either end, or until its deadline.
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
    /// Whether a new flit with messages can be sent.
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
