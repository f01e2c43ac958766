#include "workload/simt.hh"

#include "support.hh"

using namespace memsim;
using namespace memsim::workload;

namespace {
enum class Site : u32 { a, b };

struct Machine {
    Launch launch {"test", {1, 1, 1}, {40, 1, 1}, 0, 0};
    BlockStreams out;
    BlockRun run {launch, 2, 0, 1000, out};
};

std::vector<protocol::WarpOp> read_all(const std::vector<u8>& bytes) {
    std::vector<protocol::WarpOp> all;
    u64 position = 0;
    protocol::WarpOp op;
    for (protocol::WarpStreamReader reader(bytes, position); reader.next(op);) all.push_back(op);
    return all;
}
} // namespace

TEST_CASE("control flow narrows the active lanes and widens them again") {
    Machine m;
    std::vector<Mask> seen;
    run_phases(m.run, [&](Warp& w) {
        auto left = w.map<u32>([](u32 lane) { return lane % 4; });
        w.if_(w.thread() < 8u, [&] {
            seen.push_back(w.active());
            w.while_([&] { return all_lanes(0u) < left; },
                     [&] {
                         seen.push_back(w.active());
                         left = w.map<u32>([&](u32 i) { return left[i] - 1; });
                     });
            seen.push_back(w.active());
        });
        w.if_(0, [&] { FAIL("no lane is active"); });
        seen.push_back(w.active());
    });
    // Lane 3 of each four goes round three times; the second warp has 8 threads, none below 8.
    CHECK(seen == std::vector<Mask> {0xff, 0xee, 0xcc, 0x88, 0xff, ~0u, 0xff});
}

TEST_CASE("all warps meet at a barrier, and see what the others wrote before it") {
    Machine m;
    DeviceMemory memory;
    auto data = memory.allocate("data", std::vector<u32>(40));
    auto sums = memory.allocate("sums", std::vector<u64>(40));
    CHECK(sums.base == 256);
    CHECK(memory.next == 256 + 512);
    run_phases(
        m.run, [&](Warp& w) { w.store(Site::a, data, w.thread(), w.thread()); },
        [&](Warp& w) {
            const auto mirrored = w.map<u32>([&](u32 i) { return 39 - w.thread()[i]; });
            const auto other = w.load(Site::b, data, mirrored);
            w.store(Site::a, sums, w.thread(), w.map<u64>([&](u32 i) { return other[i] + 1; }));
        });
    CHECK(sums.data[0] == 40);
    CHECK(sums.data[39] == 1);
    REQUIRE(m.out.warps.size() == 2);
    const auto ops = read_all(m.out.warps[1]);
    REQUIRE(ops.size() == 5);
    CHECK(ops[0].mask == 0xff);
    CHECK(ops[0].pc == (2 << 12 | 0));
    CHECK(ops[1].kind == WarpOpKind::barrier);
    CHECK(ops[2].pc == (2 << 12 | 16));
    CHECK(ops[2].address[0] == 28); // thread 32 reads element 7
    CHECK(ops[2].address[7] == 0);
    CHECK(ops[3].width == 8);
    CHECK(ops[4].kind == WarpOpKind::exit);
}

TEST_CASE("lanes of an atomic act in ascending order") {
    Machine m;
    DeviceMemory memory;
    auto counter = memory.allocate("counter", std::vector<u32> {100, 7});
    Lanes<u32> before;
    run_phases(m.run, [&](Warp& w) {
        w.if_(0x15, [&] {
            before = w.atomic_add(Site::a, counter, Lanes<u32> {}, all_lanes(2u));
            w.atomic_min(Site::b, counter, all_lanes(1u),
                         w.map<u32>([](u32 lane) { return 5 + lane; }));
        });
    });
    // The second warp goes last.
    CHECK(before[0] == 106);
    CHECK(before[2] == 108);
    CHECK(before[4] == 110);
    CHECK(counter.data == std::vector<u32> {112, 5});
}

TEST_CASE("an index past the end of an array is our own mistake") {
    Machine m;
    DeviceMemory memory;
    auto data = memory.allocate("data", std::vector<u32>(39));
    CHECK_THROWS_AS(run_phases(m.run, [&](Warp& w) { w.load(Site::a, data, w.thread()); }), Panic);
}

TEST_CASE("a block that never ends is stopped") {
    Machine m;
    DeviceMemory memory;
    auto flag = memory.allocate("flag", std::vector<u32>(1));
    const std::string error = error_of([&] {
        run_phases(m.run, [&](Warp& w) {
            w.while_([&] { return w.load(Site::a, flag, all_lanes(0u)) == 0u; }, [] {});
        });
    });
    CHECK(error.starts_with("block 0 of kernel test ran over the limit of 1000 operations"));
}
