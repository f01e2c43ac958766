#include "flash/drive/announcements.hh"
#include "flash/drive/commands.hh"
#include "flash/drive/dram.hh"
#include "flash/drive/page_cache.hh"
#include "flash/ftl/collections.hh"
#include "flash/ftl/drive_shape.hh"
#include "flash/ftl/map_cache.hh"
#include "flash/ftl/page_jobs.hh"
#include "support.hh"

namespace memsim::drive_parts_test {

using namespace memsim::flash;
using test_flash::value;

TEST_CASE("A drive's DRAM serves accesses one after the other and gains no time in a pause",
          "[flash]") {
    DriveDramState state;
    DriveDram dram(10_ns, Rate {300'000'000}, state); // 512 B take 1706.67 ns
    dram.use(7, 1, 512, 0);
    dram.use(8, 2, 1024, 0);
    CHECK(dram.next() == 1'716'666'666);
    unsigned ended = 0;
    dram.finish(dram.next() - 1, [&](const DramTransfer&) { ++ended; });
    CHECK(ended == 0);
    const Tick second = 10'000'000 * 2 + 5'120'000'000; // both together: no remainder is lost
    dram.finish(dram.next(), [&](const DramTransfer& t) {
        ++ended;
        CHECK(t.command == 7);
    });
    CHECK(ended == 1);
    CHECK(dram.next() == second);
    dram.finish(second, [&](const DramTransfer& t) { CHECK(t.sectors == 2); });
    CHECK(dram.next() == 0);
    dram.use(9, 1, 512, 2 * second);
    CHECK(dram.next() == 2 * second + 1'716'666'666);
}

TEST_CASE("A drive's command is answered in its queue when all its sectors are complete",
          "[flash]") {
    DriveCommandsState state;
    DriveCommands commands(state);
    commands.reset(2, 2);
    const std::uint32_t a = commands.create({}, 1, 5), b = commands.create({}, 1, 6);
    CHECK(commands.full());
    commands[a].left = 8, commands[b].left = 1;
    CHECK_FALSE(commands.done(a, 7));
    CHECK(commands.done(b, 1));
    CHECK(commands.done(a, 1));
    CHECK_FALSE(commands.has_answer(0));
    CHECK(commands.take_answer(1).arrived == 6); // as they were done
    CHECK(commands.take_answer(1).arrived == 5);
    CHECK(commands.under_way() == 0);
    CHECK_FALSE(commands.has_answer(1));
}

TEST_CASE("A completed command counts with its kind, its bytes and its time", "[flash]") {
    DriveCommandStats stat;
    const auto command = [](protocol::BlockOp op, std::uint64_t sectors) {
        DriveCommand c;
        c.request.op = op;
        c.request.sectors = sectors;
        c.arrived = 100;
        return c;
    };
    stat.count(command(protocol::BlockOp::read, 2), 130);
    stat.count(command(protocol::BlockOp::write, 1), 170);
    stat.count(command(protocol::BlockOp::trim, 8), 180);
    stat.count(command(protocol::BlockOp::flush, 0), 190);
    CHECK(value(stat.reads) == 1);
    CHECK(value(stat.writes) == 1);
    CHECK(value(stat.trims) == 1);
    CHECK(value(stat.flushes) == 1);
    CHECK(value(stat.read_bytes) == 1024);
    CHECK(value(stat.write_bytes) == 512);
    CHECK(stat.read_latency.count() == 1);
    CHECK(stat.read_latency.sum() == 30);
    CHECK(stat.write_latency.sum() == 70);
}

TEST_CASE("Only tasks of enough planes are announced, and begin after the announcement",
          "[flash]") {
    TaskLoad load;
    TaskAnnouncements announcements(Time {50}, 2, load);
    CHECK(announcements.may_begin(1, 1000)); // one plane of two: no announcement
    CHECK_FALSE(load.severe);
    CHECK_FALSE(announcements.may_begin(2, 1000));
    CHECK(load.severe);
    CHECK(announcements.begin_at() == 1050);
    CHECK_FALSE(announcements.due_may_begin(2, 1049));
    CHECK(announcements.due_may_begin(2, 1050));
    CHECK(announcements.due_may_begin(1, 1049)); // the other plane has none any more
    CHECK(announcements.may_begin(2, 1050));
    TaskLoad other;
    TaskAnnouncements each(Time {50}, 0, other); // a share of 0 %: each task is announced
    CHECK_FALSE(each.may_begin(1, 1000));
}

TEST_CASE("A task that begins is reported to observers with room for the report", "[flash]") {
    struct Observer {
        bool room = true;
        std::vector<protocol::DriveTask> seen {};
        bool can_send() const { return room; }
        void send(const protocol::DriveTask& t) { seen.push_back(t); }
    };
    std::vector<Observer> observers {{}, {false}, {}};
    FtlBlock block;
    block.valid = 3;
    TaskAnnouncements::begins(observers, {10, 20, 5}, 7, block, true);
    CHECK(observers[1].seen.empty());
    for (const Observer& o : {observers[0], observers[2]}) {
        REQUIRE(o.seen.size() == 1);
        CHECK(o.seen[0].expected == 3 * (10 + 20) + 5);
        CHECK(o.seen[0].plane == 7);
        CHECK(o.seen[0].kind == protocol::DriveTaskKind::levelling);
    }
}

TEST_CASE("Jobs wait for their channel, or for a page of their plane", "[flash]") {
    PageJobsState state;
    PageJobs jobs(state);
    jobs.reset(3, 2);
    for (std::uint32_t i = 0; i < 4; ++i) jobs.create({.kind = JobKind::read});
    jobs.send(0, 2), jobs.send(1, 0), jobs.send(2, 2);
    std::vector<std::uint32_t> sent;
    unsigned room = 2; // of channel 2
    const auto none_held = [](unsigned, std::uint32_t) { return false; };
    jobs.send_waiting([&](unsigned c) { return c == 2 && room > 0; }, none_held,
                      [&](unsigned, std::uint32_t j) { sent.push_back(j), --room; });
    CHECK(sent == std::vector<std::uint32_t> {0, 2});
    jobs.send_waiting([&](unsigned) { return true; }, none_held,
                      [&](unsigned c, std::uint32_t j) {
                          sent.push_back(j);
                          CHECK(c == 0);
                      });
    CHECK(sent.back() == 1);
    CHECK(state.waiting == 0);

    CHECK(jobs.wait_for_room(0, 1));
    CHECK(jobs.wait_for_room(1, Job::none));
    CHECK(jobs.wait_for_room(3, 0));
    sent.clear();
    jobs.room_made(1, [&](std::uint32_t j) {
        sent.push_back(j);
        CHECK_FALSE(jobs.wait_for_room(j, 1)); // one request each
    });
    CHECK(sent == std::vector<std::uint32_t> {0, 1});
    CHECK(jobs.waiting_for_block() == 3);
    jobs.finish(3);
    CHECK(jobs.create({}) == 3);
}

TEST_CASE("The policy of the map's cache selects its victims", "[flash]") {
    const auto [policy, gone] =
        GENERATE(table<std::string, std::uint32_t>({{"lru", 2}, {"fifo", 1}}));
    MapCacheState state;
    state.replacement.make(policy, "", 1);
    MapCache map(2, 4, state);
    map.insert(1), map.insert(2);
    CHECK(map.use(1) == MapCache::Found::here);
    CHECK_FALSE(map.too_full());
    map.insert(3);
    REQUIRE(map.too_full());
    CHECK(map.evict() == device_parts::no_link);
    CHECK(map.use(gone) == MapCache::Found::nothing);
    CHECK(map.use(3 - gone) == MapCache::Found::here);
    CHECK(map.size() == 2);
    // One on its way does not count, and is not thrown out.
    bool read = false;
    map.await(9, 5, read);
    CHECK(read);
    CHECK(map.size() == 2);
    CHECK(map.use(9) == MapCache::Found::awaited);
    // Of the entries that change, all of a translation page go to the flash at once.
    map.change(3), map.change(3 - gone);
    map.insert(8);
    CHECK(map.evict() == 0);
    map.insert(10);
    CHECK(map.evict() == device_parts::no_link); // clean before
}

TEST_CASE("An entry changed while its page is read is written back", "[flash]") {
    MapCacheState state;
    state.replacement.make("fifo", "", 1);
    MapCache map(1, 4, state);
    bool read = false;
    map.await(9, 5, read);
    map.change(9);
    map.arrived(2, [](std::uint32_t) {});
    map.insert(20);
    CHECK(map.evict() == 2);
    map.insert(30);
    CHECK(map.evict() == device_parts::no_link); // 20 was never changed
}

TEST_CASE("The policy of a drive's cache selects clean victims; dirty pages stay", "[flash]") {
    const auto [policy, gone] =
        GENERATE(table<std::string, std::uint32_t>({{"lru", 2}, {"fifo", 1}}));
    PageCacheState state;
    state.replacement.make(policy, "", 1);
    PageCache cache(2, false, state);
    for (const std::uint32_t lpn : {1, 2}) cache.fill(cache.create(lpn), 1);
    cache.touch(cache.find(1));
    cache.fill(cache.create(3), 1);
    CHECK(cache.find(gone) == device_parts::no_link);
    CHECK(cache.find(3 - gone) != device_parts::no_link);
    cache.write(cache.find(3), 1);
    cache.write(cache.find(3 - gone), 1);
    CHECK(cache.full());
    CHECK(cache.create(4) == device_parts::no_link);
    const std::uint32_t oldest = cache.oldest_dirty();
    cache.take_off(oldest);
    CHECK(cache.create(4) == device_parts::no_link); // on its way, it stays
    cache.land(oldest, true);
    CHECK(cache.create(4) == oldest);
    cache.fill(oldest, 1);
    cache.trim(oldest, 1);
    CHECK(cache.find(4) == device_parts::no_link);
    CHECK(cache.size() == 1);
    CHECK(state.replacement->evict({9}, state.residents) ==
          device_parts::PagePolicy::none); // forgotten
}

TEST_CASE("A collection limits concurrent moves and erases when no read is outstanding",
          "[flash]") {
    FtlState state;
    Ftl ftl({{{1, 1, 1, 1, 8, 4}, {0}, 20, 0, 0}, true, true}, state);
    ftl.init();
    for (std::uint32_t lpn = 0; lpn < 4; ++lpn)
        ftl.commit(lpn, ftl.allocate(0, Frontier::host, lpn), ~0u);
    ftl.commit(1, ftl.allocate(0, Frontier::host, 1), ~0u); // page 1 is elsewhere
    std::vector<Collection> blocks(2);                      // one or two of the plane at a time
    const unsigned at_once = GENERATE(1u, 2u);
    Collections c(2, at_once, blocks);
    std::vector<std::uint32_t> moved;
    const auto go_on = [&] {
        bool erased = false;
        c.issue_operations(
            0, ftl,
            [&](std::uint32_t page, std::uint32_t lpn, bool first) {
                CHECK(first == moved.empty());
                CHECK(page == lpn);
                moved.push_back(lpn);
            },
            [&](std::uint32_t record, bool first) {
                CHECK(first == moved.empty());
                CHECK(record == 0);
                erased = true;
            });
        return erased;
    };
    CHECK_FALSE(go_on()); // nothing is collected
    c.begin(0, 0, false);
    CHECK_FALSE(go_on());
    CHECK(moved == std::vector<std::uint32_t> {0, 2});
    c.of(0, 0).moving -= 2;
    ftl.hold(3);
    CHECK_FALSE(go_on());
    CHECK(moved.back() == 3);
    --c.of(0, 0).moving;
    CHECK_FALSE(go_on()); // page 3 is being read
    ftl.release(3);
    CHECK(go_on());
    CHECK_FALSE(go_on()); // once
    CHECK(c.active(0) == 1);
    c.of(0, 0).record = Collection::none;
    CHECK(c.active(0) == 0);
}

TEST_CASE("The host's pages, the map's and the free blocks of a drive", "[flash]") {
    FlashShape shape; // 8 x 4 x 2 x 2 planes of 2048 blocks of 256 pages, 7 % over-provisioned
    const auto never_refuses = [](const char* p, const std::string& s) { FAIL(p << s); };
    const DriveSpace s(shape, 1365, 5_pct, 0_pct, 2, 4, never_refuses);
    CHECK(s.host_pages == 62'411'243); // 0.93 x 67,108,864, rounded down
    CHECK(s.map_pages == 45'723);
    CHECK(s.free_blocks == 102);
    CHECK(DriveSpace(shape, 1365, 5_pct, 0_pct, 103, 4, never_refuses).free_blocks == 103);
}

} // namespace memsim::drive_parts_test
