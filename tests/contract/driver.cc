#include "driver.hh"

#include "core/kernel/registry.hh"
#include "device_parts/named.hh"

namespace memsim::test {

static const Registration<Driver> driver {"Random memory traffic, checked (a test's)."};

void Driver::wake() {
    while (!port.mem.empty()) {
        const protocol::MemResponse r = port.mem.pop();
        MEMSIM_ASSERT(device_parts::named(state.sent_at, r.tag) != never, "answered twice");
        stat.latency.sample(Time {now() - state.sent_at[r.tag]});
        state.sent_at[r.tag] = never;
        ++stat.answered;
    }
    while (state.sent < params.count && state.ready_at <= now() && port.mem.can_send()) {
        protocol::MemRequest r;
        r.bytes = params.line;
        const auto line =
            state.random.below(static_cast<std::uint64_t>(params.footprint->raw) / params.line);
        r.address = line * params.line;
        const auto kind = state.random.below(4);
        r.command = kind < 2 ? protocol::Command::read : protocol::Command::write;
        r.posted = kind == 3;
        r.tag = state.sent++;
        if (params.masks()) {
            const unsigned last = 1u << (params.line() / protocol::sector_bytes - 1);
            const auto holes = static_cast<unsigned>(state.random.below(last));
            r.sectors = static_cast<std::uint16_t>(last | 1u | holes);
            r.partial = static_cast<std::uint16_t>(r.sectors & state.random.below(2 * last));
        }
        state.sent_at.push_back(r.posted ? never : now());
        port.mem.send(r);
        const auto pause = state.random.below(static_cast<std::uint64_t>(params.gap->raw) + 1);
        state.ready_at = now() + static_cast<Tick>(pause);
    }
    if (state.sent < params.count && state.ready_at > now()) arm(state.next, state.ready_at);
}

} // namespace memsim::test
