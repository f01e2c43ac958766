#include "endpoint.hh"

#include "core/kernel/registry.hh"

namespace memsim::test_cxl_gpu {

using protocol::Command;
using protocol::MemRequest;

static const Registration<Endpoint> endpoint {"Test: an endpoint that keeps no order."};

void Endpoint::wake() {
    for (auto& plan = state.plan; plan.due() <= now(); ++plan.sent) tell(plan[plan.sent].message);
    arm(state.next, state.plan.due());
    while (params.takes() && !port.cpu_side.empty()) {
        const MemRequest r = port.cpu_side.pop();
        state.seen.push_back({now(), r});
        if (r.is_hint()) {
            ++stat.hints;
            for (std::uint64_t at = 0; at < r.bytes; at += 256) here((r.address + at) / 256);
            continue;
        }
        ++(r.command == Command::read ? stat.reads : stat.writes);
        auto span = static_cast<std::uint64_t>(params.most->raw - params.least->raw) + 1;
        Tick time = params.least->raw + static_cast<Tick>(state.random.below(span));
        if (r.command == Command::read) {
            const Tick wait = here(r.address / 256) - now();
            stat.hits += wait <= 0;
            time += std::max<Tick>(0, wait);
        } else if (state.load == DevLoad::severe)
            time += params.busy->raw;
        after<&Endpoint::perform>(Time {time}, r);
    }
}

/// The time at which a unit is present. Its read starts now unless it was requested before.
Tick Endpoint::here(std::uint64_t unit) {
    if (params.medium->raw == 0) return now();
    if (!state.units.find(unit)) state.units[unit] = now() + params.medium->raw;
    return state.units[unit];
}

void Endpoint::perform(const MemRequest& r) {
    protocol::MemResponse answer = protocol::answer(r);
    if (sim().contents().enabled() && r.command == Command::read)
        answer.contents = state.contents.read(sim().contents(), r);
    else
        state.contents.write(sim().contents(), r);
    if (params.changes() && state.random.below(64) < params.changes())
        state.load = static_cast<DevLoad>(state.random.below(4));
    if (r.needs_response()) port.cpu_side.send(answer);
    tell(state.load);
}

void Endpoint::tell(DevLoad load) {
    state.load = load;
    for (unsigned i = 0; i < port.telemetry.size(); ++i)
        if (port.telemetry[i].can_send()) port.telemetry[i].send({load});
}

std::vector<std::uint64_t> Endpoint::addresses(Command command) const {
    std::vector<std::uint64_t> all;
    for (const Seen& s : state.seen)
        if (s.request.command == command) all.push_back(s.request.address);
    return all;
}

Tick Endpoint::when(Command command, std::uint64_t address) const {
    for (const Seen& s : state.seen)
        if (s.request.command == command && s.request.address == address) return s.at;
    return never;
}

} // namespace memsim::test_cxl_gpu
