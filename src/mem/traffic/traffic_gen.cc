#include "mem/traffic/traffic_gen.hh"

#include "core/kernel/former_state.hh"
#include "core/kernel/registry.hh"

#include <algorithm>

namespace memsim::mem {

static const Registration<TrafficGen> traffic_gen {
    "Sends sequential or random requests to a memory."};

using protocol::Command;

/// State from before outstanding requests became a part that other sources share.
struct FormerTrafficGen {
    std::uint64_t sent, offset;
    Tick due;
    Rng rng;
    std::vector<Tick> sent_at;
    FreeList free_tags;
    Timer next;
};
static const FormerState<TrafficGen, FormerTrafficGen> former {
    [](const FormerTrafficGen& was, TrafficGen::State& now) {
        carry(was, now);
        carry(was.sent_at, now.requests.sent_at);
        carry(was.free_tags, now.requests.free);
    }};

void TrafficGen::init() {
    const auto period = static_cast<std::uint64_t>(params.period->raw);
    if (period && params.requests > never / period + 1)
        refuse("period", "the last of " + params.requests.text() + " requests, one every " +
                             params.period.text() + ", is beyond the maximum simulated time");
    SentRequests::init(state.requests, params.outstanding);
}

void TrafficGen::start() { arm(state.next, state.due); }

void TrafficGen::wake() {
    auto& mem = port.mem_side;
    while (!mem.empty()) requests().answered(mem.pop());
    while (more() && state.due <= now() && mem.can_send()) send_one();
    if (more() && state.due > now()) arm(state.next, state.due);
}

void TrafficGen::send_one() {
    protocol::MemRequest r;
    r.bytes = params.size;
    switch (params.pattern()) {
    case Pattern::sequential:
        r.address = state.offset;
        state.offset += params.size;
        if (state.offset + params.size > static_cast<std::uint64_t>(params.range->raw))
            state.offset = 0;
        break;
    case Pattern::random:
        r.address = state.rng.below(static_cast<std::uint64_t>(params.range->raw) / params.size) *
                    params.size;
        break;
    }
    r.address += static_cast<std::uint64_t>(params.base->raw);
    const bool read = params.read_share() == 100_pct || state.rng.chance(params.read_share->raw);
    r.command = read ? Command::read : Command::write;
    requests().send(r);
    port.mem_side.send(r);
    ++state.sent;
    state.due += std::min(params.period->raw, never - state.due); // never: time ends before
}

std::vector<Work> TrafficGen::work() const {
    if (params.requests == 0) return {};
    const std::uint64_t answered = state.sent - SentRequests::under_way(state.requests);
    return {{path(), "requests", answered, params.requests, true}};
}

/// Only a source with a limited number of requests can be pending.
bool TrafficGen::pending() const { return params.requests != 0 && more(); }

} // namespace memsim::mem
