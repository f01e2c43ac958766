#pragma once

#include "cxl/flit/link_messages.hh"

#include <memory>
#include <optional>
#include <span>

namespace memsim::cxl {

/// What one end of a link is built with, in either flit mode.
struct LinkFigures {
    bool device = false; ///< which end it is
    std::uint32_t retry_buffer = 128;
    std::array<std::uint32_t, credit_classes> credits {}; ///< places of its receive buffers
    Tick flush = 0;   ///< what is owed is told after so long without a flit that could tell it
    Tick timeout = 0; ///< of a retry
    std::uint32_t most_retries = 100;
};

/// One end of a link between its messages and the bytes on its wires, in one flit mode: packing,
/// credits, acknowledgements, and sending again what was lost. Messages, credits and receive
/// buffers are those of every mode (LinkMessages); the rest is its own.
class FlitMode {
  public:
    /// It outlives the mode, which hands out `figures.credits` of it.
    FlitMode(const LinkFigures& figures, LinkMessages& messages)
        : figures_(figures), messages_(messages) {}
    virtual ~FlitMode() = default;
    FlitMode(const FlitMode&) = delete;
    FlitMode& operator=(const FlitMode&) = delete;

    /// What a round trip takes beside the flight, in flits.
    struct Waits {
        std::uint32_t acks;   ///< that may be pending at the other end
        std::uint32_t places; ///< of those that keep flits, which are not used meanwhile
        std::uint32_t answer; ///< sent at both ends, at most, before a retry is answered
    };
    virtual Waits waits(Tick flit_time) const = 0;
    /// Sizes State.
    virtual void init() { messages_.credits.owed = figures_.credits; }

    void push(const Message& m) { messages_.out.push(m); }
    std::uint32_t waiting() const { return messages_.out.waiting(); }
    /// Messages that wait for credits or a place to keep their flit.
    virtual bool blocked() const = 0;
    bool arrived() const { return !messages_.in.empty(); }
    Message pop() { return messages_.in.pop(); }
    /// A place of a receive buffer is empty again.
    virtual void give_place(CreditClass c, Tick now) = 0;

    /// Bytes for the wires, which leave in one piece.
    struct Piece {
        std::span<const std::uint8_t> bytes;    ///< valid until the next call
        std::span<const Aside> asides;          ///< of the headers in it
        std::span<const Aside> fresh;           ///< of those that are sent for the first time
        bool begins = true;                     ///< it is the first one of a flit
        bool replayed = false, control = false; ///< of that flit
    };
    /// Bytes of a piece.
    virtual std::uint32_t piece() const = 0;
    /// What is to be sent now, by a number of the mode's own; 0: nothing.
    virtual std::uint8_t next_piece(Tick now) const = 0;
    virtual Piece send_piece(std::uint8_t what, Tick now) = 0;

    enum class Received : std::uint8_t {
        accepted,
        corrected, ///< its errors were
        control,
        partial, ///< the rest of its flit is needed
        dropped,
        error,
        undetected ///< an error that no check finds: treated as found
    };
    /// `intact`: no bit was flipped.
    virtual Received receive(Tick now, std::span<const std::uint8_t> bytes,
                             std::span<const Aside> asides, bool intact) = 0;

    /// When something is due that nothing else would wake for.
    virtual Tick alarm(Tick now) const = 0;
    /// Does what an expired timer asks for. True if the link has failed.
    virtual bool run_timeout(Tick now) = 0;
    /// Nothing is sent that the other end has not accepted, but for flits without messages.
    virtual bool idle() const = 0;
    virtual void check_loaded(Loader& l) const { messages_.in.check_loaded(l); }

  protected:
    LinkFigures figures_;
    LinkMessages& messages_;
};

} // namespace memsim::cxl
