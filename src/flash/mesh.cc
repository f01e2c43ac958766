#include "flash/mesh.hh"

#include "core/registry.hh"

#include <bit>
#include <sstream>

namespace memsim::flash {

static const Registration<Mesh> registered {
    "A mesh of routers with virtual channels and credits between flash controllers and packages."};

void Mesh::init() {
    width_ = parts::Divider(static_cast<std::uint64_t>(params.width->raw));
    if (params.page->raw % params.width->raw != 0)
        refuse("width", "a flit of " + std::to_string(params.width->raw) +
                            " B does not divide a page of " + std::to_string(params.page->raw) +
                            " B");
    const std::uint64_t most =
        width_.quotient(FlashPacket::largest_wire_bytes + width_.value() - 1);
    if (params.buffer() < most)
        refuse("buffer", "it holds " + std::to_string(params.buffer()) +
                             " flits, but a packet has up to " + std::to_string(most) +
                             ": a channel holds at least one packet");
    read_places();
    if (ports_ * params.channels() > 64)
        refuse("places", "a router has " + std::to_string(ports_) + " ports of " +
                             std::to_string(params.channels()) +
                             " channels: it arbitrates between 64 at most");
    const std::uint32_t routers = params.columns() * params.rows(), all = routers * ports_;
    state.channels.resize(std::size_t {all} * params.channels());
    for (Channel& c : state.channels) c.room = params.buffer();
    state.requests.assign(all, 0);
    state.active.assign((all + 63) / 64, 0);
    state.last.assign(all, 0);
    state.in_free.assign(all, 0);
    state.out_free.assign(all, 0);
    state.inject_free.assign(params.endpoints(), 0);
}

void Mesh::read_places() {
    const std::uint32_t routers = params.columns() * params.rows();
    std::istringstream text(params.places());
    std::vector<std::uint32_t> at_router(routers, 0);
    for (unsigned e = 0; e < params.endpoints(); ++e) {
        std::uint32_t r = e % routers;
        if (!params.places().empty() && !(text >> r))
            refuse("places", "endpoint " + std::to_string(e) + " of " +
                                 std::to_string(params.endpoints()) + " has no router");
        if (r >= routers)
            refuse("places", "there is no router " + std::to_string(r) + ": the mesh has " +
                                 std::to_string(routers));
        router_.push_back(r);
        side_.push_back(local + at_router[r]++);
    }
    std::string more;
    if (!params.places().empty() && text >> more)
        refuse("places", "it names more routers than there are endpoints, " +
                             std::to_string(params.endpoints()));
    ports_ = local + *std::max_element(at_router.begin(), at_router.end());
}

unsigned Mesh::distance(unsigned from, unsigned to) const {
    const unsigned c = params.columns(), a = router_[from], b = router_[to];
    const auto apart = [](unsigned x, unsigned y) { return x > y ? x - y : y - x; };
    return apart(a % c, b % c) + apart(a / c, b / c);
}

void Mesh::wake() {
    // Packets move at edges only. Ports and the timer wake it there, as they know the clock.
    const ClockEdge edge = edges_.at_or_after(now());
    if (edge.tick != now()) return;
    std::int64_t next = inject(edge.cycle);
    for (std::uint32_t w = 0; w < state.active.size(); ++w)
        for (std::uint64_t rest = state.active[w]; rest; rest &= rest - 1) {
            const std::uint32_t output =
                w * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
            next = std::min(next, serve(output, edge.cycle));
        }
    if (next != no_cycle) arm(state.next, edges_.clock().advance(edge, next - edge.cycle).tick);
}

/// From endpoints into their routers: a link of its own for each.
std::int64_t Mesh::inject(std::int64_t cycle) {
    std::int64_t next = no_cycle;
    for (std::uint32_t e = 0; e < port.input.size(); ++e) {
        auto& in = port.input[e];
        if (in.empty()) continue;
        if (state.inject_free[e] > cycle) {
            next = std::min(next, state.inject_free[e]);
            continue;
        }
        const FlashPacket& p = in.front();
        MEMSIM_ASSERT(p.destination < params.endpoints(), "a packet goes to no endpoint");
        const std::uint32_t f = flits(p), c = (router_[e] * ports_ + side_[e]) * params.channels() +
                                              virtual_channel(p);
        if (!room(state.channels[c], f, cycle, next)) continue;
        state.channels[c].room -= f;
        state.inject_free[e] = cycle + f;
        ++state.inside;
        enter(c, {in.pop(), cycle + params.link_cycles() + params.stages(), now()});
        if (!in.empty()) next = std::min(next, state.inject_free[e]);
    }
    return next;
}

bool Mesh::room(Channel& c, std::uint32_t flits, std::int64_t cycle, std::int64_t& next) {
    while (!c.returning.empty() && c.returning.front().at <= cycle)
        c.room += c.returning.pop().flits;
    c.wanted = false;
    if (c.room >= flits) return true;
    std::uint32_t sum = c.room;
    for (std::uint32_t i = 0; i < c.returning.size(); ++i)
        if ((sum += c.returning[i].flits) >= flits) {
            next = std::min(next, c.returning[i].at);
            return false;
        }
    c.wanted = true; // the packet that makes room will say when
    return false;
}

void Mesh::enter(std::uint32_t channel, Held held) {
    Channel& c = state.channels[channel];
    c.packets.push(held);
    if (c.packets.size() == 1) request(channel);
}

/// The first packet of a channel asks for its output.
void Mesh::request(std::uint32_t channel) {
    const std::uint32_t of_router = ports_ * params.channels(), router = channel / of_router;
    const std::uint32_t output =
        router * ports_ + route(router, state.channels[channel].packets.front().packet);
    state.requests[output] |= std::uint64_t {1} << (channel % of_router);
    state.active[output / 64] |= std::uint64_t {1} << (output % 64);
}

std::uint32_t Mesh::route(std::uint32_t router, const FlashPacket& p) const {
    const std::uint32_t c = params.columns(), to = router_[p.destination];
    if (router % c != to % c) return router % c < to % c ? east : west;
    if (router / c != to / c) return router / c < to / c ? south : north;
    return side_[p.destination];
}

/// The first channel of the input that an output between routers leads to.
std::uint32_t Mesh::ahead(std::uint32_t output) const {
    const std::uint32_t router = output / ports_, c = params.columns();
    switch (output % ports_) {
    case east:
        return ((router + 1) * ports_ + west) * params.channels();
    case west:
        return ((router - 1) * ports_ + east) * params.channels();
    case south:
        return ((router + c) * ports_ + north) * params.channels();
    default:
        return ((router - c) * ports_ + south) * params.channels();
    }
}

/// Grants the output to the next channel in turn whose first packet can go now. Returns the next
/// cycle in which that may be so.
std::int64_t Mesh::serve(std::uint32_t output, std::int64_t cycle) {
    if (state.out_free[output] > cycle) return state.out_free[output];
    std::int64_t next = no_cycle;
    const std::uint32_t router = output / ports_, first = router * ports_ * params.channels();
    const bool leaves = output % ports_ >= local;
    const std::uint64_t waiting = state.requests[output];
    const std::uint64_t behind = waiting & ~std::uint64_t {0} << state.last[output] << 1;
    for (std::uint64_t part : {behind, waiting & ~behind})
        for (; part; part &= part - 1) {
            const auto from = static_cast<std::uint32_t>(std::countr_zero(part));
            Held& h = state.channels[first + from].packets.front();
            const std::int64_t when =
                std::max(h.ready, state.in_free[router * ports_ + from / params.channels()]);
            if (when > cycle) {
                next = std::min(next, when);
                continue;
            }
            const bool can = leaves ? port.output[h.packet.destination].can_send()
                                    : room(state.channels[ahead(output) + from % params.channels()],
                                           flits(h.packet), cycle, next);
            if (!can) { // a port wakes the mesh when it can
                if (!h.waited) ++(leaves ? stat.blocked : stat.waits);
                h.waited = true;
                continue;
            }
            next = std::min(next, forward(output, from, cycle));
            if (state.requests[output]) next = std::min(next, state.out_free[output]);
            return next;
        }
    return next;
}

std::int64_t Mesh::forward(std::uint32_t output, std::uint32_t from, std::int64_t cycle) {
    const std::uint32_t router = output / ports_, channels = params.channels();
    const std::uint32_t channel = router * ports_ * channels + from;
    Channel& c = state.channels[channel];
    Held h = c.packets.pop();
    const std::uint32_t f = flits(h.packet);
    state.last[output] = static_cast<std::uint8_t>(from);
    state.out_free[output] = cycle + f;
    state.in_free[router * ports_ + from / channels] = cycle + f;
    state.requests[output] &= ~(std::uint64_t {1} << from);
    if (state.requests[output] == 0)
        state.active[output / 64] &= ~(std::uint64_t {1} << (output % 64));
    std::int64_t next = no_cycle;
    const std::int64_t back = cycle + f + params.link_cycles();
    c.returning.push({back, f});
    if (c.wanted) next = back;
    if (!c.packets.empty()) { // it may be for an output that was served before
        request(channel);
        next = std::min(next, std::max(c.packets.front().ready, cycle + f));
    }
    if (output % ports_ >= local) {
        --state.inside;
        ++stat.packets;
        stat.bytes += h.packet.wire_bytes();
        stat.latency.sample(static_cast<std::uint64_t>(now() - h.entered));
        port.output[h.packet.destination].send(h.packet);
        return next;
    }
    ++stat.hops;
    stat.link_busy += f;
    const std::uint32_t to = ahead(output) + from % channels;
    state.channels[to].room -= f;
    h.ready = cycle + params.link_cycles() + params.stages();
    h.waited = false;
    const bool was_first = state.channels[to].packets.empty();
    enter(to, h);
    return was_first ? std::min(next, h.ready) : next;
}

/// Whose first packet asks for an output has one, and it goes that way.
void Mesh::check_loaded(Loader& l) const {
    const std::uint32_t of_router = ports_ * params.channels();
    for (const Channel& c : state.channels)
        for (std::uint32_t i = 0; i < c.packets.size(); ++i)
            l.index("channels.packets", c.packets[i].packet.destination, params.endpoints());
    for (std::uint32_t w = 0; w < state.active.size(); ++w)
        l.bits("active", state.active[w],
               std::min<std::size_t>(64, state.requests.size() - 64 * std::size_t {w}));
    for (std::uint32_t output = 0; output < state.requests.size(); ++output) {
        const std::uint32_t router = output / ports_;
        l.bits("requests", state.requests[output], of_router);
        for (std::uint64_t rest = state.requests[output]; rest; rest &= rest - 1) {
            const auto from = static_cast<std::uint32_t>(std::countr_zero(rest));
            const auto& packets = state.channels[router * of_router + from].packets;
            l.within("requests", [&] {
                l.check(!packets.empty() &&
                            router * ports_ + route(router, packets.front().packet) == output,
                        "are of a channel whose first packet goes elsewhere");
            });
        }
    }
    for (const std::uint8_t last : state.last) l.index("last", last, of_router);
}

void Mesh::functional(const PortBase&, FunctionalAccess& access) {
    const auto& a = static_cast<protocol::FlashPacketAccess&>(access);
    look_through(port.output[a.packet.destination], access);
}

void Mesh::waits_on(WaitReport& report) const {
    if (state.inside)
        report.add(path() + ": " + std::to_string(state.inside) + " packets are on their way");
}

std::optional<std::string> Mesh::imbalance() const {
    if (state.inside) return std::to_string(state.inside) + " packets did not arrive";
    for (const Channel& c : state.channels) {
        std::uint32_t flits = c.room;
        for (std::uint32_t i = 0; i < c.returning.size(); ++i) flits += c.returning[i].flits;
        if (flits != params.buffer()) return "a channel has lost room for flits";
    }
    return {};
}

} // namespace memsim::flash
