#include "cxl/link/physical_replay.hh"

namespace memsim::cxl {

PhysicalReplay::Entry& PhysicalReplay::add(Tick now) {
    State& s = state_;
    MEMSIM_ASSERT(!full() && !replays(), "a flit is sent without a place to store it");
    Entry& e = s.kept[s.write];
    e = {};
    s.write = (s.write + 1) % places_;
    s.newest = FlitNumber::after(s.newest, 1);
    if (++s.unacknowledged == 1) s.timeout_at = now + timeout_;
    return e;
}

/// The flit's own number may be implicit only if the other end can derive it.
Header256 PhysicalReplay::header(Header256::Type type) {
    using Command = Header256::Command;
    State& s = state_;
    s.answer_due = false;
    if (!s.own_due && (s.nak_due || s.acks)) {
        const Command command = s.nak_due ? Command::nak : Command::ack;
        s.nak_due = false;
        s.acks = 0;
        return {type, command, s.received};
    }
    s.own_due = false;
    const std::uint32_t later = FlitNumber::count - s.to_replay; // without the flits that follow
    return {type, Command::own, FlitNumber::after(s.newest, later)};
}

PhysicalReplay::Verdict PhysicalReplay::judge(Header256 header, Tick now) {
    using Command = Header256::Command;
    const State& s = state_;
    const bool numbered = header.kind == Header256::Type::messages;
    Verdict v {false, numbered, header.role == Command::own || s.in_step, header.sequence};
    if (header.role != Command::own) {
        acknowledge(header.sequence, now);
        if (header.role == Command::nak) {
            begin_replay(now);
            state_.acks = std::max(state_.acks, 1u); // an acknowledgement may be lost with the flit
        }
        v.number = FlitNumber::after(s.stream, numbered);
    }
    v.accepted = numbered && v.placed && v.number == FlitNumber::after(s.received, 1);
    return v;
}

void PhysicalReplay::complete(const Verdict& v) {
    State& s = state_;
    if (!v.placed) return;
    s.stream = v.number;
    s.in_step = true;
    if (v.accepted) s.received = v.number;
    // A repeated flit: its acknowledgement was lost.
    const bool has_come = FlitNumber::distance(v.number, s.received) < FlitNumber::count / 2;
    s.acks += v.numbered && has_come;
    if (v.number == s.received) s.nak_scheduled = false; // no flit is missing any more
}

void PhysicalReplay::lost() {
    State& s = state_;
    s.in_step = false;
    if (s.nak_scheduled) return;
    s.nak_scheduled = s.nak_due = true;
}

void PhysicalReplay::acknowledge(std::uint16_t number, Tick now) {
    State& s = state_;
    const std::uint32_t left = FlitNumber::distance(number, s.newest);
    MEMSIM_ASSERT(left <= s.unacknowledged, "a flit is acknowledged that was not sent");
    if (left == s.unacknowledged) return;
    s.unacknowledged = left;
    if (left < s.to_replay) { // the next flit is not consecutive, so it carries its own number
        s.to_replay = left;
        s.own_due = true;
    }
    s.retries = 0;
    s.timeout_at = left ? now + timeout_ : never;
}

/// If no flit remains to be sent again, a NOP was lost; the next flit carries its own number.
void PhysicalReplay::begin_replay(Tick now) {
    State& s = state_;
    s.to_replay = s.unacknowledged;
    s.own_due = true;
    s.answer_due = true;
    if (!s.unacknowledged) return;
    ++s.retries;
    s.timeout_at = now + timeout_;
}

bool PhysicalReplay::run_timeout(Tick now) {
    if (state_.timeout_at <= now) begin_replay(now);
    return state_.retries > most_retries_;
}

void PhysicalReplay::check_loaded(Loader& l) const {
    const State& s = state_;
    l.index("write", s.write, places_);
    l.index("unacknowledged", s.unacknowledged, places_ + 1u);
    l.index("to_replay", s.to_replay, s.unacknowledged + 1u);
    for (const std::uint16_t n : {s.newest, s.received, s.stream})
        l.within("numbers",
                 [&] { l.check(n > 0 && n <= FlitNumber::count, "are not flit numbers"); });
    for (const Entry& e : s.kept) e.asides.check_loaded(l);
}

} // namespace memsim::cxl
