#include "mem/crossbar.hh"

#include "core/kernel/registry.hh"

namespace memsim::mem {

using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<Crossbar> crossbar {
    "A crossbar with virtual output queues between requesters and interleaved slices."};

void Crossbar::init() {
    interleave_ = HashedInterleave(static_cast<std::uint64_t>(params.granularity->raw),
                                   params.outputs(), params.hashed());
    if (params.outputs > 1)
        for (unsigned i = 0; i < params.inputs(); ++i)
            if (const auto in = protocol::traffic_to(port.cpu_side[i]);
                in.block && params.granularity->raw % static_cast<std::int64_t>(in.block))
                refuse("granularity", params.granularity.text() + " is not a multiple of the " +
                                          Text<Bytes>::show({static_cast<std::int64_t>(in.block)}) +
                                          " that a request of " + in.sender->path() +
                                          " may span: a request must go to one output");
    width_ = device_parts::Divider(static_cast<std::uint64_t>(params.width->raw));
    auto size = [&](auto& s, unsigned inputs, unsigned outputs) {
        s.queues.resize(inputs, outputs, params.buffer(), params.arbitration());
        s.input_free.assign(inputs, 0);
        s.output_free.assign(outputs, 0);
        s.blocked.assign(outputs, 0);
    };
    size(state.requests, params.inputs(), params.outputs());
    size(state.responses, params.outputs(), params.inputs());
    if (params.of_a_pair()) {
        state.of_a_pair.assign(std::size_t {params.inputs()} * params.outputs(), 0);
        state.held_back.assign(params.inputs(), 0);
    }
    const auto ends = [this](Each<BookedCycles>& busy, const std::vector<std::int64_t>& free) {
        for (unsigned o = 0; o < busy.size(); ++o)
            busy[o].count_ahead([this, &free, o](Tick now) {
                const std::int64_t next = edges_.clock().at_or_after(now).cycle;
                return static_cast<std::uint64_t>(std::max(free[o] - next, std::int64_t {0}));
            });
    };
    ends(stat.slice_busy, state.requests.output_free);
    ends(stat.requester_busy, state.responses.output_free);
}

protocol::Traffic Crossbar::traffic(const PortBase& mine, unsigned hops) const {
    std::vector<protocol::Traffic> inputs;
    for (unsigned i = 0; i < params.inputs(); ++i)
        inputs.push_back(protocol::traffic_to(port.cpu_side[i], hops));
    protocol::AddressShare own {static_cast<std::uint64_t>(params.granularity->raw),
                                params.outputs(), 0, this};
    while (&port.mem_side[own.index] != &mine) ++own.index;
    protocol::Traffic traffic = protocol::dealt(inputs, own);
    if (params.hashed() && params.outputs > 1) traffic.share.reset(); // shares are in turn
    return traffic;
}

void Crossbar::wake() {
    // Messages move only at clock edges. Ports and the timer know the clock and wake the crossbar
    // there.
    const ClockEdge edge = edges_.at_or_after(now());
    if (edge.tick != now()) return;
    const std::int64_t requests = transfer(
        edge.cycle, state.requests, port.cpu_side, port.mem_side,
        [&](MemRequest& r, std::uint32_t input) {
            const auto output = static_cast<std::uint32_t>(interleave_.way(r.address));
            if (!admits(r, input, output)) return held_back;
            const std::uint32_t source = r.source * params.inputs() + input;
            if (source > 0xffff)
                refuse("inputs", "with the crossbars above this one has more than 65536 sources: "
                                 "use fewer inputs or fewer crossbars in series");
            r.source = static_cast<std::uint16_t>(source);
            return output;
        },
        [&](const MemRequest& r, std::uint32_t output) {
            sim().stamps().mark(r.stamps, static_cast<std::size_t>(protocol::Stage::network),
                                now() + params.latency->raw);
            ++stat.requests;
            stat.request_bytes += r.wire_bytes();
            ++stat.slice_requests[output];
        },
        stat.slice_busy, stat.slice_stalls);
    bool admits_more = false;
    const std::int64_t responses = transfer(
        edge.cycle, state.responses, port.mem_side, port.cpu_side,
        [&](MemResponse& r, std::uint32_t output) {
            const std::uint32_t input = r.source % params.inputs();
            if (!state.of_a_pair.empty()) {
                --state.of_a_pair[std::size_t {input} * params.outputs() + output];
                admits_more |= state.held_back[input];
            }
            r.source = static_cast<std::uint16_t>(r.source / params.inputs());
            return input;
        },
        [&](const MemResponse& r, std::uint32_t) {
            sim().stamps().mark(r.stamps, static_cast<std::size_t>(protocol::Stage::network),
                                now() + of_responses(&params).raw);
            ++stat.responses;
            stat.response_bytes += r.wire_bytes();
        },
        stat.requester_busy, stat.requester_stalls);
    std::int64_t next = std::min(requests, responses);
    if (admits_more) next = std::min(next, edge.cycle + 1);
    // A response of this cycle has freed space after the requests were moved.
    state.requests.queues.for_each_waiting([&](std::uint32_t o) {
        if (state.requests.blocked[o] && port.mem_side[o].can_send())
            next = std::min(next, edge.cycle + 1);
    });
    if (next != no_cycle) arm(state.next, edges_.clock().advance(edge, next - edge.cycle).tick);
}

/// Whether the limit of a pair lets the first request of an input enter; counts it if so.
bool Crossbar::admits(const MemRequest& r, std::uint32_t input, std::uint32_t output) {
    if (state.of_a_pair.empty() || !r.needs_response()) return true;
    std::uint16_t& waiting = state.of_a_pair[std::size_t {input} * params.outputs() + output];
    const bool full = waiting >= params.of_a_pair();
    if (full && !state.held_back[input]) ++stat.pair_stalls[input];
    state.held_back[input] = full;
    waiting += !full;
    return !full;
}

template <class M, class From, class To, class Route, class Sent>
std::int64_t Crossbar::transfer(std::int64_t cycle, Switch<M>& s, From& from, To& to, Route&& route,
                                Sent&& sent, Each<BookedCycles>& busy, Each<Counter>& stalls) {
    std::int64_t next = no_cycle;
    // Into the buffers: one message per input.
    std::array<std::uint64_t, 4> left {}; // bit per input with more messages
    bool more = false;
    const std::uint32_t inputs = from.size();
    for (std::uint32_t i = 0; i < inputs; ++i) {
        auto& in = from[i];
        if (in.empty()) continue;
        if constexpr (requires { in.front().is_hint(); })
            if (in.front().is_hint() && drop_hints(in, i)) continue;
        if (s.input_free[i] <= cycle && s.queues.room(i)) {
            M m = in.front();
            const std::uint32_t output = route(m, i), bytes = m.wire_bytes();
            if (output == held_back) continue; // a response wakes the crossbar
            in.pop();
            s.input_free[i] = cycle + cycles(bytes);
            ++s.held;
            s.bytes_held += bytes;
            s.queues.push(i, output, m);
            if (in.empty()) continue;
        }
        left[i / 64] |= std::uint64_t {1} << (i % 64);
        more = true;
    }
    if (s.held == 0 && !more) return next;
    // Out of the buffers: one message per output.
    s.queues.for_each_waiting([&](std::uint32_t o) {
        if (s.output_free[o] > cycle) {
            next = std::min(next, s.output_free[o]);
            return;
        }
        if (!to[o].can_send()) { // the port wakes the crossbar when it can send
            if (!s.blocked[o]) ++stalls[o];
            s.blocked[o] = true;
            return;
        }
        s.blocked[o] = false;
        const M m = s.queues.pop(o);
        const std::uint32_t bytes = m.wire_bytes();
        const std::int64_t held = cycles(bytes);
        --s.held;
        s.bytes_held -= bytes;
        s.output_free[o] = cycle + held;
        busy[o] += static_cast<std::uint64_t>(held);
        sent(m, o);
        to[o].send(m);
        if (s.queues.waiting(o)) next = std::min(next, s.output_free[o]);
    });
    if (!more) return next;
    // An input without space waits for an output, whose next cycle is counted above.
    for (std::uint32_t w = 0; w * 64 < inputs; ++w)
        for (std::uint64_t rest = left[w]; rest; rest &= rest - 1) {
            const std::uint32_t i = w * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
            if (s.queues.room(i)) next = std::min(next, std::max(s.input_free[i], cycle + 1));
        }
    return next;
}

/// Drops hints at the head of an input that would wait for space or that their slice does not
/// accept. Returns whether the input is then empty.
bool Crossbar::drop_hints(Responder<Mem>& in, std::uint32_t input) {
    while (!in.empty() && in.front().is_hint() &&
           (!state.requests.queues.room(input) ||
            !port.mem_side[interleave_.way(in.front().address)].takes_hints())) {
        in.pop();
        ++stat.hints_dropped;
    }
    return in.empty();
}

void Crossbar::waits_on(WaitReport& report) const {
    if (pending())
        report.add(path() + " holds " + std::to_string(state.requests.held) + " requests and " +
                   std::to_string(state.responses.held) + " responses");
}

/// Every message that entered has left.
std::optional<std::string> Crossbar::imbalance() const {
    if (!pending()) return {};
    return std::to_string(state.requests.bytes_held + state.responses.bytes_held) +
           " bytes entered and did not leave";
}

void Crossbar::functional(const PortBase&, FunctionalAccess& access) {
    look_through(port.mem_side[interleave_.way(access.address)], access);
}

} // namespace memsim::mem
