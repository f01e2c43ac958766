#include "zng/package/answers.hh"
#include "zng/package/page_reads.hh"
#include "zng/package/register_file.hh"
#include "zng/package/register_wires.hh"
#include "zng/package/row_decoders.hh"
#include "zng/package/stalled_writes.hh"
#include "zng/package/workers.hh"

#include <catch2/catch.hpp>

/// The parts of a package, each alone: two planes of eight blocks of four pages.
namespace memsim::zng::package::package_parts_test {

namespace {

const Numbering numbers {1, 2, 8, 4};

PageAddress page(std::uint32_t plane, std::uint32_t block, std::uint16_t number) {
    return {plane, block, 6, number};
}
Request request(std::uint32_t plane, std::uint32_t block, std::uint16_t number,
                std::uint32_t tag = 0) {
    Request r;
    r.packet.at.plane = static_cast<std::uint8_t>(plane);
    r.packet.block = block, r.packet.log_block = 6;
    r.packet.page = number;
    r.packet.tag = tag;
    r.packet.source = 7, r.packet.destination = 9;
    return r;
}
/// The error of a check of the loaded state, or "".
template <class Check>
std::string refused(Check&& check) {
    const std::string nothing;
    Loader l(nothing);
    try {
        check(l);
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}
using Catch::Contains;

struct Registers {
    RegisterState state;
    RegisterFile file;
    explicit Registers(bool grouped) : file({2, 2, grouped}, state) { file.reset(); }
    std::uint32_t take(const PageAddress& a) { return file.take(a, numbers.page(a)); }
    std::string check() {
        return refused([&](Loader& l) { file.check_loaded(l, numbers); });
    }
};

} // namespace

TEST_CASE("A page receives a register of its own plane if one is free, otherwise of another plane",
          "[zng]") {
    Registers r(true);
    const std::uint32_t a = r.take(page(1, 0, 0)), b = r.take(page(1, 0, 1)),
                        c = r.take(page(1, 0, 2));
    CHECK(r.file.plane_of(a) == 1);
    CHECK(r.file.plane_of(b) == 1);
    CHECK(r.file.plane_of(c) == 0);
    CHECK(r.file.pool(0).free == 1);
    CHECK(r.file.used() == 3);
    CHECK(r.file.find(numbers.page(page(1, 0, 2))) == c);
    r.file.write(a, 0, 15, 0); // the one written longest ago is another now
    CHECK(r.file.pool(0).written.oldest == b);
    r.file.queue(b, 5);
    CHECK(r.file.pool(0).written.oldest == c);
    CHECK(r.file.find(numbers.page(page(1, 0, 1))) == b); // still takes writes
    r.file.leave(b);
    CHECK(r.file.find(numbers.page(page(1, 0, 1))) == RegisterFile::none);
    r.file.release(b);
    CHECK(r.file.used() == 2);
    CHECK(r.check().empty());

    Registers apart(false);
    apart.take(page(1, 0, 0)), apart.take(page(1, 0, 1));
    CHECK(apart.file.pool(1).free == 0);
    CHECK(apart.file.pool(0).free == 2);
    CHECK(apart.check().empty());
}

TEST_CASE("A loaded register file with endless lists or wrong counts is rejected",
          "[zng][forging]") {
    Registers r(true);
    const std::uint32_t a = r.take(page(0, 0, 0)), b = r.take(page(0, 0, 1));
    r.state.registers[b].newer = a; // a circle: each is newer than the other
    CHECK_THAT(r.check(), Contains("registers.written"));
    r.state.registers[b].newer = RegisterFile::none;
    CHECK(r.check().empty());
    r.state.pools[0].free = 3; // of two
    CHECK_THAT(r.check(), Contains("a number of free registers that differs from its count"));
    r.state.pools[0].free = 2;
    r.state.free[1] |= 4; // a plane has two
    CHECK_THAT(r.check(), Contains("registers.free"));
}

TEST_CASE("A page is found at its last log page until the log block is erased", "[zng]") {
    flash::NandArrayState cells;
    flash::NandArray array({2, 8, 4}, cells);
    RowDecoders::State state;
    RowDecoders d({numbers, 6, 7, 0, 0, 1}, array, state);
    const PageAddress a = page(1, 2, 3);
    CHECK(d.locate(a).block == 2);
    CHECK(d.locate(a).page == 3);
    CHECK(d.programmed(numbers.page(a), 1, {6, 0}));
    CHECK_FALSE(d.programmed(numbers.page(a), 1, {6, 1})); // not the first time
    CHECK(d.locate(a).block == 6);
    CHECK(d.locate(a).page == 1);
    d.erase(0, 6); // of the other plane
    CHECK(d.locate(a).block == 6);
    d.erase(1, 6);
    CHECK(d.locate(a).block == 2);
    d.programmed(numbers.page(a), 1, {6, 0});
    d.erase(1, 2); // the data block itself
    CHECK(d.locate(a).block == 2);
}

TEST_CASE("Pages of a log block are promised until it is full; its reserve is reported once",
          "[zng]") {
    flash::NandArrayState cells;
    flash::NandArray array({2, 8, 4}, cells);
    RowDecoders::State state;
    RowDecoders d({numbers, 6, 7, 0, 0, 1}, array, state);
    const PageAddress a = page(0, 1, 0);
    for (const unsigned left : {3, 2, 1, 0}) {
        const RowDecoders::Promise p = d.promise(a);
        CHECK(p.granted);
        CHECK(p.left == left);
        CHECK(p.low == (left == 1));
    }
    CHECK_FALSE(d.promise(a).granted);
    d.take_back(a);
    CHECK(d.promise(a).granted);
    d.erase(0, 6);
    CHECK(d.promise(a).left == 3);

    // Initial log blocks are filled in part, depending on the seed; others are empty.
    RowDecoders::State full;
    RowDecoders filled({numbers, 6, 6, 4, 1, 0}, array, full);
    std::uint32_t before = 0;
    for (const std::uint32_t plane : {0, 1}) {
        filled.promise({plane, 0, 6, 0});
        if (const flash::NandBlock* const b = array.block(plane, 6)) before += b->written;
        CHECK(filled.promise({plane, 0, 7, 0}).left == 3);
    }
    CHECK(before > 0);
}

TEST_CASE("An extended log block continues in its extension when it is full", "[zng]") {
    flash::NandArrayState cells;
    flash::NandArray array({2, 8, 4}, cells);
    RowDecoders::State state;
    RowDecoders d({numbers, 6, 6, 0, 0, 1}, array, state);
    const PageAddress a = page(0, 1, 0);
    for (unsigned i = 0; i < 3; ++i) d.promise(a);
    d.extend(0, 6, 7);
    CHECK(d.promise(a).left == 4);
    for (unsigned i = 0; i < 4; ++i) {
        CHECK(d.open_block(a) == 6); // it is not full yet
        array.program(0, 6, i);
        d.programmed(numbers.page(a), 0, {6, i});
    }
    CHECK(d.open_block(a) == 7);
    array.program(0, 7, 0);
    d.programmed(numbers.page(a), 0, {7, 0});
    CHECK(d.locate(a).block == 7);
    CHECK_FALSE(d.promise(a).low); // three pages left, then two, one
    CHECK_FALSE(d.promise(a).low);
    CHECK(d.promise(a).low);
    CHECK_THROWS_AS(d.locate({0, 1, 5, 0}), Panic); // no log block of this page
    CHECK_THROWS_AS(d.extend(0, 6, 7), Panic);      // not erased
    d.erase(0, 7);
    CHECK(d.locate(a).block == 1);
    const auto check = [&] { return refused([&](Loader& l) { d.check_loaded(l); }); };
    CHECK(check().empty());
    state.logs[numbers.block(0, 6)].more.back() = 8;
    CHECK_THAT(check(), Contains("is extended by a block that does not exist"));
    state.logs[numbers.block(0, 6)].more.clear();
    CHECK_THAT(check(), Contains("more pages than its blocks"));
}

TEST_CASE("Requests for a page that has begun to move are forwarded, repeatedly if needed",
          "[zng]") {
    flash::NandArrayState cells;
    flash::NandArray array({2, 8, 4}, cells);
    RowDecoders::State state;
    RowDecoders d({numbers, 6, 7, 0, 0, 1}, array, state);
    d.begin_move(page(0, 1, 0), {1, 3, 7, 0});
    CHECK(d.forwarded(page(0, 1, 0)).block == 3);
    CHECK(d.forwarded(page(0, 1, 0)).plane == 1);
    CHECK(d.forwarded(page(0, 1, 0)).log_block == 7);
    CHECK(d.forwarded(page(0, 1, 1)).block == 1); // not begun
    CHECK_THROWS_AS(d.begin_move(page(0, 1, 2), {1, 3, 7, 2}), Panic);
    d.begin_move({1, 3, 7, 0}, {0, 5, 6, 0});
    CHECK(d.forwarded(page(0, 1, 0)).block == 5);
    d.erase(1, 3);
    CHECK(d.forwarded(page(0, 1, 0)).block == 3);
    const auto check = [&] { return refused([&](Loader& l) { d.check_loaded(l); }); };
    CHECK(check().empty());
    state.forwards[numbers.block(1, 3)] = {0, 1, 6, 1}; // back again
    CHECK_THAT(check(), Contains("pages that move in a cycle"));
    state.forwards[numbers.block(1, 3)] = {0, 8, 6, 1};
    CHECK_THAT(check(), Contains("a block that does not exist"));
}

TEST_CASE("Reads that wait for a page are served in order, by one sensing if it is shared",
          "[zng]") {
    PageReads::State state;
    PageReads reads(true, state);
    const PageAddress a = page(0, 1, 2);
    const std::uint32_t s = reads.open(a, numbers.page(a));
    for (const std::uint32_t tag : {5, 3, 4}) reads.join(s, request(0, 1, 2, tag));
    CHECK(reads.find(numbers.page(a)) == s);
    CHECK(reads.first_time(s));
    CHECK_FALSE(reads.first_time(s));
    std::vector<std::uint32_t> tags;
    reads.take_all(s, [&](const Request& r) { tags.push_back(r.packet.tag); });
    CHECK(tags == std::vector<std::uint32_t> {5, 3, 4});
    reads.hide(s), reads.close(s);
    CHECK(reads.find(numbers.page(a)) == PageReads::none);
    const std::uint32_t next = reads.open(a, numbers.page(a));
    CHECK(next == s); // its place is taken again
    reads.join(next, request(0, 1, 2)), reads.join(next, request(0, 1, 2));
    CHECK(state.reads.size() == 3);
    CHECK(refused([&](Loader& l) { reads.check_list(l, next); }).empty());
    state.reads[state.senses[next].last].next = state.senses[next].first;
    CHECK_THAT(refused([&](Loader& l) { reads.check_list(l, next); }),
               Contains("not a finite list of reads"));

    PageReads::State own;
    PageReads each(false, own);
    each.open(a, numbers.page(a));
    CHECK(each.find(numbers.page(a)) == PageReads::none);
}

TEST_CASE("A page that receives a register accepts all writes that wait for it and no other writes",
          "[zng]") {
    StalledWrites::State state;
    StalledWrites stalled(numbers, state);
    stalled.reset(1);
    stalled.add(0, request(0, 1, 0, 1));
    stalled.add(0, request(0, 1, 1, 2));
    stalled.add(0, request(0, 1, 0, 3));
    CHECK(stalled.pages(0) == 2);
    std::vector<std::uint32_t> written;
    unsigned room = 1;
    const Request* left = stalled.serve(0, [&](const Request& r) {
        const bool has = r.packet.page == 0 && room;
        if (has) written.push_back(r.packet.tag);
        return has;
    });
    REQUIRE(left);
    CHECK(left->packet.tag == 2);
    CHECK(written == std::vector<std::uint32_t> {1, 3});
    CHECK(stalled.pages(0) == 1);
    CHECK_FALSE(stalled.serve(0, [](const Request&) { return true; }));
    CHECK_FALSE(stalled.any());
}

TEST_CASE("Pages leave a plane over its wires one after the other", "[zng]") {
    RegisterWires::State state;
    RegisterWires wires(Rate {8'000'000'000}, state); // 128 bytes in 16 ns
    wires.reset(2);
    const Tick ns = 1'000'000;
    CHECK(wires.take(0, 128, 0).raw == 16 * ns);
    CHECK(wires.take(0, 128, 10 * ns).raw == 22 * ns);
    CHECK(wires.take(1, 128, 10 * ns).raw == 16 * ns); // wires of its own
    CHECK(wires.take(0, 128, 100 * ns).raw == 16 * ns);
}

TEST_CASE("A response leaves through the port of its request; reports are sent to the controller",
          "[zng]") {
    Answers::State state;
    Answers answers({2, 20, 3}, state);
    answers.reset();
    Request r = request(1, 2, 3, 77);
    r.port = 1;
    answers.accept();
    answers.answer(r, PacketKind::written);
    answers.log_low(page(0, 2, 3), numbers.place(0), 5, 2);
    answers.copy_out(1, 9, {});
    CHECK(answers.outstanding() == 1);
    const auto written = answers.pop(1);
    CHECK(written.packet.kind == PacketKind::written);
    CHECK(written.packet.tag == 77);
    CHECK(written.packet.source == 9);
    CHECK(written.packet.destination == 7);
    CHECK(answers.outstanding() == 0);
    const auto low = answers.pop(0);
    CHECK(low.packet.kind == PacketKind::log_low);
    CHECK(low.packet.page == 5);
    CHECK(low.packet.source == 20);
    CHECK(low.packet.destination == 3);
    const auto copy = answers.pop(1);
    CHECK(copy.packet.line == 9);
    CHECK(copy.packet.source == 21);
    CHECK(answers.outstanding() == 0); // neither of them ends a request
}

TEST_CASE("States of a worker; a page is programmed by one worker at a time", "[zng]") {
    Workers::State state;
    Workers dies(2, state); // two planes to a worker
    dies.reset(70);
    CHECK(dies.of_plane(129) == 64);
    dies.start_stage(64, Stage::held);
    CHECK(dies.busy() == 1);
    dies.make_idle(64);
    CHECK(dies.busy() == 0);
    std::vector<std::uint32_t> seen;
    dies.each_ready([&](std::uint32_t w) { seen.push_back(w), dies.clear_ready(w); });
    dies.mark_done(3);
    dies.each_done([&](std::uint32_t w) { seen.push_back(w); });
    dies.each_done([&](std::uint32_t w) { seen.push_back(w); });
    dies.each_ready([&](std::uint32_t w) { seen.push_back(w); });
    CHECK(seen == std::vector<std::uint32_t> {64, 3});
    CHECK_THROWS_AS(dies.mark_done(70), Panic);
    dies.leaves(1234, 64);
    CHECK(dies.programs(1234) == &dies[64]);
    dies.has_left(1234);
    CHECK_FALSE(dies.programs(1234));
}

TEST_CASE("A loaded worker whose queue lacks a queued register is rejected", "[zng][forging]") {
    Registers r(true);
    const std::uint32_t reg = r.take(page(1, 0, 0));
    PageReads::State read_state;
    PageReads reads(true, read_state);
    Workers::State state;
    Workers workers(1, state);
    workers.reset(2);
    const auto check = [&] {
        return refused([&](Loader& l) { workers.check_loaded(l, numbers, reads, r.file, 1); });
    };
    CHECK(check().empty());
    r.file.queue(reg, 0);
    CHECK_THAT(check(), Contains("lacks a register that is queued"));
    workers[0].programs.push(reg); // it is a register of plane 1's page
    CHECK_THAT(check(), Contains("not queued there, or is queued twice"));
    workers[0].programs.pop();
    workers[1].programs.push(reg);
    CHECK(check().empty());
    workers[1].programs.push(reg);
    CHECK_THAT(check(), Contains("not queued there, or is queued twice"));
}

} // namespace memsim::zng::package::package_parts_test
