#include "mmu_support.hh"

#include "core/kernel/registry.hh"

namespace memsim::test_mmu {

static const Registration<Mover> mover {"Sends planned page orders (a test's)."};
static const Registration<Recorder> recorder {"Writes down what it is asked (a test's)."};

void Mover::wake() {
    while (!port.orders.empty()) state.done.push_back({now(), port.orders.pop()});
    arm(state.next, state.plan.send(port.orders, now()));
}

protocol::PageOrder& Mover::plan(Tick at, protocol::PageOrderKind kind, std::uint64_t page,
                                 std::uint64_t frame) {
    protocol::PageOrder o;
    o.kind = kind;
    o.tag = state.plan.size();
    o.page = page;
    o.frame = frame;
    return state.plan.add(at, o);
}

void Recorder::wake() {
    for (std::uint32_t i = 0; i < port.cpu_side.size(); ++i)
        while (!port.cpu_side[i].empty()) {
            const MemRequest r = port.cpu_side[i].pop();
            const std::uint64_t* held = state.contents.find(r.address);
            state.seen.push_back({now(), i, held ? *held : 0, r});
            if (r.command == Command::write) state.contents[r.address] = r.pc;
            if (!r.posted) port.cpu_side[i].send(protocol::answer(r));
        }
}

} // namespace memsim::test_mmu
