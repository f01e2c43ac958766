#include "mem/monitor.hh"

#include "core/registry.hh"

namespace memsim::mem {

static const Registration<Monitor> registered {"Counts what passes through a memory link."};

using protocol::Command;

void Monitor::init() {
    state.passing.assign(params.outstanding, {});
    state.free.clear();
    for (unsigned i = params.outstanding; i-- > 0;) state.free.push_back(i);
}

void Monitor::wake() {
    auto& asks = port.cpu_side;
    auto& memory = port.mem_side;
    while (!memory.empty() && asks.can_send()) {
        protocol::MemResponse r = memory.pop();
        const State::Passing p = state.passing[r.tag];
        state.free.push_back(r.tag);
        r.tag = p.tag;
        const bool read = r.command == Command::read;
        if (read) stat.read_bytes += r.payload();
        (read ? stat.read_latency : stat.write_latency).sample(Time {now() - p.since});
        asks.send(r);
    }
    while (!asks.empty() && memory.can_send()) {
        protocol::MemRequest r = asks.pop();
        switch (r.command) {
        case Command::read:
            ++stat.reads;
            break;
        case Command::write:
            ++stat.writes;
            break;
        case Command::atomic:
            ++stat.atomics;
            break;
        case Command::invalidate:
        case Command::flush:
        case Command::reserve:
            break;
        }
        if (protocol::has_data(r.command)) stat.write_bytes += r.payload();
        if (r.needs_response()) {
            const std::uint32_t place = state.free.back();
            state.free.pop_back();
            state.passing[place] = {r.tag, now()};
            r.tag = place;
        }
        memory.send(r);
    }
    stat.outstanding.set(now(), params.outstanding - state.free.size());
}

} // namespace memsim::mem
