#include "mem/page_cache/drive_units.hh"

#include <catch2/catch.hpp>

namespace memsim::drive_units_test {

/// Whole units that come from a drive and go to it.

using mem::DriveUnits;
using protocol::BlockOp;

namespace {

/// Units of 4 KiB on a drive of blocks of 512 bytes, of which unit 0 is block 16.
struct Units {
    DriveUnits::State state;
    DriveUnits units {{8192, 4096, 512, 4, 3}, state};
    std::vector<std::uint64_t> came, gone;
    void answer(std::uint32_t tag) {
        protocol::BlockResponse r;
        r.tag = tag;
        std::uint32_t next = 0;
        units.answered(
            r,
            [&](std::uint64_t unit, std::uint32_t n) {
                CHECK(n == next++);
                came.push_back(unit);
            },
            [&](std::uint64_t unit) {
                CHECK_FALSE(units.leaves(unit));
                gone.push_back(unit);
            });
    }
    /// The next request: its first unit, how many, and whether it is urgent.
    protocol::BlockRequest next(std::uint64_t unit, std::uint64_t count, BlockOp op, bool urgent) {
        REQUIRE(units.any());
        const protocol::BlockRequest r = units.next();
        CHECK(r.sector == 16 + unit * 8);
        CHECK(r.sectors == count * 8);
        CHECK(r.op == op);
        CHECK(r.urgent == urgent);
        return r;
    }
};
using List = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("Neighbours that are read one after the other are one request of a batch at most",
          "[drive_units]") {
    Units u;
    for (const std::uint64_t unit : {3, 4, 5, 6, 7}) u.units.read(unit, false); // 4 are a batch
    u.units.read(8, true);                                                      // more urgent
    u.units.read(10, true); // 9 is not requested
    const auto first = u.next(3, 4, BlockOp::read, false);
    const auto second = u.next(7, 1, BlockOp::read, false);
    const auto third = u.next(8, 1, BlockOp::read, true);
    CHECK(first.tag == 0);
    CHECK(second.tag == 1);
    CHECK(third.tag == 2);
    u.answer(second.tag);
    CHECK(u.came == List {7});
    u.answer(first.tag);
    CHECK(u.came == List {7, 3, 4, 5, 6});
    CHECK(u.next(10, 1, BlockOp::read, true).tag == 0); // given back last
    CHECK_FALSE(u.units.any());
}

TEST_CASE("Nothing joins a request that was sent, or a write", "[drive_units]") {
    Units u;
    u.units.read(1, false);
    u.next(1, 1, BlockOp::read, false);
    u.units.leave(2);
    u.units.write(2, 1, {});
    u.units.read(3, false);
    u.next(2, 1, BlockOp::write, false);
    u.next(3, 1, BlockOp::read, false);
}

TEST_CASE("A unit that is being written to the drive is read after the drive has received it",
          "[drive_units]") {
    Units u;
    u.units.leave(5);
    CHECK(u.units.leaves(5));
    CHECK_FALSE(u.units.all_there());
    u.units.read(5, false);
    u.units.read(5, false);
    CHECK_FALSE(u.units.any()); // it has not even been written
    u.units.write(5, 1, {});
    const auto write = u.next(5, 1, BlockOp::write, false);
    CHECK_FALSE(u.units.any());
    u.answer(write.tag);
    CHECK(u.gone == List {5});
    CHECK(u.units.all_there());
    u.answer(u.next(5, 1, BlockOp::read, true).tag); // once, and a request has waited
    CHECK(u.came == List {5});
    CHECK_FALSE(u.units.any());
    // A unit that is not requested again is not read.
    u.units.leave(6);
    u.units.write(6, 1, {});
    u.answer(u.next(6, 1, BlockOp::write, false).tag);
    CHECK_FALSE(u.units.any());
    u.units.read(6, false);
    u.next(6, 1, BlockOp::read, false);
}

} // namespace memsim::drive_units_test
