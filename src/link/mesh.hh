#pragma once

#include "core/base/bits.hh"
#include "core/kernel/component.hh"
#include "device_parts/interleave.hh"
#include "link/mesh_topology.hh"
#include "link/virtual_channel.hh"

namespace memsim::link {

using namespace memsim::literals;

struct MeshParams {
    Param<unsigned> columns {
        5, {1, 64}, "Routers of a row", assumed("5 x 5 for ZnG's 16 packages and 6 controllers")};
    Param<unsigned> rows {5, {1, 64}, "Rows", example_value()};
    Param<std::string> places {"",
                               "The router of each endpoint, as '0 0 7': number = row x "
                               "columns + column; empty: assigned in turn",
                               from_wiring()};
    Param<Frequency> clock {
        800_MHz, {1_MHz, 100_GHz}, "Clock of links and routers", stated("ZnG table I: 800 MT/s")};
    Param<Bytes> width {8_B, {1_B, 256_B}, "Width of a link: a flit", stated("ZnG table I: 8 B")};
    Param<unsigned> channels {
        4,
        {1, 16},
        "Virtual channels of a link",
        cited("SimpleSSD-MacSim, branch network, network.param.def: nif_num_vc 4")};
    Param<unsigned> buffer {36,
                            {1, 65536},
                            "Buffer of a channel at a router's input, in flits",
                            assumed("two packets of 144 B, so that one arrives while one leaves")};
    Param<unsigned> stages {
        4,
        {1, 16},
        "Cycles in a router: RC, VA, SA, ST",
        cited("SimpleSSD-MacSim, branch network, network.h: stages RC, VCA, SA and ST")};
    Param<unsigned> link_cycles {1, {1, 64}, "Cycles on a link: LT", assumed("a cycle on a link")};
    Param<unsigned> queue {
        8, {1, 65536}, "Packets waiting or in flight to an endpoint's link", queue_places()};
};

struct MeshStats {
    Counter packets {Unit::count, "Packets delivered"};
    Counter bytes {Unit::byte, "Bytes of delivered packets, including headers"};
    Counter hops {Unit::count, "Links between routers that packets crossed"};
    BookedCycles link_busy {Unit::cycle, "Cycles that links between routers carried flits"};
    Counter waits {Unit::count, "Packets that waited for space in the next buffer"};
    Counter blocked {Unit::count, "Packets that their endpoint did not accept at once"};
    Distribution latency {
        Unit::time,
        "Time from the arrival of a packet until its last flit leaves for the destination"};
    PerSecond bandwidth {bytes, "Bytes delivered per second"};
};

/// A mesh of routers with virtual channels and X-Y routing, which excludes cyclic waiting. Each
/// endpoint is connected to a router; `places` may assign several to one. The number of endpoints
/// is that of the connected ports. The mesh carries any message with a `source` and a
/// `destination`, which are numbers of endpoints. A component for a message type is
///
///     #include "core/kernel/registry.hh"
///     #include "link/mesh.hh"
///
///     namespace memsim::cxl {
///
///     struct Flit {
///         static constexpr std::uint32_t largest_wire_bytes = 68;
///         std::uint16_t source = 0, destination = 0;
///     };
///     class Mesh final : public link::Mesh<Mesh, Flit> {
///       public:
///         using link::Mesh<Mesh, Flit>::Mesh;
///     };
///     static const Registration<Mesh> mesh {"A mesh that carries flits."};
///
///     } // namespace memsim::cxl
///
/// Models        A link, and each input of a router, carries one flit of `width` bytes per cycle
///               and one packet at a time. The head of a packet spends `stages` cycles in a router
///               (route computation, allocation of channel and switch, traversal) and `link_cycles`
///               on each link, including the first and the last; its tail follows flits - 1 cycles
///               later. Flow control is virtual cut-through: a packet leaves a router when the next
///               buffer of its channel has space for all of it. Space returns one link latency
///               after the tail has left. Without contention a packet of F flits over R routers
///               arrives after (stages + link_cycles) x R + link_cycles + F cycles.
/// Ordering      Source and destination determine the virtual channel of a packet, so packets from
///               one endpoint to another stay in order.
/// Requires      Endpoints accept packets without first sending.
/// Not modelled  Interleaving of several packets' flits on one link, faults, energy.
template <class Self, class Packet>
class Mesh : public Model<Self> {
  public:
    using Params = MeshParams;
    static Rate wire(const void* params) {
        const auto& p = *static_cast<const Params*>(params);
        return {p.width->raw * p.clock->raw};
    }
    static Time link_time(const void* params) {
        const auto& p = *static_cast<const Params*>(params);
        return {Clock(p.clock()).cycles(p.link_cycles())};
    }
    struct Ports {
        Many<In<Packet>> input {{.depth = from<&Params::queue>, .clock = from<&Params::clock>},
                                "Packets from endpoints"};
        Many<Out<Packet>> output {
            {.latency = &link_time, .rate = &wire, .clock = from<&Params::clock>},
            "Packets to endpoints"};
    };
    using Stats = MeshStats;
    using Channel = VirtualChannel<Packet>;
    struct State {
        std::vector<Channel> channels;       ///< by router, input and channel
        std::vector<std::uint64_t> requests; ///< by output: requesting channels of all inputs
        std::vector<std::uint64_t> active;   ///< bit per output with requests
        std::vector<std::uint8_t> last;      ///< by output: the channel served last
        std::vector<std::int64_t> in_free, out_free; ///< first free cycle, by input and output
        std::vector<std::int64_t> inject_free;       ///< by endpoint
        std::uint64_t inside = 0;                    ///< packets in the mesh
        Timer next;
    };

    explicit Mesh(const Params& p) : params(p), edges_(p.clock()) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.inside != 0; }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;

    const MeshTopology& topology() const { return topology_; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    static constexpr std::int64_t no_cycle = std::numeric_limits<std::int64_t>::max();

    std::int64_t inject(std::int64_t cycle);
    std::int64_t serve(std::uint32_t output, std::int64_t cycle);
    std::int64_t forward(std::uint32_t output, std::uint32_t from, std::int64_t cycle);
    void enter(std::uint32_t channel, typename Channel::Held held);
    void request(std::uint32_t channel);
    std::uint64_t carried_after(Tick now) const;
    /// The output that the first packet of a channel requests.
    std::uint32_t wanted(std::uint32_t channel) const {
        return topology_.route(channel / of_router(),
                               state.channels[channel].packets.front().packet.destination);
    }
    std::uint32_t of_router() const { return topology_.ports() * params.channels(); }
    std::uint32_t channel_of(std::uint32_t port, const Packet& p) const {
        return port * params.channels() +
               (std::uint32_t {p.source} + p.destination) % params.channels();
    }
    std::uint32_t flits(const Packet& p) const {
        return static_cast<std::uint32_t>(width_.quotient(wire_bytes_of(p) + width_.value() - 1));
    }

    EdgeFinder edges_;
    device_parts::Divider width_;
    MeshTopology topology_;
};

template <class Self, class Packet>
void Mesh<Self, Packet>::init() {
    width_ = device_parts::Divider(static_cast<std::uint64_t>(params.width->raw));
    const std::uint64_t most = width_.quotient(Packet::largest_wire_bytes + width_.value() - 1);
    if (params.buffer() < most)
        this->refuse("buffer", "it holds " + std::to_string(params.buffer()) +
                                   " flits, but a packet has up to " + std::to_string(most) +
                                   ": a channel must hold at least one packet");
    if (port.input.size() == 0 || port.input.size() != port.output.size())
        throw ConfigError(this->path() + ": " + std::to_string(port.input.size()) + " inputs and " +
                          std::to_string(port.output.size()) +
                          " outputs are connected: each endpoint needs one of each");
    try {
        topology_ = {params.columns(), params.rows(), port.input.size(), params.places()};
    } catch (const ConfigError& e) {
        this->refuse("places", e.what());
    }
    if (of_router() > 64)
        this->refuse("places", "a router has " + std::to_string(topology_.ports()) + " ports of " +
                                   std::to_string(params.channels()) +
                                   " channels: the maximum that it can arbitrate is 64");
    const std::uint32_t all = topology_.all_ports();
    state.channels.resize(std::size_t {all} * params.channels());
    for (Channel& c : state.channels) c.room = params.buffer();
    state.requests.assign(all, 0);
    state.active.assign((all + 63) / 64, 0);
    state.last.assign(all, 0);
    state.in_free.assign(all, 0);
    state.out_free.assign(all, 0);
    state.inject_free.assign(port.input.size(), 0);
    stat.link_busy.count_ahead([this](Tick now) { return carried_after(now); });
}

/// Cycles from `now` on in which links between routers carry packets that were already forwarded.
template <class Self, class Packet>
std::uint64_t Mesh<Self, Packet>::carried_after(Tick now) const {
    const std::int64_t next = edges_.clock().at_or_after(now).cycle;
    std::int64_t cycles = 0;
    for (std::uint32_t o = 0; o < state.out_free.size(); ++o)
        if (!topology_.to_endpoint(o))
            cycles += std::max(state.out_free[o] - next, std::int64_t {0});
    return static_cast<std::uint64_t>(cycles);
}

template <class Self, class Packet>
void Mesh<Self, Packet>::wake() {
    // Packets move only at clock edges. Ports and the timer know the clock and wake the mesh there.
    const ClockEdge edge = edges_.at_or_after(this->now());
    if (edge.tick != this->now()) return;
    std::int64_t next = inject(edge.cycle);
    for (std::uint32_t w = 0; w < state.active.size(); ++w)
        for_each_bit(state.active[w], [&](std::uint32_t bit) {
            next = std::min(next, serve(w * 64 + bit, edge.cycle));
        });
    if (next != no_cycle)
        this->arm(state.next, edges_.clock().advance(edge, next - edge.cycle).tick);
}

/// From endpoints into their routers, over a separate link for each.
template <class Self, class Packet>
std::int64_t Mesh<Self, Packet>::inject(std::int64_t cycle) {
    std::int64_t next = no_cycle;
    for (std::uint32_t e = 0; e < port.input.size(); ++e) {
        auto& in = port.input[e];
        if (in.empty()) continue;
        if (state.inject_free[e] > cycle) {
            next = std::min(next, state.inject_free[e]);
            continue;
        }
        const Packet& p = in.front();
        if (p.destination >= topology_.endpoints())
            throw ConfigError(this->path() + ": a packet is for endpoint " +
                              std::to_string(p.destination) + ", but there are " +
                              std::to_string(topology_.endpoints()) +
                              ": number endpoints in the order of their connections");
        const std::uint32_t f = flits(p), c = channel_of(topology_.port_of(e), p);
        if (!state.channels[c].has_room(f, cycle, next)) continue;
        state.channels[c].room -= f;
        state.inject_free[e] = cycle + f;
        ++state.inside;
        enter(c, {in.pop(), cycle + params.link_cycles() + params.stages(), this->now()});
        if (!in.empty()) next = std::min(next, state.inject_free[e]);
    }
    return next;
}

template <class Self, class Packet>
void Mesh<Self, Packet>::enter(std::uint32_t channel, typename Channel::Held held) {
    Channel& c = state.channels[channel];
    c.packets.push(held);
    if (c.packets.size() == 1) request(channel);
}

/// Requests the output for the first packet of a channel.
template <class Self, class Packet>
void Mesh<Self, Packet>::request(std::uint32_t channel) {
    const std::uint32_t output = wanted(channel);
    state.requests[output] |= std::uint64_t {1} << (channel % of_router());
    state.active[output / 64] |= std::uint64_t {1} << (output % 64);
}

/// Grants the output to the next channel in turn whose first packet can leave now. Returns the next
/// cycle in which one may leave.
template <class Self, class Packet>
std::int64_t Mesh<Self, Packet>::serve(std::uint32_t output, std::int64_t cycle) {
    if (state.out_free[output] > cycle) return state.out_free[output];
    std::int64_t next = no_cycle;
    const std::uint32_t router = output / topology_.ports(), first = router * of_router();
    const bool leaves = topology_.to_endpoint(output);
    const std::uint64_t waiting = state.requests[output];
    const std::uint64_t behind = waiting & ~std::uint64_t {0} << state.last[output] << 1;
    for (std::uint64_t part : {behind, waiting & ~behind})
        for (; part; part &= part - 1) {
            const auto from = static_cast<std::uint32_t>(std::countr_zero(part));
            auto& h = state.channels[first + from].packets.front();
            const std::int64_t when =
                std::max(h.ready, state.in_free[(first + from) / params.channels()]);
            if (when > cycle) {
                next = std::min(next, when);
                continue;
            }
            const bool can =
                leaves ? port.output[h.packet.destination].can_send()
                       : state.channels[channel_of(topology_.ahead(output), h.packet)].has_room(
                             flits(h.packet), cycle, next);
            if (!can) { // a port wakes the mesh when it can send
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

/// Sends the first packet of a channel through the output. Returns when its space is free again, if
/// a sender waits for it.
template <class Self, class Packet>
std::int64_t Mesh<Self, Packet>::forward(std::uint32_t output, std::uint32_t from,
                                         std::int64_t cycle) {
    const std::uint32_t channel = output / topology_.ports() * of_router() + from;
    Channel& c = state.channels[channel];
    auto h = c.packets.pop();
    const std::uint32_t f = flits(h.packet);
    state.last[output] = static_cast<std::uint8_t>(from);
    state.out_free[output] = cycle + f;
    state.in_free[channel / params.channels()] = cycle + f;
    state.requests[output] &= ~(std::uint64_t {1} << from);
    if (state.requests[output] == 0)
        state.active[output / 64] &= ~(std::uint64_t {1} << (output % 64));
    std::int64_t next = no_cycle;
    const std::int64_t back = cycle + f + params.link_cycles();
    c.returning.push({back, f});
    if (c.wanted) next = back;
    if (!c.packets.empty()) { // its output may already have been served in this cycle
        request(channel);
        next = std::min(next, std::max(c.packets.front().ready, cycle + f));
    }
    if (topology_.to_endpoint(output)) {
        --state.inside;
        ++stat.packets;
        stat.bytes += wire_bytes_of(h.packet);
        stat.latency.sample(static_cast<std::uint64_t>(this->now() - h.entered));
        port.output[h.packet.destination].send(h.packet);
        return next;
    }
    ++stat.hops;
    stat.link_busy += f;
    const std::uint32_t to = channel_of(topology_.ahead(output), h.packet);
    state.channels[to].room -= f;
    h.ready = cycle + params.link_cycles() + params.stages();
    h.waited = false;
    const bool was_first = state.channels[to].packets.empty();
    enter(to, h);
    return was_first ? std::min(next, h.ready) : next;
}

/// Checks that each request belongs to a channel whose first packet is routed to that output.
template <class Self, class Packet>
void Mesh<Self, Packet>::check_loaded(Loader& l) const {
    for (const Channel& c : state.channels)
        for (std::uint32_t i = 0; i < c.packets.size(); ++i)
            l.index("channels.packets", c.packets[i].packet.destination, topology_.endpoints());
    for (std::uint32_t w = 0; w < state.active.size(); ++w)
        l.bits("active", state.active[w],
               std::min<std::size_t>(64, state.requests.size() - 64 * std::size_t {w}));
    for (std::uint32_t output = 0; output < state.requests.size(); ++output) {
        const std::uint32_t first = output / topology_.ports() * of_router();
        l.bits("requests", state.requests[output], of_router());
        for_each_bit(state.requests[output], [&](std::uint32_t from) {
            l.within("requests", [&] {
                l.check(!state.channels[first + from].packets.empty() &&
                            wanted(first + from) == output,
                        "are of a channel whose first packet has another route");
            });
        });
    }
    for (const std::uint8_t last : state.last) l.index("last", last, of_router());
}

template <class Self, class Packet>
void Mesh<Self, Packet>::waits_on(WaitReport& report) const {
    if (state.inside)
        report.add(this->path() + ": " + std::to_string(state.inside) + " packets are in the mesh");
}

template <class Self, class Packet>
std::optional<std::string> Mesh<Self, Packet>::imbalance() const {
    if (state.inside) return std::to_string(state.inside) + " packets did not arrive";
    for (const Channel& c : state.channels)
        if (c.all_room() != params.buffer()) return "a channel has lost buffer space";
    return {};
}

} // namespace memsim::link
