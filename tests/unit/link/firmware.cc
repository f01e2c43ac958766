#include "firmware.hh"

#include "core/kernel/registry.hh"

namespace memsim::test_mem {

static const Registration<Firmware> firmware {"Programs address ranges (a test's)."};

void Firmware::wake() {
    while (!port.router.empty()) {
        const protocol::RangeReply r = port.router.pop();
        MEMSIM_ASSERT(r.tag == state.results.size(), "orders are answered in turn");
        state.results.push_back(r.result);
        ++stat.answers[r.result];
    }
    while (state.sent < state.plan.size() && state.plan[state.sent].at <= now() &&
           port.router.can_send())
        port.router.send(state.plan[state.sent++].order);
    if (state.sent < state.plan.size() && state.plan[state.sent].at > now())
        arm(state.next, state.plan[state.sent].at);
}

} // namespace memsim::test_mem
