#pragma once

#include "cxl/flit/link_messages.hh"

#include <memory>
#include <optional>
#include <span>

namespace memsim::cxl {

/// The configuration of one end of a link, for all flit modes.
struct LinkFigures {
    bool device = false; ///< the device's end
    std::uint32_t retry_buffer = 128;
    std::array<std::uint32_t, credit_classes> credits {}; ///< places in its receive buffers
    Tick flush = 0;   ///< maximum delay of owed credits and acknowledgements
    Tick timeout = 0; ///< until a retry is repeated
    std::uint32_t most_retries = 100;
};

/// One end of a link between its messages and the bytes on its wires, in one flit mode: packing,
/// credits, acknowledgements and retransmission. Messages, credits and receive buffers are common
/// to all modes (LinkMessages); the rest is specific to the mode.
class FlitMode {
  public:
    /// `messages` outlives the mode. `figures.credits` of its places are granted to the other end.
    FlitMode(const LinkFigures& figures, LinkMessages& messages)
        : figures_(figures), messages_(messages) {}
    virtual ~FlitMode() = default;
    FlitMode(const FlitMode&) = delete;
    FlitMode& operator=(const FlitMode&) = delete;

    /// The components of a round trip except the flight time, in flits.
    struct Waits {
        std::uint32_t acks;   ///< maximum pending at the other end
        std::uint32_t places; ///< of the retry buffer that are reserved
        std::uint32_t answer; ///< maximum sent at both ends before a retry is answered
    };
    virtual Waits waits(Tick flit_time) const = 0;
    /// Sizes State.
    virtual void init() { messages_.credits.owed = figures_.credits; }

    void push(const Message& m) { messages_.out.push(m); }
    std::uint32_t waiting() const { return messages_.out.waiting(); }
    /// Whether messages wait for credits or for a place in the retry buffer.
    virtual bool blocked() const = 0;
    bool arrived() const { return !messages_.in.empty(); }
    Message pop() { return messages_.in.pop(); }
    /// Returns a free place of a receive buffer.
    virtual void give_place(CreditClass c, Tick now) = 0;

    /// Bytes sent over the wires at a time.
    struct Piece {
        std::span<const std::uint8_t> bytes;    ///< valid until the next call
        std::span<const Aside> asides;          ///< of its headers
        std::span<const Aside> fresh;           ///< of headers sent for the first time
        bool begins = true;                     ///< first piece of a flit
        bool replayed = false, control = false; ///< of that flit
    };
    /// Size of a piece in bytes.
    virtual std::uint32_t piece() const = 0;
    /// The next piece to send now, as a mode-specific code; 0: none.
    virtual std::uint8_t next_piece(Tick now) const = 0;
    virtual Piece send_piece(std::uint8_t what, Tick now) = 0;

    enum class Received : std::uint8_t {
        accepted,
        corrected, ///< errors were corrected
        control,
        partial, ///< the rest of the flit is needed
        dropped,
        error,
        undetected ///< an error that no check detects; treated as detected
    };
    /// `intact`: no bit was flipped.
    virtual Received receive(Tick now, std::span<const std::uint8_t> bytes,
                             std::span<const Aside> asides, bool intact) = 0;

    /// When the next timeout is due.
    virtual Tick alarm(Tick now) const = 0;
    /// Executes expired timeouts. Returns true if the link has failed.
    virtual bool run_timeout(Tick now) = 0;
    /// Whether the other end has accepted all flits with messages.
    virtual bool idle() const = 0;
    virtual void check_loaded(Loader& l) const { messages_.in.check_loaded(l); }

  protected:
    LinkFigures figures_;
    LinkMessages& messages_;
};

} // namespace memsim::cxl
