#include "gpu/dispatch/local_pools.hh"
#include "gpu/dispatch/occupancy.hh"
#include "gpu/dispatch/partition.hh"

#include <catch2/catch.hpp>

namespace memsim::dispatch_parts_test {

/// What a dispatcher is made of, each part alone.
using namespace memsim::gpu;

namespace {

/// A launch of blocks of so many threads.
protocol::LaunchReply launch(std::uint32_t threads, std::uint32_t registers = 0,
                             std::uint32_t shared = 0) {
    return {false, 0, 1, 1, threads, registers, shared};
}

/// A program whose addresses grow by its local memory.
struct Growing final : gpu_program::KernelSource {
    bool next_launch(gpu_program::Launch&) override { return false; }
    void run_block(gpu_program::u32, gpu_program::BlockStreams&) override {}
    gpu_program::u64 footprint_bytes() const override { return data + reserved; }
    gpu_program::u64 local_bytes() const override { return local; }
    void reserve_local(gpu_program::u64 bytes) override { reserved = bytes; }
    const std::vector<gpu_program::Allocation>& allocations() const override { return none; }
    gpu_program::u64 result_digest() const override { return 0; }
    void save(Saver&) const override {}
    void load(Loader&) override {}

    std::uint64_t data = 1 << 20, local = 8, reserved = 0;
    std::vector<gpu_program::Allocation> none;
};

} // namespace

TEST_CASE("The scarcest of slots, warps, registers and shared memory limits the blocks of an SM",
          "[dispatch_parts]") {
    const OccupancyParams params; // 48 warps, 8 blocks, 32768 registers, 48 KiB
    const Occupancy sm(params);
    const auto blocks = [&](const protocol::LaunchReply& l) { return sm.room(sm.need(l, 0, "")); };
    CHECK(blocks(launch(32)) == 8);                        // slots
    CHECK(blocks(launch(256)) == 6);                       // 8 warps each
    CHECK(blocks(launch(257)) == 5);                       // 9 warps
    CHECK(blocks(launch(256, 32)) == 4);                   // 8192 registers each
    CHECK(blocks(launch(32, 0, 16384)) == 3);              // shared memory
    CHECK(blocks(launch(32, 0, 16385)) == 2);              // rounded up to 128 B
    CHECK(sm.need(launch(33, 1), 0, "").registers == 128); // two warps of 64
    CHECK(sm.need(launch(65, 1), 0, "").registers == 256); // three warps, rounded up to four
    Resources used;
    const Resources block = sm.need(launch(256, 32), 0, "");
    used.take(block);
    CHECK(sm.room(used, block) == 3);
    CHECK_FALSE(used.none());
    used.give_back(block);
    CHECK(used.none());
}

TEST_CASE("A block that fits in no SM is refused with its figures", "[dispatch_parts]") {
    const OccupancyParams params;
    const Occupancy sm(params);
    CHECK_THROWS_WITH(sm.need(launch(1536, 22), 3, "d"),
                      Catch::Matchers::StartsWith("d: a block of 1536 threads with 22 registers "
                                                  "each and 0 bytes of shared memory (launch 1 of "
                                                  "application 3) does not fit in an SM of 48"));
    CHECK_NOTHROW(sm.need(launch(1536, 20), 3, "d")); // 48 x 640 registers
}

TEST_CASE("SMs are split as evenly as possible, as configured, or shared", "[dispatch_parts]") {
    PartitionParams p;
    p.applications.parse("3");
    using Ranges = std::vector<SmRange>;
    CHECK(split_sms(p, 8, "d") == Ranges {{0, 3}, {3, 6}, {6, 8}});
    p.sm_split.parse("1, 5,2");
    CHECK(split_sms(p, 8, "d") == Ranges {{0, 1}, {1, 6}, {6, 8}});
    CHECK_THROWS_WITH(
        split_sms(p, 9, "d"),
        "d.sm_split: '1, 5,2' is for 3 applications and 8 SMs, but there are 3 and 9");
    p.sm_split.parse("");
    p.partition.parse("shared");
    CHECK(split_sms(p, 8, "d") == Ranges {{0, 8}, {0, 8}, {0, 8}});
}

TEST_CASE("Applications are placed one after the other, aligned, or at given addresses",
          "[dispatch_parts]") {
    AddressParams p;
    const std::vector<std::uint64_t> footprints {5000, 1, 4096};
    using Bases = std::vector<std::uint64_t>;
    CHECK(place_applications(p, footprints, "d") == Bases {0, 8192, 12288});
    p.bases.parse("1MiB,0B,4KiB");
    CHECK(place_applications(p, footprints, "d") == Bases {1 << 20, 0, 4096});
    p.bases.parse("0B");
    CHECK_THROWS_WITH(place_applications(p, footprints, "d"),
                      "d.bases: '0B' has 1 addresses for 3 applications");
    p.translated.parse("true");
    CHECK_THROWS_WITH(place_applications(p, footprints, "d"),
                      "d.bases: an MMU places pages: leave it empty");
    p.bases.parse("");
    CHECK(place_applications(p, footprints, "d") == Bases {0, 0, 0});
}

TEST_CASE("A pool of local memory lies before those of other kinds, and is found again",
          "[dispatch_parts]") {
    Growing program;
    const LocalLayout layout {2, 4};
    CHECK(layout.warp() == 2 * 128);
    CHECK(layout.row() == 4 * 2 * 128);
    const std::uint64_t data = program.data, pool = 2 * layout.row(); // two words a thread
    LocalPools pools;
    CHECK(pools.place(program, 48, layout) == data);
    CHECK(program.reserved == pool);
    CHECK(pools.place(program, 32, layout) == data); // the memory grows: its end is the first's
    CHECK(program.reserved == 2 * pool);
    CHECK(pools.place(program, 48, layout) == data + pool);
    CHECK(program.reserved == 2 * pool);
    program.local = 0;
    CHECK(pools.place(program, 7, layout) == 0);
}

} // namespace memsim::dispatch_parts_test
