#include "mem/traffic_gen.hh"

#include "core/registry.hh"
#include "parts/named.hh"

namespace memsim::mem {

static const Registration<TrafficGen> traffic_gen {
    "Sends sequential or random requests to a memory."};

using protocol::Command;

void TrafficGen::init() {
    state.sent_at.assign(params.outstanding, 0);
    state.free_tags.clear();
    for (unsigned i = params.outstanding; i-- > 0;) state.free_tags.push_back(i);
}

void TrafficGen::start() { arm(state.next, state.due); }

void TrafficGen::wake() {
    auto& mem = port.mem_side;
    while (!mem.empty()) {
        const protocol::MemResponse r = mem.pop();
        sim().contents().release(r.contents);
        const Time taken {now() - parts::named(state.sent_at, r.tag)};
        state.free_tags.push_back(r.tag);
        stat.bytes += r.payload();
        if (r.command == Command::read) {
            ++stat.reads;
            stat.read_latency.sample(taken);
        } else {
            ++stat.writes;
            stat.write_latency.sample(taken);
        }
        sim().stamps().close(r.stamps, static_cast<std::size_t>(protocol::Stage::response), now());
    }
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
    r.tag = state.free_tags.back();
    state.free_tags.pop_back();
    state.sent_at[r.tag] = now();
    r.stamps = sim().stamps().open(now(), r.address);
    port.mem_side.send(r);
    ++state.sent;
    state.due += params.period->raw;
}

std::vector<Work> TrafficGen::work() const {
    if (params.requests == 0) return {};
    const std::uint64_t under_way = state.sent_at.size() - state.free_tags.size();
    return {{path(), "requests", state.sent - under_way, params.requests, true}};
}

/// Only what has an end must be done.
bool TrafficGen::pending() const { return params.requests != 0 && more(); }

} // namespace memsim::mem
