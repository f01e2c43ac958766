#include "workload/simt/lockstep.hh"
#include "workload/simt/serial_launch.hh"

#include <catch2/catch.hpp>

#include <algorithm>

namespace memsim::workload::serial_groups_test {

namespace {

using gpu_program::WarpOp;
using gpu_program::WarpOpKind;
using gpu_program::WarpStreamReader;
using gpu_program::WarpStreamWriter;
using Addresses = WarpStreamWriter::Addresses;

/// Streams of a work-group of one warp.
template <class F>
GroupOperations group(F write, u32 warps = 1) {
    std::vector<std::vector<u8>> streams(warps);
    gpu_program::StreamCounts counts;
    for (u32 w = 0; w < warps; ++w) {
        WarpStreamWriter writer(streams[w], counts);
        write(writer, w);
        writer.exit(~0u);
    }
    GroupOperations g;
    g.decode(streams);
    return g;
}
Addresses strided(u64 first, u64 stride) {
    Addresses a;
    for (u32 i = 0; i < gpu_program::warp_lanes; ++i) a[i] = first + stride * i;
    return a;
}
std::vector<WarpOp> operations(const std::vector<u8>& bytes) {
    std::vector<WarpOp> all;
    u64 position = 0;
    WarpStreamReader reader(bytes, position);
    for (WarpOp op; reader.next(op);) all.push_back(op);
    return all;
}
/// Thread `thread` of each group in lockstep.
std::vector<WarpOp> in_lockstep(const std::vector<GroupOperations>& groups, u32 thread) {
    std::vector<u8> bytes;
    gpu_program::StreamCounts counts;
    WarpStreamWriter writer(bytes, counts);
    Lockstep lockstep(writer, static_cast<u32>(groups.size()));
    std::vector<Lockstep::Item> items;
    for (const GroupOperations& g : groups) items.push_back({g.phase(0, 0), thread});
    lockstep.run(items, 0);
    writer.flush();
    return operations(bytes);
}

} // namespace

TEST_CASE("Work-groups are distributed over hardware threads, each once", "[workload]") {
    for (const u32 groups : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 1000u})
        for (const GroupOrder order : {GroupOrder::chunks, GroupOrder::interleaved}) {
            const SerialLaunch s = SerialLaunch::of(groups, 4, 2);
            std::vector<u32> seen;
            for (u32 b = 0; b < s.blocks(); ++b)
                for (u32 lane = 0; lane < 2; ++lane)
                    if (const u32 g = s.group(b, lane, 2, order); g != SerialLaunch::none)
                        seen.push_back(g);
            std::sort(seen.begin(), seen.end());
            REQUIRE(seen.size() == groups);
            for (u32 g = 0; g < groups; ++g) CHECK(seen[g] == g);
            CHECK(s.warps <= 4);
        }
    const SerialLaunch s = SerialLaunch::of(64, 4, 2); // eight for each of eight threads
    CHECK(s.group(0, 1, 2, GroupOrder::chunks) == 8);
    CHECK(s.group(4, 1, 2, GroupOrder::chunks) == 9); // its next round
    CHECK(s.group(0, 1, 2, GroupOrder::interleaved) == 1);
    CHECK(s.group(4, 1, 2, GroupOrder::interleaved) == 9);
}

TEST_CASE("Lanes with equal operations issue together", "[workload]") {
    std::vector<GroupOperations> groups;
    for (u64 base : {0, 4096})
        groups.push_back(group([&](WarpStreamWriter& w, u32) {
            w.compute(~0u, 3);
            w.access(WarpOpKind::load, 16, ~0u, 4, strided(base, 4));
            w.compute(~0u, 1, 1);
            w.access(WarpOpKind::store, 32, ~0u, 4, strided(base + 256, 4), nullptr, 0);
        }));
    const auto ops = in_lockstep(groups, 5);
    REQUIRE(ops.size() == 4);
    CHECK(ops[0].instructions == 3);
    CHECK(ops[1].mask == 3);
    CHECK(ops[1].address[0] == 20);
    CHECK(ops[1].address[1] == 4096 + 20);
    CHECK(ops[2].waits == 1); // the load
    CHECK(ops[3].address[1] == 4096 + 256 + 20);
}

TEST_CASE("A lane that diverges rejoins the others after the branch", "[workload]") {
    std::vector<GroupOperations> groups;
    for (const u32 mask : {~0u, 0u, ~0u})
        groups.push_back(group([&](WarpStreamWriter& w, u32) {
            w.access(WarpOpKind::load, 16, ~0u, 4, strided(0, 4));
            if (mask) w.access(WarpOpKind::load, 32, mask, 4, strided(512, 4));
            w.access(WarpOpKind::store, 48, ~0u, 4, strided(1024, 4), nullptr, mask ? 2 : 1);
        }));
    const auto ops = in_lockstep(groups, 0);
    REQUIRE(ops.size() == 3);
    CHECK(ops[0].mask == 7);
    CHECK(ops[1].mask == 5);
    CHECK(ops[2].mask == 7);
    CHECK(ops[2].waits == 2); // of each lane the first load, the second last result of the stream
}

TEST_CASE("Loop iterations are executed by the lanes in the loop", "[workload]") {
    std::vector<GroupOperations> groups;
    for (const u32 rounds : {1, 3})
        groups.push_back(group([&](WarpStreamWriter& w, u32) {
            for (u32 i = 0; i < rounds; ++i) {
                w.access(WarpOpKind::load, 16, ~0u, 4, strided(64 * i, 4));
                w.compute(~0u, 2, 1);
            }
            w.access(WarpOpKind::store, 48, ~0u, 4, strided(1024, 4));
        }));
    std::vector<u32> masks;
    for (const WarpOp& op : in_lockstep(groups, 0))
        if (op.kind != WarpOpKind::compute) masks.push_back(op.mask);
    CHECK(masks == std::vector<u32> {3, 2, 2, 3});
}

TEST_CASE("A barrier ends a phase; an idle thread has no phase", "[workload]") {
    const GroupOperations g = group(
        [](WarpStreamWriter& w, u32 warp) {
            w.access(WarpOpKind::load, 16, warp ? 1u : ~0u, 4, strided(0, 4));
            w.barrier(~0u);
            w.access(WarpOpKind::load, 32, ~0u, 4, strided(0, 4));
        },
        2);
    CHECK(g.warps() == 2);
    CHECK(g.phases() == 2);
    CHECK(g.phase(0, 1)->front().op.pc == 32);
    CHECK(g.phase(1, 2) == nullptr);
    CHECK(in_lockstep({g}, 1).size() == 1);
}

} // namespace memsim::workload::serial_groups_test
