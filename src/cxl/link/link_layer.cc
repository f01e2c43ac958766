#include "cxl/link/link_layer.hh"

#include "cxl/flit/crc.hh"

namespace memsim::cxl {

LinkLayer::LinkLayer(const LinkFigures& figures, LinkMessages& messages, State& state)
    : FlitMode(figures, messages), state_(state), packer_(messages.out),
      unpacker_(messages.in, !figures.device) {
    const auto& c = figures.credits;
    forced_credits_ = std::min(forced_acks, (std::max({c[0], c[1], c[2]}) + 3) / 4);
}

void LinkLayer::init() {
    FlitMode::init();
    state_.sent.resize(figures_.retry_buffer);
}

/// Priorities: answers that the other end waits for; requests of this end (not within a series of
/// all-data flits, from which it could not be distinguished); retransmissions; new flits; credits.
LinkLayer::Next LinkLayer::what_next(Tick now, bool credits) const {
    const State& s = state_;
    if (s.sequence_left) return Next::sequence;
    if (s.ack_due) return Next::begin_ack;
    const bool replays = s.sent.replays();
    if (s.local == State::Local::request &&
        !(replays ? s.sent.entries[s.sent.read].all_data : packer_.all_data()))
        return Next::begin_request;
    if (replays) return Next::replay;
    if (!s.init_sent) return Next::init;
    if (packer_.all_data()) return Next::all_data;
    if (!s.active) return Next::nothing;
    if (s.sent.free >= reserve && messages_.out.wants_header(messages_.credits))
        return Next::protocol;
    // The last places are reserved for flits with acknowledgements; otherwise both ends could
    // deadlock.
    if (credits && forced(now) && (s.sent.free > 2 || (s.sent.free == 2 && s.acks)))
        return Next::credits;
    return Next::nothing;
}

bool LinkLayer::forced(Tick now) const {
    return state_.acks >= forced_acks || messages_.credits.most_owed() >= forced_credits_ ||
           state_.flush_at <= now;
}

LinkLayer::Sent LinkLayer::send(Next what, Tick now) {
    MEMSIM_ASSERT(what != Next::nothing, "a flit is requested where there is none");
    if (what == Next::replay) return {&state_.sent.replay(), 0, true, false};
    if (what == Next::begin_ack) {
        begin(Control::ack, state_.ack_number, state_.ack_sequence);
        state_.ack_due = false;
    } else if (what == Next::begin_request)
        begin(Control::request, ++state_.retries, state_.expected);
    if (state_.sequence_left) {
        retry_.flit = next_of_sequence(now);
        retry_.crc = crc(retry_.flit.words);
        return {&retry_, 0, false, true};
    }
    RetryBuffer::Entry& e = state_.sent.add();
    std::uint32_t headers = 0;
    switch (what) {
    case Next::init:
        e.flit.set_slot(0, control_bits(Control::init) | ControlFields::version.put(2) |
                               ControlFields::wrap.put(figures_.retry_buffer));
        state_.init_sent = true;
        break;
    case Next::all_data:
        packer_.all_data_flit(e.flit);
        e.all_data = true;
        break;
    case Next::protocol:
        headers = packer_.protocol_flit(e.flit, e.asides, messages_.credits);
        add_header(e.flit, now);
        break;
    default:
        fill_credits(e.flit, now);
    }
    e.crc = crc(e.flit.words);
    return {&e, headers, false, what == Next::init || what == Next::credits};
}

LinkLayer::Piece LinkLayer::send_piece(std::uint8_t what, Tick now) {
    const Sent sent = send(static_cast<Next>(what), now);
    write_bytes(sent.entry->flit, sent.entry->crc, bytes_.data());
    const Asides& asides = sent.entry->asides;
    return {bytes_, asides,        std::span(asides).first(sent.fresh_headers),
            true,   sent.replayed, sent.control};
}

void LinkLayer::begin(Control what, std::uint32_t number, std::uint32_t from) {
    state_.sequence = what;
    state_.sequence_left = frames + 1;
    state_.sequence_number = number;
    state_.sequence_from = from;
}

Flit LinkLayer::next_of_sequence(Tick now) {
    Flit flit;
    State& s = state_;
    const std::uint64_t number = s.sequence_number;
    if (--s.sequence_left) {
        flit.set_slot(0, control_bits(Control::frame));
    } else if (s.sequence == Control::ack) {
        s.sent.go_back(s.sequence_from);
        flit.set_slot(0, control_bits(Control::ack) |
                             ControlFields::ack_empty.put(!s.sent.replays()) |
                             ControlFields::ack_number.put(number) |
                             ControlFields::ack_sequence.put(s.sequence_from));
    } else {
        flit.set_slot(0, control_bits(Control::request) |
                             ControlFields::request_sequence.put(s.sequence_from) |
                             ControlFields::request_number.put(number));
        s.local = State::Local::waiting;
        s.retry_at = now + figures_.timeout;
    }
    return flit;
}

/// Adds acknowledgements and credits, up to the maximum of a protocol flit's header.
void LinkLayer::add_header(Flit& flit, Tick now) {
    SlotBits header = messages_.credits.give_back();
    if (state_.acks >= 8) {
        header |= FlitFields::ak.put(1);
        state_.acks -= 8;
    }
    flit.words[0] |= static_cast<std::uint64_t>(header);
    state_.flush_at = never;
    note_owed(now);
}

void LinkLayer::fill_credits(Flit& flit, Tick now) {
    const std::uint32_t acks = std::min(state_.acks, 255u);
    state_.acks -= acks;
    flit.set_slot(0, control_bits(Control::credits) | messages_.credits.give_back() |
                         FlitFields::ak.put(acks >> 3) | ControlFields::ack_low.put(acks) |
                         ControlFields::ack_high.put(acks >> 4));
    state_.flush_at = never;
    note_owed(now);
}

LinkLayer::Received LinkLayer::receive(Tick now, std::span<const std::uint8_t> bytes,
                                       std::span<const Aside> asides, bool intact) {
    MEMSIM_ASSERT(bytes.size() == flit_bytes && asides.size() == most_headers,
                  "a flit must have 68 bytes");
    const ReadFlit read = read_bytes(bytes.data());
    State& s = state_;
    const bool passes = read.id == protocol_id && read.crc == crc(read.flit.words);
    if (!passes || !intact) {
        s.frames = 0;
        if (s.local == State::Local::normal) s.local = State::Local::request;
        return passes ? Received::undetected : Received::error;
    }
    const bool normal = s.local == State::Local::normal;
    const bool data = normal && unpacker_.all_data();
    if (!data && is_retry(read.flit)) return take_retry(read.flit);
    s.frames = 0;
    if (!normal) return Received::dropped;
    s.expected = s.expected + 1 == s.expected_wrap ? 0 : s.expected + 1;
    s.retries = 0;
    ++s.acks;
    accept(read.flit, asides, now);
    note_owed(now);
    return !data && is_control(read.flit) ? Received::control : Received::accepted;
}

/// A request or an acknowledgement is valid only after all of its frames. After an error, data that
/// look like one must not be mistaken for it; at most four data flits follow each other.
LinkLayer::Received LinkLayer::take_retry(const Flit& flit) {
    State& s = state_;
    if (is(flit, Control::frame)) {
        ++s.frames;
        return Received::control;
    }
    const bool framed = s.frames >= frames;
    s.frames = 0;
    if (!framed) return Received::control;
    const SlotBits bits = flit.slot(0);
    if (is(flit, Control::request)) {
        s.ack_due = true;
        s.ack_number = static_cast<std::uint32_t>(ControlFields::request_number.get(bits));
        s.ack_sequence = static_cast<std::uint32_t>(ControlFields::request_sequence.get(bits));
    } else if (is(flit, Control::ack) && s.local == State::Local::waiting &&
               ControlFields::ack_number.get(bits) == s.retries % 32) {
        s.local = State::Local::normal;
        s.retry_at = never;
        if (ControlFields::ack_empty.get(bits)) s.retries = 0;
    }
    return Received::control;
}

void LinkLayer::accept(const Flit& flit, std::span<const Aside> asides, Tick now) {
    State& s = state_;
    const SlotBits bits = flit.slot(0);
    if (unpacker_.all_data()) {
        unpacker_.take_all_data(flit);
    } else if (is(flit, Control::init)) {
        s.expected_wrap = static_cast<std::uint32_t>(ControlFields::wrap.get(bits));
        s.active = true;
        note_owed(now);
    } else if (is_control(flit)) {
        MEMSIM_ASSERT(is(flit, Control::credits), "a control flit of an unknown kind");
        messages_.credits.take_back(flit.header());
        s.sent.acknowledge(static_cast<std::uint32_t>(ControlFields::ack_low.get(bits) |
                                                      FlitFields::ak.get(bits) << 3 |
                                                      ControlFields::ack_high.get(bits) << 4));
    } else {
        messages_.credits.take_back(flit.header());
        if (FlitFields::ak.get(bits)) s.sent.acknowledge(8);
        unpacker_.take_protocol(flit, asides);
    }
}

Tick LinkLayer::alarm(Tick now) const {
    const Tick flush = state_.active && state_.flush_at > now ? state_.flush_at : never;
    return std::min(flush, state_.retry_at);
}

bool LinkLayer::run_timeout(Tick now) {
    if (state_.retry_at > now) return false;
    state_.retry_at = never;
    state_.local = State::Local::request;
    return state_.retries >= figures_.most_retries;
}

bool LinkLayer::idle() const {
    return waiting() == 0 && messages_.out.chunks.empty() && messages_.in.parts.empty() &&
           state_.local == State::Local::normal && !state_.sequence_left && !state_.ack_due &&
           !state_.sent.replays();
}

void LinkLayer::check_loaded(Loader& l) const {
    FlitMode::check_loaded(l);
    const State& s = state_;
    l.index("write", s.sent.write, s.sent.size());
    l.index("read", s.sent.read, s.sent.size());
    l.index("free", s.sent.free, s.sent.size() + 1u);
    l.index("sequence_from", s.sequence_from, s.sent.size());
    l.index("ack_sequence", s.ack_sequence, s.sent.size());
}

} // namespace memsim::cxl
