#include "zng/package/package.hh"

#include "core/kernel/registry.hh"
#include "zng/network/mesh.hh"

namespace memsim::zng {

static const Registration<Package> package_type {
    "A flash package of ZnG: registers that cache writes, log blocks, programmable row decoders."};

void Package::init() {
    try {
        timing_ = flash::with_changes(params.media->figures(), params.timing_changes());
        flash::check(timing_);
    } catch (const ConfigError& e) {
        refuse("timing_changes", e.what());
    }
    const auto& g = params.geometry;
    const std::uint32_t planes = g.dies() * g.planes();
    if (planes > 256)
        refuse("planes", "there are " + std::to_string(planes) +
                             " planes in the package: the maximum of dies x planes is 256");
    if (std::uint64_t {g.blocks()} * g.pages() > ~std::uint32_t {0})
        refuse("blocks", "a plane has more than 2^32 pages");
    if (params.log_reserve() >= g.pages())
        refuse("log_reserve", "its " + std::to_string(params.log_reserve()) +
                                  " pages must be fewer than the pages of a block, " +
                                  std::to_string(g.pages()));
    if (page_bytes % params.net_width->raw != 0)
        refuse("net_width", std::to_string(params.net_width->raw) + " B do not divide a page of " +
                                std::to_string(page_bytes) + " B");
    for (unsigned i = 0; i < port.input.size(); ++i)
        if (const std::string wrong = wrong_endpoint(port.input[i], params.endpoint() + i);
            !wrong.empty())
            refuse("endpoint", wrong);
    package::Core::Start start;
    start.first_log = g.data_blocks();
    start.last_log = start.first_log + (start.first_log + g.log_ratio() - 1) / g.log_ratio() - 1;
    if (params.log_filled_least() > params.log_filled())
        refuse("log_filled_least", "it exceeds log_filled");
    const auto pages_of = [&](Fraction share) {
        return static_cast<std::uint32_t>(std::uint64_t {g.pages()} *
                                          static_cast<std::uint64_t>(share.raw) /
                                          static_cast<std::uint64_t>((100_pct).raw));
    };
    start.least_filled = pages_of(params.log_filled_least());
    start.filled = pages_of(params.log_filled());
    package::Alarm& alarm = *this;
    parts_.emplace(params, timing_, start, sim_ref(), state, stat, alarm);
    stat.free_blocks.show([this] { return parts_->usage().free_blocks; });
    stat.valid_pages.show([this] { return parts_->usage().valid_pages; });
    stat.invalid_pages.show([this] { return parts_->usage().invalid_pages; });
    stat.erased_pages.show([this] { return parts_->usage().erased_pages; });
}

void Package::wake() {
    for (unsigned i = 0; i < port.input.size(); ++i)
        while (!port.input[i].empty()) accept(port.input[i].pop(), i);
    Parts& p = *parts_;
    p.workers.each_done([&](std::uint32_t w) { p.planes.finish(w); });
    do { // parts may wait for planes, registers and log blocks that others freed
        p.again = false;
        if (p.stalled.any()) p.writing.serve_stalled();
        if (!state.moves.empty()) p.planes.start_moves();
        p.workers.each_ready([&](std::uint32_t w) { p.planes.begin(w); });
        send_answers();
    } while (p.again);
}

void Package::accept(const FlashPacket& p, unsigned from_port) {
    if (p.kind == PacketKind::copy_back) return parts_->planes.come_back(p);
    if (!parts_->n.has(p) || p.line >= page_lines)
        throw ConfigError(path() + ": a request names a place that does not exist: give flash "
                                   "controllers, collector and packages one geometry");
    if (parts_->answers.outstanding() == params.queue())
        refuse("queue", "more than " + std::to_string(params.queue()) +
                            " requests are outstanding: it must be at least the sum of "
                            "the controllers' windows");
    parts_->answers.accept();
    sim().stamps().mark(p.stamps, FlashStage::network, now());
    const package::Request r {p, now(), static_cast<std::uint8_t>(from_port)};
    switch (p.kind) {
    case PacketKind::read:
        ++stat.reads;
        stat.read_bytes += p.bytes;
        return parts_->reading.read(r);
    case PacketKind::write:
        ++stat.writes;
        ++stat.plane_writes[parts_->n.plane(p.at)];
        stat.write_bytes += p.bytes;
        return parts_->writing.take(r);
    case PacketKind::move:
        return parts_->planes.add_move(r);
    case PacketKind::erase:
        return parts_->planes.add_erase(r);
    case PacketKind::extend:
        return parts_->planes.extend(r);
    default:
        MEMSIM_ASSERT(false, "an answer arrives at a package");
    }
}

void Package::finish_in(Time t, std::uint32_t worker) {
    after<&Package::worker_done>(t, Done {worker});
}

void Package::send_answers() {
    Tick next = never;
    for (unsigned i = 0; i < port.output.size(); ++i)
        while (!parts_->answers.empty(i) && port.output[i].can_send()) {
            package::Answers::Answer& first = parts_->answers.front(i);
            if (first.plane != package::Answers::none) {
                first.ready = parts_->cross_io_path(first.plane, first.packet.bytes).begins;
                first.plane = package::Answers::none;
            }
            if (first.ready > now()) {
                next = std::min(next, first.ready);
                break;
            }
            const package::Answers::Answer a = parts_->answers.pop(i);
            sim().stamps().mark(a.packet.stamps, FlashStage::out, now() + params.latency->raw);
            port.output[i].send(a.packet);
            if (a.packet.kind == PacketKind::data)
                stat.read_latency.sample(static_cast<std::uint64_t>(now() - a.accepted));
            if (a.sense != package::Answers::none) parts_->reading.sent(a.sense);
        }
    if (next != never) arm(state.next_answer, next);
}

void Package::functional(const PortBase&, FunctionalAccess& access) {
    const FlashPacket& p = static_cast<FlashPacketAccess&>(access).packet;
    const package::PageAddress a = parts_->decoders.forwarded(parts_->n.address(p));
    parts_->versions.functional(parts_->places_of(a), access);
}

/// Each part checks its own state, so that no index is out of range.
void Package::check_loaded(Loader& l) const {
    const Parts& p = *parts_;
    p.registers.check_loaded(l, p.n);
    p.decoders.check_loaded(l);
    p.reads.check_loaded(l, p.n, params.ports());
    p.stalled.check_loaded(l, params.ports());
    p.answers.check_loaded(l, p.reads.size(), p.n.planes());
    p.workers.check_loaded(l, p.n, p.reads, p.registers, params.ports());
    for (std::uint32_t i = 0; i < state.moves.size(); ++i) {
        p.n.check(l, "moves", state.moves[i].packet);
        l.index("moves", state.moves[i].port, params.ports());
    }
}

void Package::waits_on(WaitReport& report) const {
    if (state.answers.outstanding)
        report.add(path() + ": " + std::to_string(state.answers.outstanding) +
                   " requests have no answer yet");
    if (parts_->stalled.any())
        report.add(path() + ": writes to " + std::to_string(parts_->stalled.pages()) +
                   " pages wait for a register; those of a full log block wait for "
                   "a collector");
    if (!state.moves.empty())
        report.add(path() + ": " + std::to_string(state.moves.size()) +
                   " moves wait for their planes or for the preceding page");
}

std::optional<std::string> Package::imbalance() const {
    if (state.answers.outstanding)
        return std::to_string(state.answers.outstanding) + " requests got no answer";
    std::uint32_t held = 0;
    for (const package::RegisterPool& p : state.registers.pools) held += p.leaving;
    if (held) return std::to_string(held) + " registers wait for their planes";
    return {};
}

} // namespace memsim::zng
