#include "hint_sink.hh"

#include "core/kernel/registry.hh"

namespace memsim::test_mem {

static const Registration<HintSink> hint_sink {"Takes hints (a test's)."};

void HintSink::wake() {
    auto& in = port.cpu_side;
    if (in.empty()) return;
    if (state.free_at > now()) return arm(state.next, state.free_at);
    const protocol::MemRequest r = in.pop();
    ++stat.taken;
    if (r.is_hint()) state.bytes += r.bytes, state.hinted.push_back(r.address);
    if (r.needs_response()) in.send(protocol::answer(r));
    state.free_at = now() + params.pause->raw;
    if (!in.empty()) arm(state.next, state.free_at);
}

} // namespace memsim::test_mem
