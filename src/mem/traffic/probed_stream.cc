#include "mem/traffic/probed_stream.hh"

#include "core/kernel/registry.hh"

namespace memsim::mem {

static const Registration<ProbedStream> probed_stream {
    "Sends a stream of reads and one probe of a random row at a time."};

namespace {
constexpr std::uint32_t probe_tag = 0;
}

void ProbedStream::wake() {
    auto& mem = port.mem_side;
    while (!mem.empty()) {
        const protocol::MemResponse r = mem.pop();
        const std::uint32_t tag = r.tag;
        sim().contents().release(r.contents);
        const Time taken {now() - state.sent_at[tag]};
        stat.all.sample(taken);
        if (tag == probe_tag) {
            stat.probe.sample(taken);
            state.probing = false;
        } else {
            state.free.push_back(tag - 1);
        }
    }
    if (!state.probing && state.probes < params.probes && mem.can_send()) {
        const std::uint64_t row = state.rng.below(params.rows);
        const std::uint64_t column = state.rng.below(params.columns);
        const std::uint64_t bank = state.rng.below(params.banks);
        send(address(row, column, bank), probe_tag);
        ++state.probes;
        state.probing = true;
    }
    while (more() && due() <= now() && mem.can_send() && !state.free.empty()) {
        // Banks start at different columns, so that their rows do not end at the same time.
        const std::uint64_t bank = state.streamed % params.banks;
        const std::uint64_t place =
            state.streamed / params.banks + bank * params.columns / params.banks;
        const std::uint32_t tag = state.free.back() + 1;
        state.free.pop_back();
        state.late += now() - due();
        send(address(place / params.columns % params.rows, place % params.columns, bank), tag);
        ++state.streamed;
    }
    if (more() && due() > now()) arm(state.next, due());
}

void ProbedStream::send(std::uint64_t address, std::uint32_t tag) {
    protocol::MemRequest r;
    r.address = address;
    r.bytes = params.bytes;
    r.command = protocol::Command::read;
    r.tag = tag;
    state.sent_at[tag] = now();
    port.mem_side.send(r);
}

} // namespace memsim::mem
