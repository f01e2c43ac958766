#include "cxl/link/link_end.hh"

#include "protocol/mem.hh"

namespace memsim::cxl {

namespace {

LinkFigures figures_of(const LinkParams& p, bool device) {
    LinkFigures f;
    f.device = device;
    f.retry_buffer = p.retry_buffer;
    // A device receives Req and RwD, a host NDR and DRS.
    f.credits[static_cast<std::size_t>(device ? CreditClass::req : CreditClass::rsp)] = p.credits;
    f.credits[static_cast<std::size_t>(CreditClass::data)] = p.credits;
    f.flush = p.flush->raw;
    f.timeout = p.timeout() * p.flit_time().raw;
    f.most_retries = p.most_retries;
    return f;
}

std::unique_ptr<FlitMode> mode_of(const LinkParams& p, LinkEndState& state, bool device) {
    const LinkFigures figures = figures_of(p, device);
    if (!p.large_flits()) return std::make_unique<LinkLayer>(figures, state.messages, state.layer);
    return std::make_unique<Mode256>(figures, state.messages, state.mode256,
                                     p.flit() == FlitSize::bytes_256_optimised);
}

} // namespace

LinkEnd::LinkEnd(Component& owner, const LinkParams& params, LinkStats& stats, LinkEndState& state,
                 In<Flits>& in, Out<Flits>& out, bool device)
    : owner_(owner), params_(params), stats_(stats), state_(state), in_(in), out_(out),
      device_(device), latencies_(layers_of(params.controller())),
      mode_(mode_of(params, state, device)),
      errors_(params.bit_errors(), 8 * params.bytes_of_flit()), flit_time_(params.flit_time()) {
    const std::int64_t block = 16 * params.lanes();
    skp_takes_ = static_cast<Tick>(block * Int128 {ticks_per_second} / params.rate().raw);
    skp_interval_ = skp_takes_ * params.skp_blocks();
}

void LinkEnd::init() {
    check_peer();
    if (params_.generation() == 6 && !params_.large_flits())
        throw ConfigError(owner_.path() +
                          ".generation: '6' requires flits of 256 bytes: flit is '" +
                          params_.flit.text() + "'");
    if (params_.generation() == 6 && !params_.sync_bypass())
        throw ConfigError(owner_.path() +
                          ".sync_bypass: blocks of generation 6 have no sync headers: set it to "
                          "true");
    check_round_trip();
    mode_->init();
    state_.skip.next = skp_interval_ ? skp_interval_ : never;
}

void LinkEnd::check_peer() const {
    const std::string& other = out_.neighbour_path();
    const auto* link = out_.find_interface<const HasLink>();
    if (!link || !in_.same_neighbour(out_) || link->is_device() == device_)
        throw ConfigError(owner_.path() + ": flits go to " + other + " and come from " +
                          in_.neighbour_path() +
                          ": both must be the same port at the link's other end; connect a root "
                          "port to a device port");
    auto check = [&](const char* name, const auto& mine, const auto& others) {
        if (mine.text() != others.text())
            throw ConfigError(owner_.path() + "." + name + ": '" + mine.text() +
                              "' must be equal at both ends of a link: it is '" + others.text() +
                              "' at " + other);
    };
    const LinkParams& p = link->link_params();
    check("flit", params_.flit, p.flit);
    check("generation", params_.generation, p.generation);
    check("lanes", params_.lanes, p.lanes);
    check("sync_bypass", params_.sync_bypass, p.sync_bypass);
    check("controller", params_.controller, p.controller);
}

/// A flit's place is free again when its acknowledgement has returned.
void LinkEnd::check_round_trip() const {
    const Tick there_and_back = 2 * params_.crossing().raw;
    const auto flying = static_cast<unsigned>((there_and_back - 1) / flit_time_.raw + 1);
    const FlitMode::Waits waits = mode_->waits(flit_time_.raw);
    const unsigned least = flying + waits.acks + waits.places;
    if (params_.retry_buffer() < least)
        throw ConfigError(owner_.path() + ".retry_buffer: '" + params_.retry_buffer.text() +
                          "' flits are sent in less than a round trip: " + std::to_string(flying) +
                          " are in flight, " + std::to_string(waits.acks) +
                          " wait for their acknowledgement and " + std::to_string(waits.places) +
                          " places are reserved: it must be at least " + std::to_string(least));
    if (params_.timeout() < flying + waits.answer)
        throw ConfigError(owner_.path() + ".timeout: '" + params_.timeout.text() +
                          "' flit times are less than a round trip of " + std::to_string(flying) +
                          " and the flits sent at both ends before: it must be at least " +
                          std::to_string(flying + waits.answer));
}

void LinkEnd::receive() {
    using Received = FlitMode::Received;
    Contents& contents = owner_.sim().contents();
    while (!in_.empty()) {
        const Flits f = in_.pop();
        const std::span<const std::uint8_t> raw(contents[f.bytes].raw);
        MEMSIM_ASSERT(raw.size() >= mode_->piece() &&
                          raw.size() - mode_->piece() <= asides_.size() * sizeof(Aside),
                      "a flit's record does not consist of a flit and its headers");
        const auto bytes = raw.first(mode_->piece());
        const auto behind = raw.subspan(bytes.size());
        std::memcpy(asides_.data(), behind.data(), behind.size());
        const auto of_headers = std::span(asides_).first(behind.size() / sizeof(Aside));
        const Received r = mode_->receive(owner_.now(), bytes, of_headers, !f.flipped);
        contents.release(f.bytes);
        stats_.errors += r == Received::error || r == Received::undetected;
        stats_.undetected += r == Received::undetected;
        stats_.corrected += r == Received::corrected;
        stats_.dropped += r == Received::dropped;
    }
    if (mode_->run_timeout(owner_.now()))
        throw ConfigError(owner_.path() + ": the link has failed: a flit was requested " +
                          params_.most_retries.text() +
                          " times and did not arrive; set bit_errors lower");
}

Message LinkEnd::pop() {
    const Message m = mode_->pop();
    if (m.aside.stamps) {
        Stamps& stamps = owner_.sim().stamps();
        const Stamps::Id id = m.aside.stamps;
        const Tick now = owner_.now();
        stamps.mark(id, LinkStage::wires, now - latencies_.lower().raw);
        stamps.mark(id, LinkStage::physical, now - latencies_.link.raw);
        stamps.mark(id, LinkStage::link, now);
        stamps.mark(id, LinkStage::transaction, now + latencies_.transaction.raw);
        stamps.mark(id, LinkStage::conversion, now + latencies_.upper().raw);
    }
    return m;
}

void LinkEnd::send() {
    const Tick now = owner_.now();
    for (auto what = mode_->next_piece(now); what && out_.can_send(); what = mode_->next_piece(now))
        put_on_wires(mode_->send_piece(what, now));
    owner_.sim().arm(state_.alarm, mode_->alarm(now), owner_);
}

void LinkEnd::put_on_wires(const FlitMode::Piece& piece) {
    if (!piece.fresh.empty()) mark_packed(piece.fresh);
    const Tick now = owner_.now();
    const auto size = static_cast<std::uint32_t>(piece.bytes.size());
    Contents& contents = owner_.sim().contents();
    Flits f;
    f.bytes = contents.create();
    auto& raw = contents[f.bytes].raw;
    raw.resize(size + piece.asides.size_bytes());
    std::memcpy(raw.data(), piece.bytes.data(), size);
    std::memcpy(raw.data() + size, piece.asides.data(), piece.asides.size_bytes());
    f.flipped = errors_.flip(std::span(raw).first(size), state_.errors);
    f.wire = size;
    if (piece.begins) { // ordered sets are sent between flits
        f.wire += state_.skip.wait(now, state_.wires_free, skp_interval_, skp_takes_,
                                   16 * params_.lanes());
        ++stats_.flits;
        stats_.control_flits += piece.control;
        stats_.replayed_flits += piece.replayed;
    }
    state_.wires_free = now + flit_time_.raw * f.wire / params_.bytes_of_flit();
    out_.send(f);
    stats_.wire_bytes += f.wire;
}

void LinkEnd::mark_packed(std::span<const Aside> fresh) {
    Stamps& stamps = owner_.sim().stamps();
    const Tick now = owner_.now();
    for (const Aside& aside : fresh) {
        const Stamps::Id id = aside.stamps;
        if (!id) continue;
        stamps.mark(id, protocol::Stage::queue, now);
        stamps.mark(id, LinkStage::conversion, now + latencies_.conversion.raw);
        stamps.mark(id, LinkStage::transaction, now + latencies_.upper().raw);
        stamps.mark(id, LinkStage::link, now + (latencies_.upper() + latencies_.link).raw);
        stamps.mark(id, LinkStage::physical, now + latencies_.all().raw);
    }
}

void LinkEnd::waits_on(WaitReport& report) const {
    if (mode_->waiting())
        report.add(owner_.path() + " has " + std::to_string(mode_->waiting()) + " messages for " +
                   out_.neighbour_path() +
                   (mode_->blocked() ? ", which has not returned the credits for them" : ""));
}

std::optional<std::string> LinkEnd::imbalance() const {
    if (!mode_->idle()) return "messages or flits are in progress on its link";
    return {};
}

} // namespace memsim::cxl
