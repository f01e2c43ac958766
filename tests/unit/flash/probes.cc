#include "probes.hh"

#include "core/registry.hh"

namespace memsim::test_flash {

static const Registration<Pins> pins {"Test: commands at a package's pins."};
static const Registration<Controller> controller {"Test: requests to a flash channel."};
static const Registration<HostScript> host {"Test: block requests at given times."};
static const Registration<Checker> checker {"Test: random block requests, compared."};

using protocol::BlockOp;

void Checker::draw() {
    protocol::BlockRequest& r = state.next_request;
    r = {};
    const auto kind = static_cast<std::int64_t>(state.random.below(1'000'000'000));
    const Fraction w = params.writes, t = w + params.trims(), f = t + params.flushes();
    r.op = kind < w.raw   ? BlockOp::write
           : kind < t.raw ? BlockOp::trim
           : kind < f.raw ? BlockOp::flush
                          : BlockOp::read;
    state.drawn = true;
    if (r.op == BlockOp::flush) return;
    r.sectors = 1 + state.random.below(params.largest);
    r.sector = state.random.below(params.sectors - r.sectors + 1);
}

bool Checker::free_to_send() const {
    const protocol::BlockRequest& r = state.next_request;
    for (std::uint64_t s = r.sector; s < r.sector + r.sectors; ++s)
        if (state.busy[s] < 0 || (r.op != BlockOp::read && state.busy[s])) return false;
    return true;
}

void Checker::wake() {
    while (!port.drive.empty()) {
        const protocol::BlockResponse a = port.drive.pop();
        const Asked& asked = state.asked[a.tag];
        const protocol::BlockRequest& r = asked.request;
        for (std::uint64_t s = r.sector; s < r.sector + r.sectors; ++s)
            state.busy[s] =
                static_cast<std::int16_t>(r.op == BlockOp::read ? state.busy[s] - 1 : 0);
        if (r.op == BlockOp::read && a.digest != asked.digest) ++stat.wrong;
        ++stat.answered;
        state.free_tags.push_back(a.tag);
    }
    while (state.sent < params.count && state.ready_at <= now() && port.drive.can_send()) {
        if (!state.drawn) draw();
        if (!free_to_send()) return; // an answer will free it
        protocol::BlockRequest r = state.next_request;
        state.drawn = false;
        r.tag = state.free_tags.back();
        state.free_tags.pop_back();
        r.version = ++state.sent;
        std::uint64_t digest = 0;
        for (std::uint64_t s = r.sector; s < r.sector + r.sectors; ++s) {
            if (r.op == BlockOp::read) {
                digest += protocol::sector_digest(s, state.versions[s]);
                stat.read_sectors += state.versions[s] != 0;
                ++state.busy[s];
            } else {
                state.versions[s] = r.op == BlockOp::write ? r.version : 0;
                state.busy[s] = -1;
            }
        }
        state.asked[r.tag] = {r, digest};
        port.drive.send(r);
        const auto pause = state.random.below(static_cast<std::uint64_t>(params.gap->raw) + 1);
        state.ready_at = now() + static_cast<Tick>(pause);
    }
    if (state.sent < params.count && state.ready_at > now()) arm(state.next, state.ready_at);
}

} // namespace memsim::test_flash
