#include "zng/ftl/data_ranges.hh"
#include "zng/ftl/held_applications.hh"
#include "zng/ftl/merges.hh"

#include <catch2/catch.hpp>

namespace memsim::merge_parts_test {

using namespace memsim::zng;

namespace {

/// One package of two planes: data blocks 0 to 3 of each, log blocks 4 and 5, the rest is free.
struct Blocks {
    Flash flash {1, 1, 2, 12, 4, 4096};
    MergeBlocksState state;
    MergeBlocks blocks {{flash, 4, 2, {{0, 4}, {4, 4}}}, state};
    Blocks() {
        state.logs = LogBlocks(flash, 4, 2);
        state.free = FreeBlocks(flash, 6);
        state.group_moves.assign(2, 0);
    }
};

} // namespace

TEST_CASE("A log block serves the data blocks of its application that are still there", "[zng]") {
    Blocks b;
    const std::uint32_t log = b.flash.in_group(0, 4); // of blocks 0 and 1 of plane 0
    Served s = b.blocks.served_by(log);
    CHECK(s.application == 0);
    CHECK(s.blocks == std::vector<std::uint32_t> {0, 2});
    bool opened = false;
    b.blocks.leave(log, 1);
    const BlockMove m = b.blocks.choose(0, 0, opened);
    CHECK(opened);
    CHECK(b.flash.group_of(m.to) == 1); // plane 0 has the merge itself
    CHECK(b.flash.group_of(m.to_log) == 1);
    CHECK(b.blocks.awaits_data(m.to_log));
    b.blocks.arrived(m.to_log);
    CHECK_FALSE(b.blocks.awaits_data(m.to_log));
    b.blocks.moved(m);
    CHECK(b.blocks.served_by(log).blocks == std::vector<std::uint32_t> {2});
    CHECK(b.blocks.served_by(m.to_log).blocks == std::vector<std::uint32_t> {m.to});
    CHECK(b.state.logs.log_of(m.to) == m.to_log);
    // The next uses the same log block, which then serves two; the one after opens another.
    b.blocks.leave(log, 1);
    CHECK(b.blocks.choose(2, 0, opened).to_log == m.to_log);
    CHECK_FALSE(opened);
    b.blocks.leave(log, 1);
    b.blocks.choose(m.to, 0, opened);
    CHECK(opened);
}

TEST_CASE("Room for data blocks includes the log blocks that they need", "[zng]") {
    Blocks b; // six free blocks a plane: two log blocks with two data blocks each
    CHECK(b.blocks.has_room(0, 0, 8));
    CHECK_FALSE(b.blocks.has_room(0, 0, 9));
    bool opened = false;
    b.blocks.leave(b.flash.in_group(0, 4), 1);
    const BlockMove m = b.blocks.choose(0, 0, opened);
    CHECK(b.blocks.has_room(0, 0, 7));
    CHECK_FALSE(b.blocks.has_room(0, 0, 8));
    CHECK_FALSE(b.blocks.has_room(0, 1, 7)); // another's log block has no room for it
    b.blocks.close(b.blocks.served_by(m.to_log), m.to_log);
    CHECK_FALSE(b.blocks.has_room(0, 0, 7));
}

TEST_CASE("The helper thread serves merges in turn, after all granted pages have been sent",
          "[zng]") {
    MergeTableState state;
    MergeTable table(10, 4, state);
    table.begin({100}, 0, 1).moves.resize(2);
    table.begin({200}, 0, 2).moves.resize(1);
    CHECK(table.next_step() == 8); // four pages of two blocks
    CHECK(table.stepping());
    table.step_done();
    CHECK(table.next_step() == 4);
    table.step_done();
    CHECK(table.next_step() == 0); // nothing has left
    Merge& first = state.merges[state.active[0]];
    first.moves[0].sent = 4;
    CHECK(table.next_step() == 0); // of the other block neither
    first.moves[1].sent = 4;
    CHECK(table.next_step() == 8);
    table.step_done();
    for (DataMove& m : first.moves) m.sent = 8;
    CHECK(table.next_step() == 4); // the last two of each
    table.step_done();
    CHECK(first.moves[1].granted == 10);
    table.end(state.active[0]);
    CHECK(state.active.size() == 1);
    table.begin({300}, 0, 3);
    CHECK(state.merges.size() == 2); // the place of the first
    table.begin({400}, 0, 4);
    CHECK(state.merges.size() == 3);
}

TEST_CASE("Initial data blocks of different applications do not share log blocks", "[zng]") {
    struct Pages final : protocol::HasPages {
        std::uint64_t space = 4; // blocks from one application to the next
        bool identity = true;
        std::uint64_t page_bytes() const override { return 16384; }
        std::uint64_t pages() const override { return space; }
        std::uint64_t frames() const override { return 2 * space; }
        std::optional<std::uint64_t> frame_at_start(std::uint16_t i) const override {
            return identity ? std::optional(i * space) : std::nullopt;
        }
        std::optional<std::uint64_t> frame_of(std::uint16_t, std::uint64_t) const override {
            return {};
        }
        void functional_unmapped(FunctionalAccess&) override {}
        void functional_written(FunctionalAccess&) override {}
    } mmu;
    // Two planes of four data blocks, two to a log block: rows of four blocks.
    const MergeBlocks::Config blocks {{1, 1, 2, 12, 4, 4096}, 4, 2, {}};
    const auto error = [&](const char* footprints) -> std::string {
        try {
            data_ranges(footprints, 2, blocks, mmu, "mmu");
        } catch (const ConfigError& e) {
            return e.what();
        }
        return "";
    };
    const auto ranges = data_ranges("64KiB,17KiB", 2, blocks, mmu, "mmu");
    REQUIRE(ranges.size() == 2);
    CHECK(ranges[0].blocks == 4);
    CHECK(ranges[1].first == 4);
    CHECK(ranges[1].blocks == 2);
    CHECK_THAT(error("65KiB,16KiB"), Catch::Contains("would share log blocks"));
    CHECK(error("64KiB,64KiB").empty());
    CHECK_THAT(error("64KiB,65KiB"), Catch::Contains("application 1 ends at block 9, but only 8"));
    CHECK_THAT(error("64KiB"), Catch::Contains("has 1 values for 2 applications"));
    mmu.identity = false;
    CHECK_THAT(error("64KiB,64KiB"), Catch::Contains("must place pages by identity"));
}

TEST_CASE("An application is held until the tables contain its last merge", "[zng]") {
    std::vector<HeldApplication> state(1);
    HeldApplications held(2, state);
    CHECK(held.begin_merge(0, 10));
    CHECK_FALSE(held.begin_merge(0, 20)); // it is held already
    CHECK(held.drained(0, 25).raw == 15);
    CHECK_FALSE(held.flushed(0));
    CHECK_FALSE(held.quiet(0));
    CHECK(held.flushed(0));
    CHECK(held.quiet(0));
    held.mapped(0);
    CHECK_FALSE(held.resumes(0));
    held.mapped(0);
    CHECK(held.resumes(0));
    CHECK_FALSE(held.resumes(0));

    HeldApplications without_caches(0, state);
    without_caches.begin_merge(0, 0);
    without_caches.drained(0, 1);
    CHECK(without_caches.quiet(0));
}

} // namespace memsim::merge_parts_test
