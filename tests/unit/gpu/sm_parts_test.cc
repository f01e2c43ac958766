#include "gpu/sm/assist_warp.hh"
#include "gpu/sm/load_store_unit.hh"
#include "gpu/sm/ready_warps.hh"
#include "gpu/sm/resident_blocks.hh"
#include "gpu/sm/scoreboard.hh"
#include "gpu/sm/shared_memory.hh"
#include "gpu/sm/warp_choice.hh"
#include "script.hh"

namespace memsim::sm_parts_test {

/// What an SM is made of, each part alone.
using namespace memsim::gpu;
using gpu_program::WarpOpHead;
using gpu_program::WarpOpKind;

namespace {
WarpSet set(std::initializer_list<std::uint32_t> warps) {
    WarpSet s;
    for (const std::uint32_t w : warps) s.add(w);
    return s;
}
} // namespace

TEST_CASE("A set of warps iterates over 64 slots and more, the lowest first", "[sm_parts]") {
    WarpSet s = set({2, 63, 64, 79, 127});
    CHECK(s.first() == 2);
    CHECK(s.first_from(63) == 63);
    CHECK(s.first_from(64) == 64);
    CHECK(s.first_from(65) == 79);
    CHECK(s.first_from(128) == 2); // round
    s.remove(2), s.remove(63);
    CHECK(s.first() == 64);
    CHECK(s.first_from(3) == 64);
    CHECK((s & set({79, 3})) == set({79}));
    CHECK((set({1}) | set({100})) == set({1, 100}));
    CHECK_FALSE(bool(s & set({0, 15, 63}))); // 64 and 79 modulo 64
    std::vector<std::uint32_t> seen;
    s.for_each([&](std::uint32_t w) { seen.push_back(w), s.remove(w); });
    CHECK(seen == std::vector<std::uint32_t> {64, 79, 127});
    CHECK_FALSE(bool(s));
}

TEST_CASE("A scoreboard stalls an operation until the last response for its operand has arrived",
          "[sm_parts]") {
    Scoreboard s;
    const std::uint32_t first = s.begin(2), second = s.begin(1);
    const WarpOpHead needs_latest {WarpOpKind::store, false, 0b01};
    const WarpOpHead needs_both {WarpOpKind::store, false, 0b11};
    CHECK_FALSE(s.holds({WarpOpKind::compute, false, 0}));
    CHECK(s.holds(needs_latest));
    CHECK(s.holds(needs_both));
    CHECK(s.answered(second));
    std::uint64_t copy_waits = 0;
    CHECK_FALSE(s.releases(second, 5, copy_waits)); // it waits for the first, too
    CHECK_FALSE(s.answered(first));                 // one of two
    CHECK(s.answered(first));
    CHECK(s.releases(first, 6, copy_waits));
    CHECK_FALSE(s.holds(needs_both));
    CHECK(copy_waits == 0); // neither is a copy
}

TEST_CASE("A scoreboard counts the wait for copies to the last of them", "[sm_parts][copies]") {
    Scoreboard s;
    const std::uint32_t load = s.begin(1), copy = s.begin(1, true), other = s.begin(1, true);
    s.waits_since = 10;
    CHECK(s.holds({WarpOpKind::store, false, 0b110})); // the load and the first copy
    std::uint64_t waited = 0;
    CHECK(s.answered(other));
    CHECK_FALSE(s.releases(other, 12, waited)); // no operation waits for it
    CHECK(waited == 0);
    CHECK(s.answered(copy));
    CHECK_FALSE(s.releases(copy, 15, waited));
    CHECK(waited == 5);
    CHECK(s.answered(load));
    CHECK(s.releases(load, 20, waited));
    CHECK(waited == 5);
}

TEST_CASE("A scoreboard has 64 places: the 65th result waits for the first", "[sm_parts]") {
    Scoreboard s;
    const std::uint32_t first = s.begin(1);
    for (unsigned i = 1; i < Scoreboard::places - 1; ++i) s.begin(1);
    const WarpOpHead load {WarpOpKind::load, true, 0};
    CHECK_FALSE(s.holds(load)); // one place is left
    s.begin(1);
    CHECK(s.holds(load));
    CHECK_FALSE(s.holds({WarpOpKind::store, false, 0})); // it has no result
    CHECK(s.answered(first));
    CHECK_FALSE(s.holds(load));
}

TEST_CASE("Warps are ready by their next operation, and sleep until its cycle", "[sm_parts]") {
    ReadyWarps r;
    r.add(0, WarpOpKind::compute);
    r.add(1, WarpOpKind::load);
    r.add(2, WarpOpKind::shared);
    r.add(3, WarpOpKind::barrier);
    r.add(4, WarpOpKind::matrix);
    CHECK(r.sets == ReadyWarps::Sets {set({0, 3}), set({1}), set({2}), set({4}), {}, {}});
    for (std::uint32_t w = 0; w < 5; ++w) r.take(w);
    CHECK_FALSE(r.any());
    CHECK(r.next_awake() == IssueSlots::never);
    r.sleep(5, 30);
    r.sleep(6, 20);
    r.sleep(7, 20);
    CHECK(r.next_awake() == 20);
    std::vector<std::uint32_t> woken;
    const auto note = [&](std::uint32_t w) { woken.push_back(w); };
    r.wake(19, note);
    CHECK(woken.empty());
    r.wake(20, note);
    CHECK(woken == std::vector<std::uint32_t> {6, 7});
    CHECK(r.next_awake() == 30);
    r.wake(31, note);
    CHECK(woken == std::vector<std::uint32_t> {6, 7, 5});
    CHECK_FALSE(r.any());
}

TEST_CASE("A scheduler continues with its warp, else selects the oldest; or rotates over the warps",
          "[sm_parts]") {
    const std::array<std::uint64_t, 4> ages {7, 5, 9, 6};
    const auto age = [&](std::uint32_t w) { return ages[w % 64]; };
    const WarpSet ready = set({0, 2, 3});
    CHECK(choose_warp(Scheduler::greedy_then_oldest, ready, 2, age) == 2);
    CHECK(choose_warp(Scheduler::greedy_then_oldest, ready, 1, age) == 3);
    CHECK(choose_warp(Scheduler::loose_round_robin, ready, 0, age) == 2);
    CHECK(choose_warp(Scheduler::loose_round_robin, ready, 3, age) == 0);
    const WarpSet high = set({2, 64, 67});
    CHECK(choose_warp(Scheduler::greedy_then_oldest, high, 64, age) == 64);
    CHECK(choose_warp(Scheduler::greedy_then_oldest, high, 0, age) == 67);
    CHECK(choose_warp(Scheduler::loose_round_robin, high, 66, age) == 67);
    CHECK(choose_warp(Scheduler::loose_round_robin, high, 127, age) == 2);
}

TEST_CASE("An access to shared memory occupies the port for its passes; loads complete in order",
          "[sm_parts]") {
    SharedMemory m;
    m.access(10, 3);
    CHECK_FALSE(m.free(12));
    CHECK(m.free(13));
    m.load({500, 4, 1});
    m.load({700, 2, 0});
    std::vector<std::uint32_t> done;
    const auto note = [&](std::uint32_t warp, std::uint32_t) { done.push_back(warp); };
    CHECK(m.next() == 500);
    m.finish(499, note);
    CHECK(done.empty());
    m.finish(500, note);
    CHECK(done == std::vector<std::uint32_t> {4});
    CHECK(m.next() == 700);
}

TEST_CASE("Operands of a matrix operation wait for the port and occupy it for their passes",
          "[sm_parts]") {
    SharedMemory m;
    CHECK(m.operands(10, 0, 8) == 8); // none
    CHECK(m.free(10));
    CHECK(m.operands(10, 3, 8) == 8); // they arrive while the core multiplies
    CHECK_FALSE(m.free(12));
    CHECK(m.free(13));
    CHECK(m.operands(11, 9, 8) == 2 + 9); // from cycle 13 on, slower than the core
    CHECK_FALSE(m.free(21));
    CHECK(m.free(22));
}

TEST_CASE("A barrier releases its warps when all running warps have arrived", "[sm_parts]") {
    ResidentBlocks blocks;
    blocks.resize(2);
    protocol::BlockStart start;
    start.warps = 3;
    REQUIRE(blocks.place(start) == 0);
    REQUIRE(blocks.place(start) == 1);
    CHECK(blocks.place(start) == ResidentBlocks::none);
    ResidentBlock& b = blocks[0];
    CHECK(b.arrive(4) == set({}));
    CHECK(b.arrive(9) == set({}));
    CHECK(b.arrive(1) == set({1, 4, 9}));
    CHECK(b.arrive(4) == set({})); // the next barrier begins without warps
    CHECK(b.exit() == set({}));
    CHECK(b.exit() == set({4}));
    CHECK(b.exit() == set({})); // no warp waits
}

TEST_CASE("A block ends with its last warp, and its slot is free when that is reported",
          "[sm_parts]") {
    ResidentBlocks blocks;
    blocks.resize(1);
    protocol::BlockStart start;
    start.warps = 2, start.block = 17;
    blocks.place(start);
    blocks.warp_ended(0);
    CHECK_FALSE(blocks.any_ended());
    blocks.warp_ended(0);
    CHECK(blocks.any_ended());
    CHECK(blocks.place(start) == ResidentBlocks::none);
    CHECK(blocks.take_ended().number == 17);
    CHECK(blocks.live() == 0);
    CHECK(blocks.place(start) == 0);
}

TEST_CASE("An assist warp takes a slot of the first scheduler, one instruction after another",
          "[sm_parts]") {
    std::vector<std::int64_t> free;
    IssueSlots slots(1, 1, 4, free);
    AssistWarp assist;
    slots.hold(slots.find(0, 8), 8, 1); // the phase of cycle 8, until cycle 12
    CHECK_FALSE(assist.begin(slots, 8, 10, 4));
    CHECK(assist.next(slots, 8) == 9);
    CHECK(assist.begin(slots, 9, 10, 4));
    CHECK_FALSE(assist.begin(slots, 10, 10, 4)); // it runs
    CHECK(assist.next(slots, 10) == 49);
    CHECK_FALSE(assist.over(48));
    CHECK(assist.over(49));
}

TEST_CASE("A load's accesses wait with a tag each; those of a posted store have none",
          "[sm_parts]") {
    test::Script nothing;
    nothing.write = [](auto& w, unsigned) { w.exit(~0u); };
    test::ScriptRig rig(nothing);
    gpu::Sm& sm = rig.sm();
    AccessStats stats;
    LoadStoreUnit::State state;
    LoadStoreUnit unit({128, 32, 64, 8, Atomics::performed}, sm.port.mem_side, sm.sim_ref(), stats,
                       state);
    ResidentBlock block;
    block.base = 4096;
    Scoreboard results;
    gpu_program::WarpOp op;
    op.kind = WarpOpKind::load, op.width = 4, op.mask = ~0u, op.has_result = true;
    op.address = test::word(0, 8); // two lines
    CHECK(unit.room());
    unit.access(block, 3, results, op);
    op.kind = WarpOpKind::store, op.has_result = false;
    unit.access(block, 3, results, op);
    CHECK(unit.queued() == 4);
    CHECK(state.accesses[0].request.address == 4096);
    CHECK(state.accesses[1].request.address == 4096 + 128);
    CHECK(results.outstanding != 0);
    CHECK(results.answers[results.latest] == 2);
    CHECK(stats.requests.value() == 4);
    CHECK(stats.read_requests.value() == 2);
    unit.send();
    CHECK(unit.queued() == 0);
    CHECK(state.free_tags.size() == 6);
    CHECK_FALSE(unit.idle());
    protocol::MemResponse answer;
    answer.tag = 1;
    const auto of = unit.answered(answer);
    CHECK(of.warp == 3);
    CHECK(of.result == results.latest);
    CHECK(state.free_tags.size() == 7);
}

TEST_CASE("The queue to the L1 has room while a warp's accesses surely fit", "[sm_parts]") {
    test::Script nothing;
    nothing.write = [](auto& w, unsigned) { w.exit(~0u); };
    test::ScriptRig rig(nothing);
    AccessStats stats;
    LoadStoreUnit::State state;
    LoadStoreUnit unit({128, 32, 33, 8, Atomics::loads}, rig.sm().port.mem_side, rig.sm().sim_ref(),
                       stats, state);
    CHECK(unit.command_of(WarpOpKind::atomic) == protocol::Command::read);
    unit.empty_l1(0);
    CHECK(unit.room());
    unit.empty_l1(0);
    CHECK_FALSE(unit.room());
}

} // namespace memsim::sm_parts_test
