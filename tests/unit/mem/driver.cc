#include "driver.hh"

#include "core/kernel/registry.hh"

namespace memsim::test_mem {

static const Registration<Driver> driver {"Sends planned requests; for tests."};
static const Registration<Hinter> hinter {"Sends planned hints; for tests."};

void Driver::wake() {
    auto& out = port.mem_side;
    while (!out.empty()) {
        const protocol::MemResponse r = out.pop();
        ++stat.answered;
        stat.latency.sample(Time {now() - state.plan[r.tag].at});
        state.answers.push_back({now(), r});
    }
    arm(state.next, state.plan.send(out, now()));
}

} // namespace memsim::test_mem
