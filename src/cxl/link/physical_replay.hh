#pragma once

#include "core/base/units.hh"
#include "cxl/flit/packer256.hh"

#include <vector>

namespace memsim::cxl {

/// Numbers of flits: 10 bits, 1 to 1023 and 1 again.
struct FlitNumber {
    static constexpr std::uint32_t count = 1023;
    static std::uint16_t after(std::uint16_t n, std::uint32_t more) {
        return static_cast<std::uint16_t>((n - 1 + more) % count + 1);
    }
    /// Number of flits after `from` up to `to`.
    static std::uint32_t distance(std::uint16_t from, std::uint16_t to) {
        return (to + count - from) % count;
    }
};

struct ReplayState {
    struct Entry {
        Flit256 flit;
        Asides256 asides;
    };

    std::vector<Entry> kept; ///< a ring of sent flits that are not acknowledged
    std::uint32_t write = 0; ///< place of the next new flit
    std::uint32_t unacknowledged = 0;
    std::uint32_t to_replay = 0;              ///< number of the latest flits to send again
    std::uint16_t newest = FlitNumber::count; ///< number of the last new flit
    bool own_due = false;                     ///< the next flit must carry its own number
    bool answer_due = false;                  ///< a flit must be sent, even without other content
    std::uint32_t retries = 0;                ///< replays since the last acknowledgement
    Tick timeout_at = never;

    std::uint16_t received = FlitNumber::count; ///< last accepted flit
    std::uint16_t stream = FlitNumber::count;   ///< last received flit, which may be an old one
    bool in_step = true;                        ///< `stream` is known: no flit was lost since
    bool nak_scheduled = false;                 ///< flit received + 1 was requested
    bool nak_due = false;                       ///< the request must be sent
    std::uint32_t acks = 0; ///< flits to acknowledge, accepted or received again
};

/// The replay of 256-byte flits in the physical layer, at one end (as in PCIe 6.0).
///
/// Models        Each flit with messages or credits has a number; a NOP has none. A header carries
///               the flit's own number, or acknowledges a number of the other end (Ack), or
///               requests the flit after it (Nak); its own number is then implicit, one more than
///               the last. Flits after a lost one are dropped. The lost one is requested once, and
///               all flits from it on are sent again, the first with its own number. Without an
///               acknowledgement for some time all stored flits are sent again, which covers the
///               loss of a Nak, an Ack or the first flit of a replay.
/// Not modelled  Selective Naks, the handshake before the first flit, retraining (the link fails
///               after `most_retries` replays without an acknowledgement).
class PhysicalReplay {
  public:
    using State = ReplayState;
    using Entry = State::Entry;

    PhysicalReplay(std::uint32_t places, Tick timeout, std::uint32_t most_retries, State& state)
        : places_(places), timeout_(timeout), most_retries_(most_retries), state_(state) {}
    void init() { state_.kept.resize(places_); }

    bool full() const { return state_.unacknowledged == places_; }
    bool replays() const { return state_.to_replay > 0; }
    /// Whether a flit must be sent, if only a NOP.
    bool must_speak() const { return state_.nak_due || state_.answer_due; }
    /// Whether all sent flits are acknowledged.
    bool idle() const { return state_.unacknowledged == 0; }

    /// The empty place of a new flit, which is sent now.
    Entry& add(Tick now);
    /// The next flit to send again.
    Entry& replay() { return kept(state_.to_replay--); }
    /// The header of the flit sent now.
    Header256 header(Header256::Type type);

    struct Verdict {
        bool accepted = false;    ///< it is the next one
        bool numbered = false;    ///< not a NOP
        bool placed = false;      ///< `number` is known
        std::uint16_t number = 0; ///< the flit's own, or that of the flit before a NOP
    };
    /// Evaluates a header received without an error. Its acknowledgements take effect at once.
    Verdict judge(Header256 header, Tick now);
    /// The rest of the flit was received without an error.
    void complete(const Verdict& v);
    /// A flit was received with an error.
    void lost();

    Tick alarm() const { return state_.timeout_at; }
    /// Sends again the flits that were not acknowledged in time. Returns true if the link has
    /// failed.
    bool run_timeout(Tick now);
    void check_loaded(Loader& l) const;

  private:
    /// The n-th latest stored flit.
    Entry& kept(std::uint32_t n) { return state_.kept[(state_.write + places_ - n) % places_]; }
    void acknowledge(std::uint16_t number, Tick now);
    void begin_replay(Tick now);

    std::uint32_t places_;
    Tick timeout_;
    std::uint32_t most_retries_;
    State& state_;
};

} // namespace memsim::cxl
