#include "cxl/link/mode256.hh"

namespace memsim::cxl {

Mode256::Mode256(const LinkFigures& figures, LinkMessages& messages, State& state, bool optimised)
    : FlitMode(figures, messages), state_(state), layout_(optimised),
      packer_(messages.out, state.overdue, layout_), unpacker_(messages.in, layout_),
      replay_(figures.retry_buffer, figures.timeout, figures.most_retries, state.replay) {
    const auto& c = figures.credits;
    forced_credits_ = std::min(CreditField::amounts.back(), (std::max({c[0], c[1], c[2]}) + 3) / 4);
}

void Mode256::init() {
    FlitMode::init();
    replay_.init();
}

Mode256::Next Mode256::next(Tick now) const {
    const State& s = state_;
    if (s.half_left) return Next::half;
    if (replay_.replays()) return Next::replay;
    if (has_flit()) return Next::messages;
    const bool flush = s.flush_at <= now;
    const std::uint32_t owed = messages_.credits.most_owed();
    if (!replay_.full() && owed && (flush || owed >= forced_credits_)) return Next::credits;
    if (replay_.must_speak() || s.replay.acks >= forced_acks || (flush && s.replay.acks))
        return Next::nop;
    return Next::nothing;
}

Mode256::Piece Mode256::send_piece(std::uint8_t purpose, Tick now) {
    State& s = state_;
    const auto what = static_cast<Next>(purpose);
    MEMSIM_ASSERT(what != Next::nothing, "a flit is requested where there is none");
    if (what == Next::half) {
        s.half_left = false;
        return leaving({}, false);
    }
    static constexpr Flit256 nop {};
    const Flit256* flit = &nop;
    s.leaving_asides = {};
    s.leaving_replayed = what == Next::replay;
    s.leaving_control = what == Next::nop || what == Next::credits;
    if (what != Next::nop) {
        PhysicalReplay::Entry& e = what == Next::replay ? replay_.replay() : replay_.add(now);
        if (what != Next::replay) {
            packer_.fill(e.flit, e.asides, messages_.credits);
            e.flit.credits = CreditField::give_back(messages_.credits);
        }
        flit = &e.flit;
        s.leaving_asides = e.asides;
    }
    const auto type = what == Next::nop ? Header256::Type::nop : Header256::Type::messages;
    layout_.write(replay_.header(type), *flit, s.leaving.data());
    s.half_left = layout_.optimised();
    s.flush_at = never;
    note_owed(now);
    const Asides256& asides = s.leaving_asides;
    return leaving(std::span(asides.of).first(what == Next::replay ? 0 : asides.size), true);
}

Mode256::Piece Mode256::leaving(std::span<const Aside> fresh, bool begins) const {
    const State& s = state_;
    const std::span bytes(s.leaving);
    const auto asides = begins ? s.leaving_asides.of_first() : s.leaving_asides.of_rest();
    return {begins ? bytes.first(layout_.piece()) : bytes.last(layout_.piece()),
            asides,
            fresh,
            begins,
            s.leaving_replayed,
            s.leaving_control};
}

Mode256::Received Mode256::receive(Tick now, std::span<const std::uint8_t> bytes,
                                   std::span<const Aside> asides, bool) {
    State& s = state_;
    MEMSIM_ASSERT(bytes.size() == layout_.piece(), "a piece of a flit has the wrong size");
    Asides256& all = s.coming_asides;
    const bool first = !s.half_came;
    if (first) all = {};
    MEMSIM_ASSERT(asides.size() <= all.of.size() - all.size, "a flit has more asides than headers");
    std::copy(bytes.begin(), bytes.end(), s.coming.begin() + (first ? 0 : Flit256::half));
    std::copy(asides.begin(), asides.end(), all.of.begin() + all.size);
    all.size += static_cast<std::uint32_t>(asides.size());
    if (first) all.first = all.size;
    s.half_came = layout_.optimised() && first;
    if (!s.half_came) return whole(now);
    s.half_read = layout_.passes(s.coming.data());
    if (s.half_read) {
        s.verdict = replay_.judge(layout_.header(s.coming.data()), now);
        if (s.verdict.accepted && !s.half_taken) {
            s.half_taken = true;
            take(0, layout_.first_slots(), all.of_first());
        }
    }
    return Received::partial;
}

/// FEC precedes the CRC. A flit that passes the CRC on arrival needs no correction: any errors are
/// in the FEC's own bytes.
Mode256::Received Mode256::whole(Tick now) {
    State& s = state_;
    std::uint8_t* bytes = s.coming.data();
    const auto passes = [&] {
        return layout_.passes(bytes) && (!layout_.optimised() || layout_.passes(bytes, 1));
    };
    Received result = Received::accepted;
    if (!passes()) {
        result = Received::corrected;
        if (Fec::correct(bytes) != Fec::Found::corrected || !passes()) {
            replay_.lost();
            return Received::error;
        }
    }
    if (!layout_.optimised() || !s.half_read) s.verdict = replay_.judge(layout_.header(bytes), now);
    if (s.verdict.accepted) {
        if (!s.half_taken) take(0, layout_.first_slots(), s.coming_asides.of_first());
        take(layout_.first_slots(), Flit256::slots, s.coming_asides.of_rest());
        s.half_taken = false;
        CreditField::take_back(layout_.read(bytes).credits, messages_.credits);
    } else if (s.verdict.numbered)
        result = Received::dropped;
    replay_.complete(s.verdict);
    note_owed(now);
    return result;
}

void Mode256::take(std::uint32_t begin, std::uint32_t end, std::span<const Aside> asides) {
    unpacker_.take(layout_.read(state_.coming.data()), begin, end, asides);
}

Tick Mode256::alarm(Tick now) const {
    return std::min(state_.flush_at > now ? state_.flush_at : never, replay_.alarm());
}

bool Mode256::idle() const {
    return waiting() == 0 && messages_.out.chunks.empty() && messages_.in.parts.empty() &&
           replay_.idle() && !state_.half_left && !state_.half_came;
}

void Mode256::check_loaded(Loader& l) const {
    FlitMode::check_loaded(l);
    replay_.check_loaded(l);
    state_.leaving_asides.check_loaded(l);
    state_.coming_asides.check_loaded(l);
}

} // namespace memsim::cxl
