#include "mem/crossbar/crossbar.hh"

#include "core/kernel/registry.hh"

namespace memsim::mem {

using protocol::MemRequest;
using protocol::MemResponse;

static const Registration<Crossbar> crossbar {
    "A crossbar with virtual output queues between requesters and interleaved slices."};

void Crossbar::init() {
    interleave_ =
        device_parts::HashedInterleave(static_cast<std::uint64_t>(params.granularity->raw),
                                       params.outputs(), params.hash_rounds());
    if (params.outputs > 1)
        for (unsigned i = 0; i < params.inputs(); ++i)
            if (const auto in = protocol::traffic_to(port.cpu_side[i]);
                in.block && params.granularity->raw % static_cast<std::int64_t>(in.block))
                refuse("granularity", params.granularity.text() + " is not a multiple of the " +
                                          bytes_text(in.block) + " that a request of " +
                                          in.sender->path() +
                                          " may span: a request must go to one output");
    width_ = device_parts::Divider(static_cast<std::uint64_t>(params.width->raw));
    state.requests.resize(params.inputs(), params.outputs(), params.buffer(), params.arbitration());
    state.responses.resize(params.outputs(), params.inputs(), params.buffer(),
                           params.arbitration());
    std::vector<GroupLevel> levels;
    try {
        levels = group_levels(params.groups());
    } catch (const ConfigError& e) {
        refuse("groups", e.what());
    }
    request_links_ =
        SharedLinks(levels, &GroupLevel::requests, params.inputs(), state.requests.links);
    response_links_ =
        SharedLinks(levels, &GroupLevel::responses, params.inputs(), state.responses.links);
    if (params.spread->raw) lay_out(levels);
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
    if (params.hash_rounds() && params.outputs > 1) traffic.share.reset(); // shares are in turn
    std::uint32_t above = 1;
    for (const protocol::Traffic& in : inputs) above = std::max(above, in.sources);
    traffic.sources = above * params.inputs();
    return traffic;
}

/// The latencies between groups and slices. Groups lie on a line. Slices lie in two rows along it,
/// or in one if their number is odd.
void Crossbar::lay_out(const std::vector<GroupLevel>& levels) {
    if (levels.empty()) refuse("spread", "there are no groups of requesters: set groups");
    if (params.spread->raw >= params.latency->raw)
        refuse("spread",
               params.spread.text() + " is not below the latency of " + params.latency.text());
    const unsigned members = levels.back().members;
    const unsigned groups = (params.inputs() + members - 1) / members;
    const unsigned row = params.outputs() % 2 ? params.outputs() : params.outputs() / 2;
    // From -1 to 1 along the line, as a numerator over `count` - 1; the only one is at the end.
    const auto place = [](unsigned n, unsigned count) {
        return 2 * Int128 {n} - (std::max(count, 2u) - 1);
    };
    const auto of = [](unsigned count) { return std::max(count, 2u) - 1; };
    for (unsigned i = 0; i < params.inputs(); ++i) group_of_.push_back(i / members);
    const Int128 hertz = params.clock->raw, second = ticks_per_second;
    for (unsigned g = 0; g < groups; ++g)
        for (unsigned o = 0; o < params.outputs(); ++o) {
            // Whole cycles, so that the receiver's clock does not raise the mean.
            const Int128 apart = row == 1 ? 0 : -place(g, groups) * place(o % row, row);
            const Int128 parts = Int128 {of(groups)} * of(row);
            const Int128 size = params.spread->raw * (apart < 0 ? -apart : apart) / parts;
            const Int128 cycles = (size * hertz + second / 2) / second;
            const auto ticks = static_cast<Tick>(cycles * second / hertz);
            const Tick least = port.mem_side[o].latency().raw;
            const Tick more = apart < 0 ? -ticks : ticks;
            further_.push_back(params.latency->raw - least + more);
            if (const Tick time = params.pair_time->raw; time && params.of_a_pair()) {
                const Int128 limit = Int128 {params.of_a_pair()} * std::max(time + more, Tick {0});
                of_a_pair_.push_back(static_cast<std::uint16_t>(
                    std::clamp<Int128>((limit + time / 2) / time, 1, 65535)));
            }
        }
    wire_ = WireTime(wire(&params));
}

namespace {

/// The number of links of one direction; 0 if the levels are wrong, which init() refuses with the
/// path of the crossbar.
unsigned count_links(const void* params, std::int64_t GroupLevel::*rate) try {
    const auto& p = *static_cast<const Crossbar::Params*>(params);
    return SharedLinks::count(group_levels(p.groups()), rate, p.inputs());
} catch (const ConfigError&) {
    return 0;
}

} // namespace

unsigned Crossbar::request_links(const void* params) {
    return count_links(params, &GroupLevel::requests);
}

unsigned Crossbar::response_links(const void* params) {
    return count_links(params, &GroupLevel::responses);
}

void Crossbar::wake() {
    // Messages move only at clock edges. Ports and the timer know the clock and wake the crossbar
    // there.
    const ClockEdge edge = edges_.at_or_after(now());
    if (edge.tick != now()) return;
    const std::int64_t requests = move_requests(edge.cycle);
    std::int64_t next = std::min(requests, move_responses(edge.cycle));
    // A response of this cycle has freed space after the requests were moved.
    state.requests.queues.for_each_waiting([&](std::uint32_t o) {
        if (state.requests.blocked[o] && port.mem_side[o].can_send())
            next = std::min(next, edge.cycle + 1);
    });
    if (next != no_cycle) arm(state.next, edges_.clock().advance(edge, next - edge.cycle).tick);
}

/// Returns the next cycle in which a request may move.
std::int64_t Crossbar::move_requests(std::int64_t cycle) {
    SwitchCycle pass(
        cycle, state.requests, port.cpu_side, port.mem_side, request_links_, width_,
        {stat.slice_busy, stat.slice_stalls, stat.request_link_cycles, stat.request_link_stalls});
    pass.enter(
        [&](Responder<Mem>& in, std::uint32_t input) {
            return !in.empty() && !(in.front().is_hint() && drop_hints(in, input));
        },
        [&](MemRequest& r, std::uint32_t input) {
            const auto output = static_cast<std::uint32_t>(interleave_.way(r.address));
            if (!admits(r, input, output)) return held_back;
            const std::uint32_t source = r.source * params.inputs() + input;
            if (source > 0xffff)
                refuse("inputs", "with the crossbars above this one has more than 65536 sources: "
                                 "use fewer inputs or fewer crossbars in series");
            r.source = static_cast<std::uint16_t>(source);
            return output;
        });
    pass.leave([&](const MemRequest& r, std::uint32_t output) {
        sim().stamps().mark(r.stamps, static_cast<std::size_t>(protocol::Stage::network),
                            now() + send(r, output));
        ++stat.requests;
        stat.request_bytes += r.wire_bytes();
        ++stat.slice_requests[output];
    });
    return pass.next();
}

/// Returns the next cycle in which a response may move, or the next cycle if a request may enter in
/// place of one.
std::int64_t Crossbar::move_responses(std::int64_t cycle) {
    SwitchCycle pass(cycle, state.responses, port.mem_side, port.cpu_side, response_links_, width_,
                     {stat.requester_busy, stat.requester_stalls, stat.response_link_cycles,
                      stat.response_link_stalls});
    bool admits_more = false;
    pass.enter([](Requester<Mem>& in, std::uint32_t) { return !in.empty(); },
               [&](MemResponse& r, std::uint32_t output) {
                   const std::uint32_t input = r.source % params.inputs();
                   if (!state.of_a_pair.empty()) {
                       --state.of_a_pair[std::size_t {input} * params.outputs() + output];
                       admits_more |= state.held_back[input];
                   }
                   r.source = static_cast<std::uint16_t>(r.source / params.inputs());
                   return input;
               });
    pass.leave([&](const MemResponse& r, std::uint32_t output) {
        sim().stamps().mark(r.stamps, static_cast<std::size_t>(protocol::Stage::network),
                            now() + of_responses(&params).raw);
        ++stat.responses;
        stat.response_bytes += r.wire_bytes();
        port.cpu_side[output].send(r);
    });
    return admits_more ? std::min(pass.next(), cycle + 1) : pass.next();
}

/// Sends a request to its slice. Returns its latency.
Tick Crossbar::send(const MemRequest& r, std::uint32_t output) {
    if (group_of_.empty()) return port.mem_side[output].send(r), params.latency->raw;
    const std::uint32_t group = group_of_[r.source % params.inputs()];
    const Tick further = further_[std::size_t {group} * params.outputs() + output];
    std::int64_t fraction = 0;
    const Tick bytes = wire_.take(r.wire_bytes(), fraction);
    port.mem_side[output].send_ahead(r, {bytes + further});
    return port.mem_side[output].latency().raw + further;
}

/// Whether the limit of a pair lets the first request of an input enter; counts it if so.
bool Crossbar::admits(const MemRequest& r, std::uint32_t input, std::uint32_t output) {
    if (state.of_a_pair.empty() || !r.needs_response()) return true;
    std::uint16_t& waiting = state.of_a_pair[std::size_t {input} * params.outputs() + output];
    const unsigned limit =
        of_a_pair_.empty() ? params.of_a_pair()
                           : of_a_pair_[std::size_t {group_of_[input]} * params.outputs() + output];
    const bool full = waiting >= limit;
    if (full && !state.held_back[input]) ++stat.pair_stalls[input];
    state.held_back[input] = full;
    waiting += !full;
    return !full;
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

void Crossbar::check_loaded(Loader& l) const {
    l.check(request_links_.sound(state.requests.links) &&
                response_links_.sound(state.responses.links),
            "has delays of links that do not exist");
}

void Crossbar::waits_on(WaitReport& report) const {
    if (pending())
        report.add(path() + " holds " + std::to_string(state.requests.held) + " requests and " +
                   std::to_string(state.responses.held) + " responses");
    for (const std::uint32_t input : state.requests.links.waiting)
        report.add(path() + " delays " + port.cpu_side[input].name() + " on shared link " +
                   std::to_string(state.requests.links.delayed[input] - 1) + " for requests");
    for (const std::uint32_t input : state.responses.links.waiting)
        report.add(path() + " delays " + port.cpu_side[input].name() + " on shared link " +
                   std::to_string(state.responses.links.delayed[input] - 1) + " for responses");
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
