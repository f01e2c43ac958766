#include "mem/simple_memory.hh"

#include "core/kernel/registry.hh"

namespace memsim::mem {

static const Registration<SimpleMemory> simple_memory {
    "A memory of fixed latency and bandwidth, for tests and as an ideal memory."};

void SimpleMemory::wake() {
    auto& in = port.cpu_side;
    while (!in.empty() && state.free_at <= now() && (in.front().posted || in.can_send())) {
        const protocol::MemRequest r = in.pop();
        if (protocol::for_a_cache(r.command)) { // no effect on a memory
            if (!r.posted) in.send(protocol::answer(r));
            continue;
        }
        ++(r.command == protocol::Command::read ? stat.reads : stat.writes);
        stat.bytes += r.payload();
        state.free_at = now() + wire_.take(r.packed.bytes(r.payload()), state.remainder);
        protocol::MemResponse answer = protocol::answer(r);
        sim().stamps().mark(answer.stamps, protocol::Stage::dram, now() + params.latency->raw);
        if (sim().contents().enabled() && r.command == protocol::Command::read)
            answer.contents = state.contents.read(sim().contents(), r);
        else
            state.contents.write(sim().contents(), r);
        if (!r.posted) in.send(answer);
    }
    if (!in.empty() && state.free_at > now()) arm(state.ready, state.free_at);
}

void SimpleMemory::functional(const PortBase&, FunctionalAccess& access) {
    state.contents.functional(access);
}

} // namespace memsim::mem
