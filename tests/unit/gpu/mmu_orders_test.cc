#include "mmu_support.hh"

#include <algorithm>

namespace memsim::mmu_orders_test {

using namespace memsim::test_mmu;
using protocol::PageOrderKind;

namespace {
constexpr std::uint64_t KiB = 1024;
constexpr Tick us = 1'000'000'000;
} // namespace

TEST_CASE(
    "A shoot-down waits for requests already translated; later requests wait for the new mapping",
    "[mmu]") {
    Bench b("", "", 2, true, "latency=5us");
    b.run([&] {
        b.driver(0).read(0, 0);       // in memory from 0.4 to 5.4 us
        b.driver(1).read(0, 4 * KiB); // of another page
        b.mover().plan(us, PageOrderKind::unmap, 0);
        b.driver(0).read(2 * us, 64);      // its page was removed
        b.driver(1).read(2 * us, 4 * KiB); // its page is not
        b.mover().plan(10 * us, PageOrderKind::map, 0, 77);
    });
    const auto& done = b.mover().state.done;
    REQUIRE(done.size() == 2);
    // Confirmed when the answer of the first read passes the TLB.
    const Tick answer = b.driver(0).answered(0) - 1;
    CHECK(done[0].at == answer + (10_ns).raw + 1);
    CHECK(done[0].reply.frame == 0);
    // The order completes before requests that wait for the page continue.
    CHECK(done[1].at == 10 * us + 2);
    CHECK(b.driver(0).answered(1) == 10 * us + 1 + (10_ns + 833'334_fs + 5_us).raw + 1);
    CHECK(b.memory().state.seen.back().request.address == 77 * 4 * KiB + 64);
    CHECK(b.driver(1).answered(1) == 2 * us + 2 + (833'334_fs + 5_us).raw);
    CHECK(value(b.tlb(0).stat.shot_down) == 1);
    CHECK(value(b.tlb(1).stat.shot_down) == 0);
    CHECK(value(b.mmu().stat.shootdowns) == 1);
}

TEST_CASE("A range of pages is taken out and put back elsewhere", "[mmu]") {
    Bench b("", "", 1, true);
    b.run([&] {
        for (unsigned p = 0; p < 10; ++p) b.driver().read(0, p * 4 * KiB);
        b.mover().plan(10 * us, PageOrderKind::unmap, 2).pages = 5;
        b.mover().plan(10 * us, PageOrderKind::map, 2, 500).pages = 5;
        for (unsigned p = 0; p < 10; ++p) b.driver().read(20 * us, p * 4 * KiB);
    });
    std::vector<std::uint64_t> frames;
    for (const auto& s : b.memory().state.seen)
        if (s.at > 20 * us) frames.push_back(s.request.address / (4 * KiB));
    std::sort(frames.begin(), frames.end());
    CHECK(frames == std::vector<std::uint64_t> {0, 1, 7, 8, 9, 500, 501, 502, 503, 504});
    CHECK(value(b.tlb().stat.shot_down) == 5);
}

TEST_CASE("An application is held as a whole, and no other, until it is resumed as often",
          "[mmu]") {
    Bench b("", "applications=2 memory=2GiB table_base=4GiB", 2, true, "latency=5us");
    b.run([&] {
        b.driver(0).read(0, 0); // in memory from 0.4 to 5.4 us
        b.driver(1).read(0, 4 * KiB);
        b.driver(1).state.plan.entries.back().message.application = 1;
        b.mover().plan(us, PageOrderKind::hold, 0);
        b.mover().plan(6 * us, PageOrderKind::hold, 0);
        b.driver(0).read(2 * us, 64);       // its page was known
        b.driver(0).read(2 * us, 40 * KiB); // this one was not
        b.driver(1).read(2 * us, 8 * KiB);
        b.driver(1).state.plan.entries.back().message.application = 1;
        b.mover().plan(8 * us, PageOrderKind::map, 10, 77);
        b.mover().plan(9 * us, PageOrderKind::resume, 0);
        b.mover().plan(10 * us, PageOrderKind::resume, 0);
    });
    const auto& done = b.mover().state.done;
    REQUIRE(done.size() == 5);
    // Confirmed when the answer of the first read passes the TLB.
    CHECK(done[0].at == b.driver(0).answered(0) - 1 + (10_ns).raw + 1);
    const Tick resumed = 10 * us + 1 + (10_ns + 833'334_fs + 5_us).raw + 1;
    CHECK(b.driver(0).answered(1) == resumed);
    CHECK(b.driver(0).answered(2) == resumed);
    CHECK(b.memory().state.seen.back().request.address == 77 * 4 * KiB);
    CHECK(b.driver(1).answered(1) < 8 * us);
    CHECK(value(b.tlb(0).stat.shot_down) == 1);
    CHECK(value(b.tlb(1).stat.shot_down) == 0);
}

TEST_CASE("Each of several overlapping shoot-downs waits for the requests translated before it",
          "[mmu]") {
    for (const PageOrderKind second : {PageOrderKind::unmap, PageOrderKind::hold}) {
        Bench b("", "", 1, true, "latency=5us");
        b.run([&] {
            b.driver().read(0, 0); // in memory from 0.4 to 5.4 us
            b.driver().read(us, 64);
            b.mover().plan(2 * us, PageOrderKind::hold, 0);
            b.mover().plan(3 * us, second, 0);
            b.mover().plan(20 * us, PageOrderKind::resume, 0);
            if (second == PageOrderKind::hold) b.mover().plan(20 * us, PageOrderKind::resume, 0);
            if (second == PageOrderKind::unmap) b.mover().plan(20 * us, PageOrderKind::map, 0, 1);
        });
        const auto& done = b.mover().state.done;
        CHECK(done.at(0).at == b.driver().answered(1) - 1 + (10_ns).raw + 1);
        CHECK(done.at(1).at == done.at(0).at);
    }
}

/// Two applications read all the time and are held at times, also while already held. Between a
/// hold's completion and its resumption, no request of the application is in memory.
TEST_CASE("A held application has no outstanding requests", "[mmu]") {
    for (const unsigned seed : {1, 2, 3}) {
        Rng random(seed, "holds");
        Bench b("entries=4 ways=4", "applications=2 memory=2GiB table_base=4GiB", 2, true,
                "latency=5us");
        std::vector<std::pair<Tick, protocol::PageOrder>> orders; // two tags in a row for each hold
        b.run([&] {
            for (unsigned h = 0; h < 40; ++h) {
                protocol::PageOrder o;
                o.application = static_cast<std::uint16_t>(random.below(2));
                o.kind = PageOrderKind::hold;
                const Tick at = static_cast<Tick>(random.below(400)) * us;
                orders.push_back({at, o});
                o.kind = PageOrderKind::resume; // a hold takes 6 us at the most
                orders.push_back({at + (8 + static_cast<Tick>(random.below(10))) * us, o});
            }
            std::stable_sort(orders.begin(), orders.end(),
                             [](auto& x, auto& y) { return x.first < y.first; });
            for (auto& [at, o] : orders) b.mover().plan(at, o.kind, 0).application = o.application;
            for (unsigned i = 0; i < 2; ++i)
                for (unsigned n = 0; n < 1500; ++n) {
                    b.driver(i).read(static_cast<Tick>(n) * (us * 3 / 10),
                                     random.below(16) * 4 * KiB + random.below(60) * 64);
                    b.driver(i).state.plan.entries.back().message.application =
                        static_cast<std::uint16_t>(random.below(2));
                }
        });
        // The number of holds, and the time at which a hold is complete.
        unsigned checked = 0;
        for (const auto& d : b.mover().state.done) {
            const auto& [at, order] = orders[d.reply.tag];
            if (order.kind != PageOrderKind::hold) continue;
            Tick until = 0; // the end of the holds that began with or before this one or in it
            int held = 0;
            for (const auto& [when, o] : orders)
                if (o.application == order.application) {
                    held += o.kind == PageOrderKind::hold ? 1 : -1;
                    if (until == 0 && when >= d.at && held == 0) until = when;
                }
            for (const auto& s : b.memory().state.seen)
                if (s.request.application == order.application) {
                    ++checked;
                    CHECK_FALSE((s.at < until && s.at + (5_us).raw > d.at));
                }
        }
        CHECK(checked > 10'000);
    }
}

TEST_CASE("Stores and atomics are waited for where they are acknowledged", "[mmu]") {
    for (const Command command : {Command::write, Command::atomic})
        for (const bool acknowledged : {false, true}) {
            Bench b(acknowledged ? "acknowledged_stores=true" : "", "", 1, true, "latency=5us");
            b.run([&] {
                b.driver().write(0, 0);
                b.driver().state.plan.entries.back().message.command = command;
                b.mover().plan(us, PageOrderKind::unmap, 0);
            });
            const Tick stored = b.memory().state.seen.at(0).at;
            CHECK(b.mover().state.done.at(0).at ==
                  (acknowledged ? stored + (5_us).raw + (10_ns).raw : us + (20_ns).raw + 1) + 1);
            CHECK(b.driver().state.answers.empty());
        }
}

TEST_CASE("A machine that waits for a page forever reports the waiting components", "[mmu]") {
    Bench b("", "", 1, true);
    b.m.build();
    b.mover().plan(0, PageOrderKind::unmap, 3);
    b.driver().read(us, 3 * 4 * KiB);
    b.m.start();
    b.m.run(never);
    CHECK(b.m.pending());
    std::string all;
    for (const auto& line : b.m.wait_report()) all += line + "\n";
    CHECK(all.find("mmu waits for 1 pages that are not in device memory, among them page 3 of "
                   "application 0") != std::string::npos);
    CHECK(all.find("tlb[0] waits for the translation of 1 pages from mmu") != std::string::npos);
}

} // namespace memsim::mmu_orders_test
