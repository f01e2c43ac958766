#include "cache_manager.hh"

#include "core/kernel/registry.hh"

namespace memsim::test {

static const Registration<CacheManager> cache_manager {"Random commands to a cache (a test's)."};

void CacheManager::wake() {
    for (; !port.control.empty(); port.control.pop()) ++stat.answered;
    while (state.sent < params.count() && state.ready_at <= now() && port.control.can_send()) {
        const auto kind = state.random.below(8);
        const auto number = state.random.below(64);
        if (kind < 5) {
            if (!port.hints.offer(protocol::hint(number * 96, 200))) ++stat.lost;
        } else {
            protocol::MemRequest r;
            r.command = kind == 5   ? protocol::Command::invalidate
                        : kind == 6 ? protocol::Command::flush
                                    : protocol::Command::reserve;
            r.bytes = static_cast<std::uint32_t>(number % (params.ways() + 1));
            r.application = number % 2 ? protocol::every_application : std::uint16_t {0};
            r.posted = number % 5 == 0;
            port.control.send(r);
        }
        ++state.sent;
        const auto pause = state.random.below(static_cast<std::uint64_t>(params.gap->raw));
        state.ready_at = now() + static_cast<Tick>(pause);
    }
    if (state.sent < params.count() && state.ready_at > now()) arm(state.next, state.ready_at);
}

} // namespace memsim::test
