#include "workload/simt/simt.hh"

#include "run.hh"
#include "support.hh"

namespace memsim::simt_test {

using namespace memsim::workload;

namespace {
enum class Site : u32 { a, b };

struct Machine {
    gpu_program::Launch launch {"test", {1, 1, 1}, {40, 1, 1}, 0, 4096};
    BlockStreams out;
    BlockRun run {launch, 2, 0, 1000, true, out};

    template <class F>
    void each(F body) {
        Block block(run);
        block.each(body);
        block.end();
    }
    std::vector<gpu_program::WarpOp> ops(u32 warp = 0) { return read_all(out.warps[warp]); }
};

/// waits of the operations of one kind
std::vector<u64> waits_of(const std::vector<gpu_program::WarpOp>& ops, WarpOpKind kind) {
    std::vector<u64> all;
    for (const auto& op : ops)
        if (op.kind == kind) all.push_back(op.waits);
    return all;
}
} // namespace

TEST_CASE("control flow narrows the active lanes and widens them again") {
    Machine m;
    std::vector<Mask> seen;
    m.each([&](Warp& w) {
        auto left = w.map<u32>([](u32 lane) { return lane % 4; });
        w.if_(w.thread() < 8u, [&] {
            seen.push_back(w.active());
            w.while_([&] { return left > 0; },
                     [&] {
                         seen.push_back(w.active());
                         left = left - 1;
                     });
            seen.push_back(w.active());
        });
        w.if_(Cond {}, [&] { FAIL("no lane is active"); });
        w.if_(
            w.thread() < 35u, [&] { seen.push_back(w.active()); },
            [&] { seen.push_back(w.active()); });
    });
    // Lane 3 of each four repeats the loop three times; the second warp has 8 threads, none
    // below 8.
    CHECK(seen == std::vector<Mask> {0xff, 0xee, 0xcc, 0x88, 0xff, ~0u, 7, 0xf8});
}

TEST_CASE("assignment changes the active lanes only") {
    Machine m;
    m.each([&](Warp& w) {
        auto value = w.lane();
        w.if_(value < 2u, [&] { value = value + 100; });
        CHECK(value[0] == 100);
        CHECK(value[1] == 101);
        CHECK(value[2] == 2);
    });
}

TEST_CASE("all warps synchronise at a barrier and see earlier writes of the others") {
    Machine m;
    DeviceMemory memory;
    auto data = memory.zeroed<u32>("data", 40);
    auto sums = memory.zeroed<u64>("sums", 40);
    CHECK(sums.base == 256);
    CHECK(memory.bytes() == 256 + 512);
    Block block(m.run);
    Registers<u32> mirrored(block);
    block.each([&](Warp& w) {
        const auto t = w.thread();
        mirrored[w] = 39 - t;
        w.store(Site::a, data, t, t);
    });
    block.barrier();
    block.each([&](Warp& w) {
        const auto other = w.load(Site::b, data, mirrored[w]);
        w.store(Site::a, sums, w.thread(), as<u64>(other + 1));
    });
    block.end();
    CHECK(sums[0] == 40);
    CHECK(sums[39] == 1);
    REQUIRE(m.out.warps.size() == 2);
    auto ops = m.ops(1);
    std::erase_if(ops, [](const auto& op) { return op.kind == WarpOpKind::compute; });
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

TEST_CASE("only operations that use a result wait for it") {
    Machine m;
    DeviceMemory memory;
    auto data = memory.zeroed<u32>("data", 64);
    m.each([&](Warp& w) {
        const auto t = w.thread();
        const auto first = w.load(Site::a, data, t);
        const auto second = w.load(Site::b, data, t);
        const auto third = w.load(Site::a, data, t);
        w.store(Site::b, data, t, second);         // a value that is stored
        w.load(Site::b, data, first);              // an address
        w.if_(third == 1u, [&] { w.extra(1); });   // a condition
        w.store(Site::b, data, t, first + second); // known to be there by now
    });
    const auto ops = m.ops();
    CHECK(waits_of(ops, WarpOpKind::store) == std::vector<u64> {2, 0}); // the last but one
    std::vector<u64> computes;
    for (u64 waits : waits_of(ops, WarpOpKind::compute))
        if (waits) computes.push_back(waits);
    // The first load is the third last at the address; at the condition, the last but one is third.
    CHECK(computes == std::vector<u64> {4, 2});
}

TEST_CASE("a kernel with counted instructions waits and counts at compute()") {
    Machine m;
    m.run.by_rule = false;
    DeviceMemory memory;
    auto data = memory.zeroed<u32>("data", 64);
    m.each([&](Warp& w) {
        const auto loaded = w.load(Site::a, data, w.thread());
        w.compute(2);
        const auto sum = loaded + 1;
        w.compute(3);
        w.store(Site::b, data, w.thread(), sum);
    });
    const auto ops = m.ops();
    REQUIRE(ops.size() == 5);
    CHECK(ops[1].instructions == 2);
    CHECK(ops[1].waits == 0);
    CHECK(ops[2].instructions == 3);
    CHECK(ops[2].waits == 1);
    CHECK(ops[3].waits == 0);
}

TEST_CASE("dependences reach at most 64 results back") {
    Machine m;
    m.run.operation_limit = 10000;
    DeviceMemory memory;
    auto data = memory.zeroed<u32>("data", 64);
    for (u32 between : {62u, 63u, 64u, 200u}) {
        m.each([&](Warp& w) {
            const auto t = w.thread();
            const auto old = w.load(Site::a, data, t);
            for (u32 i = 0; i < between; ++i) w.load(Site::b, data, t);
            w.store(Site::a, data, t, old);
        });
        const u64 waits = waits_of(m.ops(), WarpOpKind::store)[0];
        CHECK(waits == (between < 64 ? u64 {1} << between : 0));
    }
}

TEST_CASE("lanes of an atomic act in ascending order; no operation waits for a reduction") {
    Machine m;
    DeviceMemory memory;
    auto counter = memory.filled("counter", std::vector<u32> {100, 7});
    Lanes<u32> before;
    m.each([&](Warp& w) {
        w.if_(Cond {0x15}, [&] {
            before = w.atomic_add(Site::a, counter, Lanes<u32> {}, all_lanes(2u));
            w.reduce_min(Site::b, counter, all_lanes(1u),
                         w.map<u32>([](u32 lane) { return 5 + lane; }));
        });
    });
    // The second warp runs last.
    CHECK(before[0] == 106);
    CHECK(before[2] == 108);
    CHECK(before[4] == 110);
    CHECK(counter[0] == 112);
    CHECK(counter[1] == 5);
    for (const auto& op : m.ops()) {
        if (op.kind == WarpOpKind::atomic) CHECK(op.has_result);
        if (op.kind == WarpOpKind::reduce) CHECK_FALSE(op.has_result);
    }
}

TEST_CASE("threads of a block of two dimensions are numbered along x first") {
    Machine m;
    m.launch.grid = {3, 2, 1};
    m.launch.block = {8, 4, 2};
    m.run.block = 5; // x 2, y 1
    u32 warp = 0;
    m.each([&](Warp& w) {
        CHECK(w.bx() == 2);
        CHECK(w.by() == 1);
        CHECK(w.x()[9] == 16 + 1);
        CHECK(w.y()[9] == 4 + 1);
        CHECK(w.tx()[31] == 7);
        CHECK(w.ty()[31] == 3);
        CHECK(w.tz()[0] == warp++);
    });
}

TEST_CASE("shared memory serves 32 words of different banks at once") {
    const auto passes = [](u32 stride, u32 width, Mask lanes = ~0u) {
        std::array<u32, warp_lanes> address;
        for (u32 i = 0; i < warp_lanes; ++i) address[i] = stride * i;
        return bank_passes(lanes, address, width);
    };
    CHECK(passes(4, 4) == 1);
    CHECK(passes(0, 4) == 1); // one word for all
    CHECK(passes(1, 1) == 1);
    CHECK(passes(8, 4) == 2);
    CHECK(passes(128, 4) == 32);
    CHECK(passes(132, 4) == 1); // padded rows
    CHECK(passes(8, 8) == 2);
    CHECK(passes(128, 4, 0xff) == 8);

    Machine m;
    Block block(m.run);
    const auto tile = block.shared<float>(1024);
    block.each([&](Warp& w) { w.store(Site::a, tile, w.tx() << 5 & 1023, as<float>(w.tx())); });
    block.barrier();
    float sum = 0;
    block.each([&](Warp& w) { sum += w.load(Site::b, tile, w.tx() << 5 & 1023)[0]; });
    block.end();
    auto ops = m.ops();
    std::erase_if(ops, [](const auto& op) { return op.kind != WarpOpKind::shared; });
    REQUIRE(ops.size() == 2);
    CHECK(ops[0].passes == 32);
    CHECK_FALSE(ops[0].has_result);
    CHECK(ops[1].has_result);
    CHECK(sum == 64); // the second warp's 32 stands where the first's 0 did
}

TEST_CASE("an operand of a matrix operation has 16 bytes in each lane") {
    Machine m;
    Block block(m.run);
    const auto tile = block.shared<u64>(512);
    block.each([&](Warp& w) {
        const auto lane = w.lane();
        w.load_fragment(Site::a, tile, lane * 2u, 0);
        w.load_fragment(Site::b, tile, lane << 4, 0); // rows of 128 bytes
    });
    block.end();
    auto ops = m.ops();
    std::erase_if(ops, [](const auto& op) { return op.kind != WarpOpKind::shared; });
    REQUIRE(ops.size() == 2);
    CHECK(ops[0].has_result);
    CHECK(ops[0].passes == 4);
    CHECK(ops[1].passes == 32);
}

TEST_CASE("data of an asynchronous copy are in shared memory after the wait for its group") {
    Machine m;
    Block block(m.run);
    std::vector<float> from(256);
    for (u32 i = 0; i < 256; ++i) from[i] = static_cast<float>(i + 1);
    const Array<float> array {4096, from.data(), from.size()};
    const auto tile = block.shared<float>(256);
    std::vector<float> seen;
    block.each([&](Warp& w) {
        if (w.index() > 0) return;
        const auto place = w.lane() * 4u;
        for (u32 i = 0; i < 2; ++i) {
            w.copy(Site::a, tile, place, array, place,
                   {.elements = 4, .plus = 128 * i, .to_plus = 128 * i});
            w.commit_copies();
        }
        seen = {tile.data[0], tile.data[128]};
        w.wait_copies(1);
        seen.insert(seen.end(), {tile.data[5], tile.data[128]});
        w.wait_copies(0);
        seen.insert(seen.end(), {tile.data[255]});
        w.copy(Site::b, tile, place, array, place + 1u, {.to_plus = 128}); // 4 bytes a lane
    });
    block.end();
    CHECK(seen == std::vector<float> {0, 0, 6, 0, 256});
    auto ops = m.ops();
    std::vector<u64> waits;
    for (const auto& op : ops)
        if (op.waits) waits.push_back(op.waits);
    CHECK(waits[0] == 0b10); // for the first of two
    CHECK(waits[1] == 0b01);
    std::erase_if(ops, [](const auto& op) { return op.kind != WarpOpKind::load; });
    REQUIRE(ops.size() >= 3);
    CHECK((ops[0].copy && ops[1].copy && ops[2].copy));
    CHECK((ops[0].width == 16 && ops[2].width == 4));
    CHECK(ops[1].address[31] == 4096 + 4 * (128 + 4 * 31));
}

TEST_CASE("a bulk copy is one operation of one thread, and its data come with its barrier") {
    Machine m;
    Block block(m.run);
    std::vector<u64> from(1024);
    for (u32 i = 0; i < 1024; ++i) from[i] = i;
    const Array<u64> array {1 << 16, from.data(), from.size()};
    const auto tile = block.shared<u64>(64);
    TransactionBarrier& barrier = block.transaction_barrier();
    std::vector<u64> seen;
    block.each([&](Warp& w) {
        if (w.index() == 0)
            w.bulk_copy(Site::a, barrier, tile, 8, array, 100 * 2,
                        {.rows = 3, .columns = 8, .pitch = 64, .to_pitch = 10});
        seen.push_back(tile.data[8]);
        w.wait_barrier(barrier);
    });
    block.end();
    CHECK(seen[0] == 0);
    CHECK(tile.data[8] == 200);
    CHECK(tile.data[8 + 2 * 10 + 7] == 200 + 2 * 64 + 7);
    CHECK(tile.data[16] == 0);
    auto ops = m.ops();
    const auto copy = std::ranges::find(ops, WarpOpKind::bulk_copy, &gpu_program::WarpOp::kind);
    REQUIRE(copy != ops.end());
    CHECK(copy->mask == 1);
    CHECK(copy->tile.address == (1 << 16) + 8 * 200);
    CHECK((copy->tile.rows == 3 && copy->tile.row_bytes == 64 && copy->tile.pitch == 512));
    const auto wait = std::ranges::find(ops, WarpOpKind::await, &gpu_program::WarpOp::kind);
    REQUIRE(wait != ops.end());
    CHECK(wait->awaited.bytes == 3 * 64);
    CHECK(wait->awaited.arrivals == 0);
}

TEST_CASE("a wait at a transaction barrier is for the arrivals that the code has stated before") {
    Machine m;
    Block block(m.run);
    TransactionBarrier& barrier = block.transaction_barrier();
    std::vector<u32> words(64);
    const Array<u32> array {1 << 16, words.data(), words.size()};
    block.each([&](Warp& w) {
        const auto read = w.load(Site::a, array, w.lane());
        w.if_(w.lane() < 5u, [&] { w.arrive(barrier, read); });
        w.wait_barrier(barrier);
        w.arrive(barrier);
    });
    block.end();
    const auto ops = m.ops();
    const auto arrival = std::ranges::find(ops, WarpOpKind::arrive, &gpu_program::WarpOp::kind);
    REQUIRE(arrival != ops.end());
    CHECK(arrival->mask == 0b11111);
    CHECK(arrival->waits == 1); // for the load
    const auto wait = std::ranges::find(ops, WarpOpKind::await, &gpu_program::WarpOp::kind);
    REQUIRE(wait != ops.end());
    CHECK(wait->awaited.arrivals == 5);
    CHECK(std::next(wait)->kind == WarpOpKind::arrive);
}

TEST_CASE("more shared memory than the kernel states fails an assertion") {
    Machine m;
    Block block(m.run);
    block.shared<u32>(1000);
    CHECK_THROWS_AS(block.shared<u32>(25), Panic);
}

TEST_CASE("an index past the end of an array fails an assertion") {
    Machine m;
    DeviceMemory memory;
    auto data = memory.zeroed<u32>("data", 39);
    CHECK_THROWS_AS(m.each([&](Warp& w) { w.load(Site::a, data, w.thread()); }), Panic);
}

TEST_CASE("a block that never ends is stopped") {
    Machine m;
    DeviceMemory memory;
    auto flag = memory.zeroed<u32>("flag", 1);
    const std::string error = error_of([&] {
        m.each([&](Warp& w) {
            w.while_([&] { return w.load(Site::a, flag, Lanes<u32> {}) == 0u; }, [] {});
        });
    });
    CHECK(error.starts_with("block 0 of kernel test exceeded the limit of 1000 operations"));
}

} // namespace memsim::simt_test
