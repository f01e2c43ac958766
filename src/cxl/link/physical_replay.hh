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
    /// Flits from behind `from` to `to`.
    static std::uint32_t distance(std::uint16_t from, std::uint16_t to) {
        return (to + count - from) % count;
    }
};

struct ReplayState {
    struct Entry {
        Flit256 flit;
        Asides256 asides;
    };

    std::vector<Entry> kept; ///< a ring of the flits sent, until they are acknowledged
    std::uint32_t write = 0; ///< where the next new flit is kept
    std::uint32_t unacknowledged = 0;
    std::uint32_t to_replay = 0;              ///< the last ones of them, which are sent again
    std::uint16_t newest = FlitNumber::count; ///< number of the last new flit
    bool own_due = false;                     ///< the next flit must say its own number
    bool answer_due = false;   ///< it must be sent, even if it has nothing else to say
    std::uint32_t retries = 0; ///< replays since a flit was acknowledged
    Tick timeout_at = never;

    std::uint16_t received = FlitNumber::count; ///< the last flit that was accepted
    std::uint16_t stream = FlitNumber::count; ///< the last flit that came, which may be an old one
    bool in_step = true;                      ///< `stream` is known: nothing was lost behind it
    bool nak_scheduled = false;               ///< flit received + 1 was asked for
    bool nak_due = false;                     ///< this is to be said
    std::uint32_t acks = 0; ///< flits accepted, or come again, that are to be acknowledged
};

/// The replay of 256-byte flits in the physical layer, at one end (as in PCIe 6.0): each flit with
/// messages or credits has a number, a NOP has none. A header says the flit's own number, or
/// acknowledges (Ack) or asks for the flit behind (Nak) a number of the other end's; then its own
/// is implicit, one more than the last. What comes behind a lost flit is dropped. The lost one is
/// asked for once, and all from there on are sent again, the first with its own number. When no
/// acknowledgement comes for a time, all that are kept are sent again: that covers a Nak, an Ack
/// or the first flit of a replay that are lost themselves.
/// Not modelled: selective Naks, the handshake before the first flit, retraining (the link fails
/// after `most_retries` replays without an acknowledgement).
class PhysicalReplay {
  public:
    using State = ReplayState;
    using Entry = State::Entry;

    PhysicalReplay(std::uint32_t places, Tick timeout, std::uint32_t most_retries, State& state)
        : places_(places), timeout_(timeout), most_retries_(most_retries), state_(state) {}
    void init() { state_.kept.resize(places_); }

    bool full() const { return state_.unacknowledged == places_; }
    bool replays() const { return state_.to_replay > 0; }
    /// A flit must be sent, if only a NOP.
    bool must_speak() const { return state_.nak_due || state_.answer_due; }
    /// Nothing that was sent may have to be sent again.
    bool idle() const { return state_.unacknowledged == 0; }

    /// The place of a new flit, which leaves now; it is empty.
    Entry& add(Tick now);
    /// The next flit that is sent again, and leaves now.
    Entry& replay() { return kept(state_.to_replay--); }
    /// The header of what leaves now.
    Header256 header(Header256::Type type);

    struct Verdict {
        bool accepted = false; ///< it is the next one
        bool numbered = false; ///< it is no NOP
        bool placed = false;   ///< its number, or a NOP's last flit's, is known:
        std::uint16_t number = 0;
    };
    /// Of a flit whose header has come without an error. Acknowledgements in it count at once.
    Verdict judge(Header256 header, Tick now);
    /// The rest of it has come without an error, too.
    void complete(const Verdict& v);
    /// A flit has come with an error.
    void lost();

    Tick alarm() const { return state_.timeout_at; }
    /// Sends again what was not acknowledged in time. True if the link has failed.
    bool run_timeout(Tick now);
    void check_loaded(Loader& l) const;

  private:
    /// The last but n - 1 of those that are kept.
    Entry& kept(std::uint32_t n) { return state_.kept[(state_.write + places_ - n) % places_]; }
    void acknowledge(std::uint16_t number, Tick now);
    void begin_replay(Tick now);

    std::uint32_t places_;
    Tick timeout_;
    std::uint32_t most_retries_;
    State& state_;
};

} // namespace memsim::cxl
