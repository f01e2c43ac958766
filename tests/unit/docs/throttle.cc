#include "throttle.hh"

#include "core/kernel/registry.hh"

namespace memsim::test {

static const Registration<Throttle> registered {"Lets one memory request pass in each period."};

void Throttle::wake() {
    auto& above = port.cpu_side;
    auto& below = port.mem_side;
    while (!below.empty() && above.can_send()) above.send(below.pop());
    if (above.empty() || !below.can_send()) return; // an arrival or a credit will wake us
    if (now() < state.free_at) {
        arm(state.next, state.free_at);
        return;
    }
    below.send(above.pop());
    ++stat.passed;
    state.free_at = now() + params.period->raw;
    arm(state.next, state.free_at);
}

} // namespace memsim::test
