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
    arm(state.next, state.plan.send(port.router, now()));
}

} // namespace memsim::test_mem
