#include "link/pcie.hh"

#include "core/kernel/former_state.hh"

namespace memsim::link {

using protocol::Command;

static const Registration<Pcie> pcie {"A PCI Express link between a host and a device."};
static const Stage crossing {"pcie"};

/// State of checkpoints from before the timers became part of the directions.
struct FormerPcie {
    struct Wire {
        Tick free_at = 0;
        std::int64_t remainder = 0;
        bool busy = false;
        bool answers = false;
        std::uint64_t continues = 0;
        protocol::MemRequest request;
        protocol::MemResponse answer;
    };
    Wire down, up;
    Timer down_free, up_free;
};
static const FormerState<Pcie, FormerPcie> former {[](const FormerPcie& was, Pcie::State& now) {
    carry(was, now);
    carry(was.down_free, now.down.free);
    carry(was.up_free, now.up.free);
}};

/// PCI Express Base Specification: 8b/10b up to generation 2, 128b/130b from generation 3;
/// generation 6 sends flits of 256 B, of which 236 B are packets.
Rate Pcie::rate(unsigned generation, unsigned lanes) {
    struct Lane {
        std::int64_t transfers, payload, coded;
    };
    static constexpr std::array<Lane, 6> table {{{2'500'000'000, 8, 10},
                                                 {5'000'000'000, 8, 10},
                                                 {8'000'000'000, 128, 130},
                                                 {16'000'000'000, 128, 130},
                                                 {32'000'000'000, 128, 130},
                                                 {64'000'000'000, 236, 256}}};
    const Lane& lane = table[generation - 1];
    return {lane.transfers * lanes * lane.payload / lane.coded / 8};
}

void Pcie::init() {
    if (!port.from_host && !port.from_device)
        throw ConfigError(path() +
                          ": no component sends over this link: connect from_host or from_device");
    if (bool(port.from_host) != bool(port.to_device))
        throw ConfigError(path() + ": requests of the host enter at from_host and leave at "
                                   "to_device: connect both, or none");
    if (bool(port.from_device) != bool(port.to_host))
        throw ConfigError(path() + ": requests of the device enter at from_device and leave at "
                                   "to_host: connect both, or none");
    const Uint128 whole = static_cast<Uint128>(rate(params.generation(), params.lanes()).raw);
    const auto all = static_cast<Uint128>(Fraction {100_pct}.raw);
    const Uint128 ours = whole * static_cast<Uint128>(params.share->raw) / all;
    if (ours == 0) refuse("share", "leaves less than one byte per second");
    wire_time_ = WireTime(Rate {static_cast<std::int64_t>(ours)});
}

void Pcie::wake() {
    const auto down = [this] {
        advance_direction(state.down, port.from_host, port.to_device, port.to_host,
                          port.from_device,
                          {stat.down_data, stat.down_bytes, stat.down_packets, stat.down_busy,
                           stat.down_hints_dropped});
    };
    down();
    const bool full = port.to_device && port.to_device->waits_for_answers();
    advance_direction(
        state.up, port.from_device, port.to_host, port.to_device, port.from_host,
        {stat.up_data, stat.up_bytes, stat.up_packets, stat.up_busy, stat.up_hints_dropped});
    // A response to the host frees space without a wake-up.
    if (full && !port.to_device->waits_for_answers()) down();
}

/// Advances one direction: `requests` are sent to `out`, and `answers` (responses to requests of
/// the other side) to `back`.
void Pcie::advance_direction(Wire& wire, In& requests, Out& out, Out& answers, In& back,
                             const Counters& count) {
    while (true) {
        if (wire.busy) {
            if (wire.free_at > now()) return arm(wire.free, wire.free_at);
            const Tick over = now() + params.latency->raw;
            sim().stamps().mark(wire.answers ? wire.answer.stamps : wire.request.stamps, crossing,
                                over);
            wire.answers ? back->send(wire.answer) : out->send(wire.request);
            wire.busy = false;
        }
        while (answers && !answers->empty() && answers->front().command == Command::write) {
            const protocol::MemResponse done = answers->pop();
            sim().stamps().mark(done.stamps, crossing, now() + params.latency->raw);
            back->send(done);
        }
        while (requests && !requests->empty() && requests->front().is_hint() &&
               !(out->takes_hints() && out->can_send())) {
            requests->pop();
            ++count.hints_dropped;
        }
        const bool answer = answers && !answers->empty();
        const bool request = requests && !requests->empty() && out->can_send();
        if (!answer && !request) return;
        if (answer && (!request || !wire.answers)) {
            wire.answer = answers->pop();
            start_transfer(wire, wire.answer, true, count);
        } else {
            wire.request = requests->pop();
            start_transfer(wire, wire.request, false, count);
        }
    }
}

template <class M>
void Pcie::start_transfer(Wire& wire, const M& m, bool answers, const Counters& count) {
    const std::uint32_t data = m.data_bytes();
    const bool same_stream = data && answers == wire.answers && m.address == wire.continues &&
                             m.address % static_cast<std::uint64_t>(params.payload->raw);
    const std::uint32_t bytes =
        data + (same_stream ? 0 : static_cast<std::uint32_t>(params.overhead->raw));
    wire_time_.occupy(now(), bytes, wire.free_at, wire.remainder);
    wire.busy = true;
    wire.answers = answers;
    wire.continues = data ? m.address + m.payload() : ~std::uint64_t {0};
    count.data += data;
    count.bytes += bytes;
    count.packets += !same_stream;
    count.busy.add(now(), now(), wire.free_at);
}

void Pcie::functional(const PortBase& at, FunctionalAccess& access) {
    look_through(&at == &*port.from_host ? *port.to_device : *port.to_host, access);
}

void Pcie::waits_on(WaitReport& report) const {
    for (const auto* side : {&port.to_device, &port.to_host})
        if (*side && (*side)->outstanding())
            report.add(path() + " carried " + std::to_string((*side)->outstanding()) +
                       " requests that " + (*side)->neighbour_path() + " has not answered");
}

std::optional<std::string> Pcie::imbalance() const {
    if (state.down.busy || state.up.busy) return "a packet is on the wire";
    return {};
}

} // namespace memsim::link
