#include "flash/drive/cores.hh"
#include "flash/drive/page_spans.hh"
#include "flash/drive/writes.hh"
#include "flash/ftl/collector.hh"
#include "support.hh"

namespace memsim::back_end_parts_test {

using namespace memsim::flash;
using Numbers = std::vector<std::uint32_t>;

namespace {

/// Caches of so many entries choose by a policy where they have one.
template <class State>
void prepare(State& s, std::uint32_t entries) {
    if constexpr (requires { s.replacement; }) {
        s.replacement.make("lru", "", 1);
        s.replacement->resize(entries);
    }
}

/// 8 blocks of 4 pages in one plane; 20 pages are the host's, and 3 behind them the map's.
struct Blocks {
    FtlState state;
    Ftl ftl {{{{1, 1, 1, 1, 8, 4}, {0}, 20, 3, 0}, true, true}, state};
    PageJobsState jobs_state;
    PageJobs jobs {jobs_state};
    Contents records;
    Blocks() {
        ftl.init();
        jobs.reset(1, 1);
    }
    void write(std::uint32_t lpn) { ftl.commit(lpn, ftl.allocate(0, Frontier::host, lpn), ~0u); }
};

} // namespace

TEST_CASE("A range of sectors is a part of its first page, whole pages, and a part of its last",
          "[flash]") {
    Numbers pages, masks;
    for_each_span(30, 40, 32,
                  [&](const PageSpan& s) { pages.push_back(s.lpn), masks.push_back(s.sectors); });
    CHECK(pages == Numbers {0, 1, 2});
    CHECK(masks == Numbers {0xc0000000, 0xffffffff, 0x3f});
    const PageSpan inside = first_span(18, 3, 16);
    CHECK(inside.lpn == 1);
    CHECK(inside.sectors == 0b11100);
    CHECK(inside.count() == 3);
}

TEST_CASE("Each core takes a time per command; without a time they have no effect", "[flash]") {
    std::vector<DriveCore> state(2);
    Fifo<std::uint32_t> waiting;
    DriveCores cores(Time {100}, state, waiting);
    CHECK(cores.takes_time());
    for (const std::uint32_t c : {5, 6, 7}) cores.add(c);
    Numbers begun;
    unsigned armed = 0;
    const auto run = [&] {
        cores.start_commands([&](std::uint32_t c) { begun.push_back(c); },
                             [&](Timer&, Time t) { armed += t == Time {100}; });
    };
    run();
    CHECK(begun.empty());
    CHECK(armed == 2);
    run(); // the times of both are over
    CHECK(begun == Numbers {5, 6});
    CHECK(armed == 3);
    run();
    CHECK(begun == Numbers {5, 6, 7});
    CHECK_FALSE(DriveCores(Time {0}, state, waiting).takes_time());
}

TEST_CASE("A collection begins below the threshold, moves valid pages, erases and frees space",
          "[flash]") {
    Blocks b;
    std::vector<Collection> planes(1);
    std::uint32_t most_worn = 0;
    Policy<VictimPolicy> victim;
    victim.make("greedy", "", 1);
    const Geometry geometry {1, 1, 1, 1, 8, 4};
    FtlStats stats;
    Numbers sent, moved, begun;
    unsigned room = 0;
    bool may_begin = false;
    Collector::Tasks tasks;
    Collector c(
        {2, 1, false, 7, 7, 0},
        {stats.collections, stats.levellings, stats.moved_pages, stats.erases, stats.most_erases},
        planes, tasks, most_worn, victim, geometry, b.jobs, b.ftl, b.records,
        {[&] { return may_begin; }, [&](std::uint32_t j) { sent.push_back(j); },
         [&](std::uint32_t, const FtlBlock& block, bool) { begun.push_back(block.valid); },
         [&](std::uint32_t lpn) { moved.push_back(lpn); }, [&](std::uint32_t) { ++room; }});
    for (const std::uint32_t lpn : {0, 1, 2, 3}) b.write(lpn);
    c.check_room(0, false);
    CHECK(begun.empty()); // 7 blocks are free
    b.write(1);
    c.check_room(0, false);
    c.check_room(0, false); // due once, until it may begin
    CHECK(begun.empty());
    CHECK(tasks.due.size() == 1);
    may_begin = true;
    c.begin_due();
    c.check_room(0, false); // one at a time
    CHECK(begun == Numbers {3});
    CHECK(tasks.due.empty());
    CHECK(tasks.active == 1);
    REQUIRE(sent.size() == 2); // so many at a time
    CHECK(b.jobs[sent[0]].lpn == 0);
    CHECK(b.jobs[sent[1]].lpn == 2);
    b.write(2); // anew, while its old page is being read
    for (const std::uint32_t j : Numbers(sent)) {
        b.ftl.release(b.jobs[j].from);
        c.read(j, {});
    }
    REQUIRE(sent.size() == 3); // the other one's copy is of no use
    CHECK(b.jobs[sent[2]].stage == JobStage::program);
    c.programmed(sent[2]);
    CHECK(moved == Numbers {0});
    REQUIRE(sent.size() == 4);
    const std::uint32_t last = sent[3];
    CHECK(b.jobs[last].lpn == 3);
    b.ftl.release(b.jobs[last].from);
    c.read(last, {});
    c.programmed(last);
    REQUIRE(sent.size() == 6);
    CHECK(b.jobs[sent[5]].kind == JobKind::erase);
    CHECK(room == 0);
    c.erased(sent[5], 0);
    CHECK(room == 1);
    CHECK(tasks.active == 0);
    CHECK(most_worn == 1);
    CHECK(test_flash::value(stats.moved_pages) == 2);
    CHECK(test_flash::value(stats.erases) == 1);
    CHECK(b.jobs.under_way() == 0);
}

TEST_CASE("Two blocks of a plane are collected at once, each from when a block is taken",
          "[flash]") {
    Blocks b;
    std::vector<Collection> at_once(2);
    std::uint32_t most_worn = 0;
    Policy<VictimPolicy> victim;
    victim.make("greedy", "", 1);
    const Geometry geometry {1, 1, 1, 1, 8, 4};
    FtlStats stats;
    Numbers sent, begun;
    Collector::Tasks tasks;
    Collector c(
        {2, 2, true, 7, 7, 0},
        {stats.collections, stats.levellings, stats.moved_pages, stats.erases, stats.most_erases},
        at_once, tasks, most_worn, victim, geometry, b.jobs, b.ftl, b.records,
        {[] { return true; }, [&](std::uint32_t j) { sent.push_back(j); },
         [&](std::uint32_t, const FtlBlock& block, bool) { begun.push_back(block.valid); },
         [](std::uint32_t) {}, [](std::uint32_t) {}});
    for (const std::uint32_t lpn : {0, 1, 2, 3, 0, 1}) b.write(lpn);
    c.check_room(0, false); // too few blocks are free, but none was taken
    CHECK(begun.empty());
    c.check_room(0, true);
    CHECK(begun == Numbers {2});
    for (const std::uint32_t lpn : {4, 5, 0}) b.write(lpn); // the second block: 0, 1, 4, 5
    c.check_room(0, false);
    CHECK(tasks.active == 1);
    SECTION("a second one") {
        c.check_room(0, true);
        CHECK(begun == Numbers {2, 3});
        b.write(1), c.check_room(0, true); // no third
        CHECK(tasks.active == 2);
        // Each job is its own block's.
        REQUIRE(sent.size() == 4); // two pages of each
        for (const std::uint32_t j : Numbers(sent)) {
            b.ftl.release(b.jobs[j].from);
            c.read(j, {});
            if (b.jobs[j].stage == JobStage::program) c.programmed(j);
        }
        REQUIRE(sent.size() >= 8);
        CHECK(test_flash::value(stats.moved_pages) == 3); // 1 was written anew
    }
    SECTION("none without a free block for each") {
        while (b.ftl.free_blocks(0) > 1) b.write(5);
        c.check_room(0, true);
        CHECK(begun.size() == 1);
    }
}

namespace {

/// The map of `Blocks`, 8 entries a page, of which 2 are in the controller's memory.
struct Map : Blocks {
    MapCacheState cache;
    Counter hits {Unit::count, ""}, misses {Unit::count, ""};
    Numbers mapped, read, written;
    TranslationPages pages;
    explicit Map(bool in_flash = true)
        : pages(in_flash, true, 2, 8, 20, cache, jobs, ftl, hits, misses,
                {[this](std::uint32_t j) { mapped.push_back(jobs[j].lpn); },
                 [this](std::uint32_t lpn) { read.push_back(lpn); },
                 [this](std::uint32_t lpn) { written.push_back(lpn); }}) {
        prepare(cache, 2);
    }
    void look_up(std::uint32_t lpn) {
        pages.look_up(jobs.create({.kind = JobKind::read, .lpn = lpn}));
    }
};

} // namespace

TEST_CASE("A job waits for its translation page, which is read once for all", "[flash]") {
    Map m;
    m.look_up(2); // the translation page was never written: it is empty
    CHECK(m.mapped == Numbers {2});
    CHECK(m.read.empty());
    m.look_up(2);
    CHECK(test_flash::value(m.hits) == 1);
    CHECK(test_flash::value(m.misses) == 1);
    m.write(21); // the translation page of 8 to 15
    m.look_up(8);
    m.look_up(8);
    m.look_up(9);
    CHECK(m.read == Numbers {21});
    CHECK(m.mapped == Numbers {2, 2});
    m.pages.arrived(21);
    CHECK(m.mapped.size() == 5);
    CHECK(m.read.size() == 1);
    CHECK(m.written.empty()); // nothing was changed
}

TEST_CASE("Evicting a changed entry writes its page, again if the page is being written",
          "[flash]") {
    Map m;
    for (const std::uint32_t lpn : {1, 8, 16}) m.pages.changed(lpn);
    CHECK(m.written == Numbers {20}); // of entry 1
    m.look_up(2);                     // its page is in the controller still
    CHECK(m.read.empty());
    CHECK(m.mapped == Numbers {2});
    CHECK(m.written == Numbers {20, 21});
    m.pages.changed(2), m.pages.changed(17), m.pages.changed(18);
    CHECK(m.written == Numbers {20, 21, 22}); // 2 joins the read in progress
    m.pages.begin_write(20);
    m.pages.changed(3), m.pages.changed(19), m.pages.changed(17);
    CHECK(m.written.size() == 3);
    m.pages.written(20);
    CHECK(m.written == Numbers {20, 21, 22, 20}); // 3 was too late
    m.pages.changed(20);                          // a translation page's own place is in memory
    CHECK_FALSE(m.cache.entry_of.find(20));
}

TEST_CASE("A map completely in memory is looked up without delay", "[flash]") {
    Map m(false);
    m.look_up(2);
    m.pages.changed(2);
    CHECK(m.mapped == Numbers {2});
    CHECK(test_flash::value(m.hits) + test_flash::value(m.misses) == 0);
}

namespace {

/// A back end whose flash is a list of requests, with a cache of 4 pages of 16 sectors before it.
struct Writes : private DriveBackEnd::Front {
    FlashShape shape;
    FtlParams params;
    FtlStats stats;
    DriveBackEndState state;
    Contents records;
    DriveContentsState contents_state;
    DriveContents contents {records, 16, contents_state};
    DriveBackEnd back_end {
        shape,    params,  stats, state,
        contents, records, *this, [](const char* p, const std::string& s) { FAIL(p << s); },
        Rng()};
    DriveCommandsState commands_state;
    DriveCommands commands {commands_state};
    PageCacheState cache_state;
    PageCache cache {4, false, cache_state};
    DriveDramState dram_state;
    DriveDram dram {1_ns, Rate {1'000'000'000}, dram_state};
    Fifo<std::uint32_t> waiting;
    Counter buffer_waits {Unit::count, ""};
    Numbers flushed;
    std::vector<protocol::FlashRequest> sent;
    DriveWrites writes;

    explicit Writes(std::uint32_t stay = 0)
        : writes({16, 32, stay},
                 {waiting, commands, cache, contents, dram, back_end, records, buffer_waits},
                 [this](std::uint32_t c) { flushed.push_back(c); }) {
        prepare(cache_state, 4);
        prepare(state.map, 1);
        commands.reset(8, 1);
    }
    std::uint32_t add(protocol::BlockOp op, std::uint64_t sector = 0, std::uint32_t sectors = 0) {
        protocol::BlockRequest r;
        r.op = op, r.sector = sector, r.sectors = sectors;
        const std::uint32_t c = commands.create(r, 0, 0);
        writes.add(c);
        return c;
    }
    void destage() {
        writes.destage();
        back_end.send_waiting();
    }
    void end_programs() {
        for (const protocol::FlashRequest& r : std::exchange(sent, {}))
            back_end.answered({{}, r.tag, r.op}, 0);
    }

  private:
    void page_read(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, Contents::Id,
                   bool) override {}
    Contents::Id page_image(std::uint32_t, Contents::Id) override { return {}; }
    std::uint32_t sent_sectors(std::uint32_t cached) const override {
        return cache_state.pages[cached].flying;
    }
    void page_written(std::uint32_t cached) override { cache.land(cached, false); }
    bool can_send(unsigned) const override { return true; }
    bool can_hold(unsigned) const override { return true; }
    void send(unsigned, const protocol::FlashRequest& r) override { sent.push_back(r); }
    void look_at_flash(std::uint32_t, FunctionalAccess&) override {}
    void collects(std::uint32_t, const FtlBlock&, bool) override {}
    bool may_begin_task() override { return true; }
};

} // namespace

TEST_CASE("A write waits while the buffer is full, and so do later requests", "[flash]") {
    Writes w;
    const std::uint32_t big = w.add(protocol::BlockOp::write, 0, 40);
    const std::uint32_t small = w.add(protocol::BlockOp::write, 64, 1);
    w.writes.accept_waiting(0);
    CHECK(w.commands[big].accepted == 32); // the buffer's sectors
    CHECK(w.writes.count() == 2);
    w.writes.accept_waiting(0);
    CHECK(test_flash::value(w.buffer_waits) == 1); // once a write
    w.destage();
    REQUIRE(w.sent.size() == 2);
    CHECK(w.cache.buffered() == 32); // on the way to the flash they count
    w.end_programs();
    w.writes.accept_waiting(0);
    CHECK(w.commands[big].accepted == 40);
    CHECK(w.commands[small].accepted == 1);
    CHECK(w.writes.count() == 0);
    CHECK(w.dram_state.transfers.size() == 3);
}

TEST_CASE("A flush completes when all earlier writes are in the flash; nothing overtakes it",
          "[flash]") {
    Writes w(4); // so many dirty pages may stay
    w.add(protocol::BlockOp::write, 0, 16);
    w.writes.accept_waiting(0);
    w.destage();
    CHECK(w.sent.empty());
    const std::uint32_t flush = w.add(protocol::BlockOp::flush);
    const std::uint32_t behind = w.add(protocol::BlockOp::write, 16, 16);
    w.writes.accept_waiting(0);
    CHECK(w.flushed.empty());
    w.destage();
    REQUIRE(w.sent.size() == 1);
    w.writes.accept_waiting(0);
    CHECK(w.flushed.empty()); // on its way
    w.end_programs();
    CHECK(w.commands[behind].accepted == 0);
    w.writes.accept_waiting(0);
    CHECK(w.flushed == Numbers {flush});
    CHECK(w.commands[behind].accepted == 16);
}

} // namespace memsim::back_end_parts_test
