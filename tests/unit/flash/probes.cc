#include "probes.hh"

#include "core/base/bits.hh"
#include "core/kernel/registry.hh"

namespace memsim::test_flash {

static const Registration<Pins> pins {"Test: commands at a package's pins."};
static const Registration<Controller> controller {"Test: requests to a flash channel."};
static const Registration<HostScript> host {"Test: block requests at given times."};
static const Registration<Listener> listener {"Test: records a drive's reports about its tasks."};
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

/// What a write leaves in 32 bytes of a sector.
SectorBytes Checker::piece(std::uint64_t sector, std::uint32_t i, std::uint32_t write) const {
    SectorBytes s;
    s.known = SectorBytes::all;
    s.order.fill(write);
    for (std::uint32_t b = 0; b < SectorBytes::size; ++b) {
        const std::uint64_t address = sector * protocol::block_sector_bytes + i * 32 + b;
        const std::uint64_t mixed = (address * 0x9e3779b97f4a7c15 + write) * 0xbf58476d1ce4e5b9;
        s.bytes[b] = static_cast<std::uint8_t>(mixed >> 40);
    }
    return s;
}

Contents::Id Checker::data(const protocol::BlockRequest& r) {
    if (!sim().contents().enabled() || r.op != BlockOp::write) return {};
    const Contents::Id id = sim().contents().create();
    for (std::uint32_t i = 0; i < r.sectors * protocol::block_sector_pieces; ++i)
        sim().contents()[id].pieces.push_back(
            {i, piece(r.sector + i / protocol::block_sector_pieces,
                      i % protocol::block_sector_pieces, state.sent)});
    return id;
}

/// Bytes that are not as the last write left them. Of trimmed ones nothing is known.
std::uint64_t Checker::difference(std::uint64_t sector, std::uint32_t i,
                                  const SectorBytes& found) const {
    if (state.written[sector] == trimmed) return bits_set(found.known);
    const SectorBytes right = piece(sector, i, state.written[sector]);
    std::uint64_t different = 0;
    for (std::uint32_t b = 0; b < SectorBytes::size; ++b)
        different += !(found.known >> b & 1) || found.bytes[b] != right.bytes[b] ||
                     found.order[b] != right.order[b];
    return different;
}

void Checker::compare(const protocol::BlockRequest& r, Contents::Id found) {
    if (!sim().contents().enabled() || r.op != BlockOp::read) return;
    auto next = sim().contents()[found].pieces.begin();
    const auto end = sim().contents()[found].pieces.end();
    for (std::uint32_t i = 0; i < r.sectors * protocol::block_sector_pieces; ++i) {
        const bool here = next != end && next->sector == i;
        stat.wrong +=
            difference(r.sector + i / protocol::block_sector_pieces,
                       i % protocol::block_sector_pieces, here ? next->data : SectorBytes {});
        next += here;
        stat.compared += SectorBytes::size;
    }
    if (next != end) stat.wrong += SectorBytes::size;
    sim().contents().release(found);
}

std::uint64_t Checker::compare_image() {
    std::uint64_t different = 0;
    for (std::uint64_t at = 0; at < state.written.size() * protocol::block_sector_bytes;
         at += SectorBytes::size) {
        FunctionalAccess a {at, 0, false, {}};
        look_through(port.drive, a);
        different += difference(at / protocol::block_sector_bytes,
                                at % protocol::block_sector_bytes / SectorBytes::size, a.data);
    }
    return different;
}

void Checker::start() {
    state.ready_at = 1; // also if it is woken at tick 0
    arm(state.next, state.ready_at);
    if (!sim().contents().enabled()) return;
    for (std::uint64_t at = 0; at < state.written.size() * protocol::block_sector_bytes;
         at += SectorBytes::size) {
        FunctionalAccess a {at, 0, true,
                            piece(at / protocol::block_sector_bytes,
                                  at % protocol::block_sector_bytes / SectorBytes::size, 0)};
        look_through(port.drive, a);
    }
}

void Checker::wake() {
    while (!port.drive.empty()) {
        const protocol::BlockResponse a = port.drive.pop();
        const protocol::BlockRequest& r = state.asked[a.tag];
        compare(r, a.contents);
        for (std::uint64_t s = r.sector; s < r.sector + r.sectors; ++s)
            state.busy[s] =
                static_cast<std::int16_t>(r.op == BlockOp::read ? state.busy[s] - 1 : 0);
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
        ++state.sent;
        for (std::uint64_t s = r.sector; s < r.sector + r.sectors; ++s) {
            if (r.op == BlockOp::read) {
                stat.read_sectors += state.written[s] != 0 && state.written[s] != trimmed;
                ++state.busy[s];
            } else {
                state.written[s] = r.op == BlockOp::write ? state.sent : trimmed;
                state.busy[s] = -1;
            }
        }
        r.contents = data(r);
        state.asked[r.tag] = r;
        port.drive.send(r);
        const auto pause = state.random.below(static_cast<std::uint64_t>(params.gap->raw) + 1);
        state.ready_at = now() + static_cast<Tick>(pause);
    }
    if (state.sent < params.count && state.ready_at > now()) arm(state.next, state.ready_at);
}

} // namespace memsim::test_flash
