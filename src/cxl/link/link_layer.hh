#pragma once

#include "cxl/link/flit_mode.hh"
#include "cxl/link/retry_buffer.hh"

namespace memsim::cxl {

struct LinkState {
    enum class Local : std::uint8_t {
        normal,
        request,
        waiting
    }; ///< of a retry requested by this end

    RetryBuffer sent;

    bool init_sent = false, active = false; ///< active: the other end's INIT was received
    std::uint32_t acks = 0;                 ///< flits received and not acknowledged
    Tick flush_at = never;

    Local local = Local::normal;
    std::uint32_t expected = 0; ///< sequence number of the next flit to receive (ESeq)
    std::uint32_t expected_wrap = RetryBuffer::most; ///< size of the other end's retry buffer
    std::uint32_t retries = 0; ///< requests sent for the same flit (NUM_RETRY)
    std::uint32_t frames = 0;  ///< consecutive RETRY.Frame flits received
    Tick retry_at = never;     ///< time to repeat the request

    bool ack_due = false; ///< the other end has requested a retry
    std::uint32_t ack_number = 0, ack_sequence = 0;
    Control sequence = Control::frame; ///< request or ack, while sequence_left is not 0
    std::uint32_t sequence_left = 0;   ///< remaining flits, including frames
    std::uint32_t sequence_number = 0, sequence_from = 0;
};

/// The link layer of CXL.cachemem with 68-byte flits, at one end of a link (CXL 3.1, 4.2.6 to
/// 4.2.8).
///
/// Models        Initialisation: each end sends INIT, then its credits. Every flit received without
///               an error is acknowledged: 8 at a time by a bit of a protocol flit's header, or by
///               an LLCRD, which is forced when 16 acknowledgements or many credits are pending, or
///               after a time. A flit with an error and all following flits are dropped, and the
///               other end is asked to retransmit: five RETRY.Frame and a RETRY.Req, answered by
///               five RETRY.Frame, a RETRY.Ack and the flits again.
/// Not modelled  Training and the idle flits before INIT; RETRY.Idle (the timeout is counted
///               without them); retraining (the link fails after `most_retries` for one flit);
///               viral and poison.
class LinkLayer final : public FlitMode {
  public:
    using State = LinkState;
    static constexpr std::uint32_t forced_acks = 16;
    static constexpr std::uint32_t frames = 5; ///< before each RETRY.Req or RETRY.Ack
    /// Free places that a new protocol flit requires: for the flit, the following all-data flits,
    /// and two more.
    static constexpr std::uint32_t reserve = 7;

    LinkLayer(const LinkFigures& figures, LinkMessages& messages, State& state);
    /// An acknowledgement waits for the flit being sent, at either end.
    Waits waits(Tick) const override { return {forced_acks, reserve + 2, 4 * (frames + 1)}; }
    void init() override;
    bool blocked() const override { return waiting() && what_next(0, false) == Next::nothing; }

    /// The purpose of a flit, by priority.
    enum class Next : std::uint8_t {
        nothing,
        sequence,
        begin_ack,
        begin_request,
        replay,
        init,
        all_data,
        protocol,
        credits
    };
    /// The purpose of the next flit.
    Next next(Tick now) const { return what_next(now, true); }
    std::uint32_t piece() const override { return flit_bytes; }
    std::uint8_t next_piece(Tick now) const override {
        return static_cast<std::uint8_t>(next(now));
    }
    struct Sent {
        RetryBuffer::Entry* entry;   ///< valid until the next call of send()
        std::uint32_t fresh_headers; ///< of messages sent for the first time
        bool replayed, control;
    };
    /// Sends the next flit. Requires: `what` is next(now) and not `nothing`.
    Sent send(Next what, Tick now);
    Piece send_piece(std::uint8_t what, Tick now) override;

    Received receive(Tick now, std::span<const std::uint8_t> bytes, std::span<const Aside> asides,
                     bool intact) override;
    void give_place(CreditClass c, Tick now) override {
        messages_.credits.owe(c);
        note_owed(now);
    }

    Tick alarm(Tick now) const override;
    /// Repeats a request that was not answered in time.
    bool run_timeout(Tick now) override;
    bool idle() const override;
    void check_loaded(Loader& l) const override;

  private:
    Next what_next(Tick now, bool credits) const;
    bool forced(Tick now) const;
    bool owes() const { return state_.acks > 1 || messages_.credits.most_owed() > 0; }
    void note_owed(Tick now) {
        if (state_.flush_at == never && owes()) state_.flush_at = now + figures_.flush;
    }
    void begin(Control what, std::uint32_t number, std::uint32_t from);
    Flit next_of_sequence(Tick now);
    void add_header(Flit& flit, Tick now);
    void fill_credits(Flit& flit, Tick now);
    Received take_retry(const Flit& flit);
    void accept(const Flit& flit, std::span<const Aside> asides, Tick now);

    State& state_;
    Packer packer_;
    Unpacker unpacker_;
    std::uint32_t forced_credits_;
    RetryBuffer::Entry retry_; ///< flit that is not stored for a retry
    std::array<std::uint8_t, flit_bytes> bytes_ {};
};

} // namespace memsim::cxl
