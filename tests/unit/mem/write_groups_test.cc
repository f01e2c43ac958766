#include "core/machine/machine.hh"
#include "mem/page_cache/write_groups.hh"

#include <catch2/catch.hpp>

/// Dirty units that are written to a drive with others of their range, without the DRAM and drive.
namespace memsim::mem::write_groups_test {

namespace {

/// Eight frames of 512 bytes; groups of four units. Frame i receives the i-th unit.
struct Bench final : PagedDram::Owner {
    Machine m;
    Simulation* const simulation = &m.sim();
    Policy<device_parts::PagePolicy> policy;
    device_parts::Residency resident;
    PagedDram::State dram_state;
    PagedDram dram {{0, 512, 128, 4}, SimulationRef(simulation), dram_state, *this};
    DriveUnits::State drive_state;
    DriveUnits drive {{0, 512, 512, 1, 8}, drive_state};
    WriteGroups::State state;
    WriteGroups groups {{4, 16}, {m.sim().contents(), resident, dram, drive}, state};

    Bench() {
        policy.make("lru", "bench.replacement", 1);
        resident.resize(8, *policy);
    }
    PagedDram::Transfer& transfer(std::uint32_t f) override { return *groups.transfer(f); }
    void sent(std::uint32_t) override {}
    void done(std::uint32_t) override {}
    void copied_in(std::uint32_t) override {}
    void copied_out(std::uint32_t) override {}

    std::uint32_t hold(std::uint64_t unit, bool dirty) {
        const std::uint32_t f = resident.claim(unit, device_parts::AskedBy::demand).frame;
        resident.arrive(f);
        resident.use(f, dirty);
        return f;
    }
    /// The next request to the drive: its first unit and their number.
    std::pair<std::uint64_t, std::uint64_t> written() {
        REQUIRE(drive.any());
        const protocol::BlockRequest r = drive.next();
        CHECK(r.op == protocol::BlockOp::write);
        return {r.sector, r.sectors};
    }
};
using Run = std::pair<std::uint64_t, std::uint64_t>;

} // namespace

TEST_CASE("Dirty units of a group are written with an evicted one, in runs", "[page_cache]") {
    Bench b;
    b.hold(3, true); // another group
    const std::uint32_t near = b.hold(5, true), clean = b.hold(6, false), far = b.hold(7, true);
    const std::uint64_t group = b.groups.begin(4);
    CHECK(b.state.units_cleaned == 2);
    CHECK(b.groups.cleans(near));
    CHECK_FALSE(b.groups.cleans(clean));
    CHECK_FALSE(b.resident[far].dirty);
    CHECK(b.resident[far].pins == 1);

    CHECK(b.groups.copied_out(far));
    CHECK_FALSE(b.groups.copied_out(far)); // no longer read out
    b.groups.read_out(group, 4, {});
    CHECK_FALSE(b.drive.any()); // unit 5 is missing
    CHECK(b.groups.copied_out(near));
    CHECK(b.written() == Run {4, 2});
    CHECK(b.written() == Run {7, 1});
    CHECK_FALSE(b.drive.any());
}

TEST_CASE("A unit with outstanding requests or in transfer does not join a group", "[page_cache]") {
    Bench b;
    b.resident.pin(b.hold(1, true));
    b.resident.claim(2, device_parts::AskedBy::demand); // being read
    const std::uint64_t group = b.groups.begin(0);
    CHECK(b.state.units_cleaned == 0);
    b.groups.read_out(group, 0, {});
    CHECK(b.written() == Run {0, 1});
    CHECK(b.groups.begin(4) != group);
}

} // namespace memsim::mem::write_groups_test
