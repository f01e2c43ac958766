#include "cxl/link_end.hh"

#include "cxl/crc.hh"
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

} // namespace

LinkEnd::LinkEnd(Component& owner, const LinkParams& params, LinkStats& stats, LinkEndState& state,
                 In<Flits>& in, Out<Flits>& out, bool device)
    : owner_(owner), params_(params), stats_(stats), state_(state), in_(in), out_(out),
      latencies_(layers_of(params.controller())), layer_(figures_of(params, device), state.layer),
      errors_(params.bit_errors()), flit_time_(params.flit_time()) {
    const std::int64_t block = 16 * params.lanes();
    skp_takes_ = static_cast<Tick>(block * Int128 {ticks_per_second} / params.rate().raw);
    skp_interval_ = skp_takes_ * params.skp_blocks();
}

void LinkEnd::init() {
    check_peer();
    check_round_trip();
    layer_.init();
    state_.skip.next = skp_interval_ ? skp_interval_ : never;
}

void LinkEnd::check_peer() const {
    const Component& other = out_.peer()->owner();
    const auto* link = dynamic_cast<const HasLink*>(&other);
    const auto* here = dynamic_cast<const HasLink*>(&owner_);
    if (!link || !here || &in_.peer()->owner() != &other || link->is_device() == here->is_device())
        throw ConfigError(owner_.path() + ": flits go to " + other.path() + " and come from " +
                          in_.peer()->owner().path() +
                          ": both must be the one port at the link's other end, a root port at "
                          "one end and a device port at the other");
    auto check = [&](const char* name, const auto& mine, const auto& others) {
        if (mine.text() != others.text())
            throw ConfigError(owner_.path() + "." + name + ": '" + mine.text() +
                              "' must be equal at both ends of a link: it is '" + others.text() +
                              "' at " + other.path());
    };
    const LinkParams& p = link->link_params();
    check("generation", params_.generation, p.generation);
    check("lanes", params_.lanes, p.lanes);
    check("sync_bypass", params_.sync_bypass, p.sync_bypass);
    check("controller", params_.controller, p.controller);
}

/// A flit's place is free again when its acknowledgement is back: 16 may be pending at the other
/// end, and one waits for a flit that is being sent, at either end.
void LinkEnd::check_round_trip() const {
    const Tick there_and_back = 2 * params_.crossing().raw;
    const auto flying = static_cast<unsigned>((there_and_back - 1) / flit_time_.raw + 1);
    const unsigned least = flying + LinkLayer::forced_acks + LinkLayer::reserve + 2;
    if (params_.retry_buffer() < least)
        throw ConfigError(owner_.path() + ".retry_buffer: '" + params_.retry_buffer.text() +
                          "' flits are sent in less than a round trip: " + std::to_string(flying) +
                          " are under way, " + std::to_string(LinkLayer::forced_acks) +
                          " wait for their acknowledgement and " +
                          std::to_string(LinkLayer::reserve + 2) +
                          " places are kept: it must be at least " + std::to_string(least));
    if (params_.timeout() < flying + 4 * (LinkLayer::frames + 1))
        throw ConfigError(owner_.path() + ".timeout: '" + params_.timeout.text() +
                          "' flits' times are less than a round trip of " + std::to_string(flying) +
                          " and what is sent at both ends before: it " + "must be at least " +
                          std::to_string(flying + 4 * (LinkLayer::frames + 1)));
}

void LinkEnd::receive() {
    Contents& contents = owner_.sim().contents();
    while (!in_.empty()) {
        const Flits f = in_.pop();
        MEMSIM_ASSERT(contents[f.bytes].raw.size() == flit_bytes, "a flit has 68 bytes");
        const ReadFlit read = read_bytes(contents[f.bytes].raw.data());
        contents.release(f.bytes);
        const auto r = layer_.receive(owner_.now(), read, f.asides, !f.flipped);
        if (r == LinkLayer::Received::error) {
            ++stats_.errors;
            if (read.id == protocol_id && read.crc == crc(read.flit.words)) ++stats_.undetected;
        } else if (r == LinkLayer::Received::dropped)
            ++stats_.dropped;
    }
    if (layer_.run_timeout(owner_.now()))
        throw ConfigError(owner_.path() + ": the link has failed: a flit was asked for " +
                          params_.most_retries.text() +
                          " times and did not come; set bit_errors lower");
}

Message LinkEnd::pop() {
    const Message m = layer_.pop();
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
    for (auto next = layer_.next(now); next != LinkLayer::Next::nothing && out_.can_send();
         next = layer_.next(now))
        put_on_wires(layer_.send(next, now));
    owner_.sim().arm(state_.alarm, layer_.alarm(now), owner_);
}

void LinkEnd::put_on_wires(const LinkLayer::Sent& sent) {
    if (sent.fresh_headers) mark_packed(sent);
    const Tick now = owner_.now();
    Contents& contents = owner_.sim().contents();
    Flits f;
    f.asides = sent.entry->asides;
    f.bytes = contents.create();
    auto& raw = contents[f.bytes].raw;
    raw.resize(flit_bytes);
    write_bytes(sent.entry->flit, sent.entry->crc, raw.data());
    f.flipped = errors_.flip(raw.data(), state_.errors);
    f.wire = flit_bytes + state_.skip.wait(now, state_.wires_free, skp_interval_, skp_takes_,
                                           16 * params_.lanes());
    state_.wires_free = now + flit_time_.raw * f.wire / flit_bytes;
    out_.send(f);
    ++stats_.flits;
    stats_.control_flits += sent.control;
    stats_.replayed_flits += sent.replayed;
    stats_.wire_bytes += f.wire;
}

void LinkEnd::mark_packed(const LinkLayer::Sent& sent) {
    Stamps& stamps = owner_.sim().stamps();
    const Tick now = owner_.now();
    for (std::uint32_t i = 0; i < sent.fresh_headers; ++i) {
        const Stamps::Id id = sent.entry->asides[i].stamps;
        if (!id) continue;
        stamps.mark(id, protocol::Stage::queue, now);
        stamps.mark(id, LinkStage::conversion, now + latencies_.conversion.raw);
        stamps.mark(id, LinkStage::transaction, now + latencies_.upper().raw);
        stamps.mark(id, LinkStage::link, now + (latencies_.upper() + latencies_.link).raw);
        stamps.mark(id, LinkStage::physical, now + latencies_.all().raw);
    }
}

void LinkEnd::waits_on(WaitReport& report) const {
    if (layer_.waiting())
        report.add(owner_.path() + " has " + std::to_string(layer_.waiting()) + " messages for " +
                   out_.peer()->owner().path() +
                   (layer_.blocked() ? ", which has not given the credits for them" : ""));
}

std::optional<std::string> LinkEnd::imbalance() const {
    if (!layer_.idle()) return "messages or flits are under way on its link";
    return {};
}

void LinkEnd::check_loaded(Loader& l) const {
    const LinkState& s = state_.layer;
    l.index("write", s.sent.write, s.sent.size());
    l.index("read", s.sent.read, s.sent.size());
    l.index("free", s.sent.free, s.sent.size() + 1u);
    l.index("sequence_from", s.sequence_from, s.sent.size());
    l.index("ack_sequence", s.ack_sequence, s.sent.size());
    std::uint64_t missing = 0;
    for (std::uint32_t i = 0; i < s.unpacker.parts.size(); ++i) {
        l.index("chunks", s.unpacker.parts[i].chunks, s.unpacker.parts[i].message.chunks() + 1u);
        missing += s.unpacker.parts[i].chunks;
    }
    l.within("missing",
             [&] { l.check(missing == s.unpacker.missing, "is not what its messages lack"); });
}

} // namespace memsim::cxl
