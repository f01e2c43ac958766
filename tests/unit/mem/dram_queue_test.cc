#include "mem/dram/schedule/queue.hh"

#include <catch2/catch.hpp>

namespace memsim::dram_queue_test {

using namespace memsim::mem;

namespace {

/// A queue of two banks with a patience of three requests.
struct Queued {
    DramQueueState state;
    DramQueue queue;
    explicit Queued(std::uint32_t bank_queue = 0) : queue(state, 3, bank_queue) {
        queue.init(2, 8);
    }
    std::uint16_t read(std::uint32_t bank, std::uint32_t row = 1) {
        return queue.push({.bank = bank, .row = row});
    }
    std::uint16_t write(std::uint32_t bank, std::uint32_t column, std::uint16_t bursts = 1) {
        return queue.push(
            {.bank = bank, .row = 1, .column = column, .bursts = bursts, .write = true});
    }
    std::vector<std::uint16_t> waiting(std::uint32_t bank, bool write) const {
        std::vector<std::uint16_t> all;
        for (auto e = queue.oldest(bank, write); e != DramQueue::none; e = queue[e].next)
            all.push_back(e);
        return all;
    }
};
using Entries = std::vector<std::uint16_t>;

} // namespace

TEST_CASE("requests of a bank and direction wait in the order of their age", "[dram]") {
    Queued q;
    const auto a = q.read(0), b = q.read(1), c = q.read(0), w = q.write(0, 0), d = q.read(0);
    CHECK(q.waiting(0, false) == Entries {a, c, d});
    CHECK(q.waiting(0, true) == Entries {w});
    CHECK(q.queue.queued(false) == 4);
    q.queue.remove(c);
    CHECK(q.waiting(0, false) == Entries {a, d});
    q.queue.remove(a), q.queue.remove(d);
    CHECK(q.queue.used(false) == std::vector<std::uint64_t> {2}); // bank 1 alone
    CHECK_FALSE(q.queue.empty(0));
    q.queue.remove(w), q.queue.remove(b);
    CHECK(q.queue.used(true) == std::vector<std::uint64_t> {0});
    CHECK(q.state.free.size() == 8);
}

TEST_CASE("a write covers a read of its bytes alone, to the burst", "[dram]") {
    Queued q;
    q.write(0, 4, 3); // columns 4 to 6
    const auto covered = [&](std::uint32_t column, std::uint16_t bursts, std::uint32_t bank = 0,
                             std::uint32_t row = 1) {
        return q.queue.covers({.bank = bank, .row = row, .column = column, .bursts = bursts});
    };
    CHECK(covered(4, 3));
    CHECK(covered(6, 1));
    CHECK_FALSE(covered(6, 2));
    CHECK_FALSE(covered(3, 1));
    CHECK_FALSE(covered(4, 1, 1));
    CHECK_FALSE(covered(4, 1, 0, 2));
    q.queue.set_aside(0);
    CHECK(covered(5, 2)); // also while it is set aside
}

TEST_CASE("a migration is urgent after its patience, and not before", "[dram]") {
    Queued q;
    const auto m = q.queue.push({.priority = DramPriority::migration});
    CHECK(q.queue.migrations() == 1);
    q.read(0), q.read(0);
    CHECK_FALSE(q.queue.urgent(q.queue[m])); // the third request since its own, counted with it
    q.read(0);
    CHECK(q.queue.urgent(q.queue[m]));
    CHECK(q.queue.urgent(q.queue[q.read(1)]));
}

TEST_CASE("requests beyond a bank's first are counted for themselves", "[dram]") {
    Queued q(2);
    const auto a = q.read(0);
    q.read(0), q.read(1);
    CHECK(q.queue.beyond(false) == 0);
    q.read(0);
    CHECK(q.queue.beyond(false) == 1);
    q.queue.remove(a);
    CHECK(q.queue.beyond(false) == 0);
}

TEST_CASE("an opener is counted until it is served", "[dram]") {
    Queued q;
    const auto a = q.read(0), w = q.write(1, 0);
    q.queue.set_opener(0, a), q.queue.set_opener(1, w);
    CHECK(q.queue.opened(false) == 1);
    CHECK(q.queue.opened(true) == 1);
    q.queue.remove(a);
    CHECK(q.queue.opener(0) == DramQueue::none);
    CHECK(q.queue.opened(false) == 0);
    q.queue.set_opener(1, DramQueue::none);
    CHECK(q.queue.opened(true) == 0);
}

TEST_CASE("requests not started, and new ones, are set aside and return by age", "[dram]") {
    Queued q;
    const auto a = q.read(0), b = q.read(0), other = q.read(1), c = q.read(0);
    q.queue[b].started = true;
    q.queue.set_aside(0);
    CHECK(q.queue.reserved(0));
    CHECK(q.waiting(0, false) == Entries {b});
    CHECK(q.waiting(1, false) == Entries {other});
    const auto d = q.read(0), w = q.write(0, 0);
    CHECK(q.waiting(0, true).empty());
    CHECK(q.queue.queued(false) == 5);
    CHECK(q.queue.eligible(false) == 2);
    CHECK(q.queue.eligible(true) == 0);
    SECTION("while started requests continue") {
        q.queue.give_back(0);
        CHECK(q.waiting(0, false) == Entries {a, b, c, d});
    }
    SECTION("after it has ended") {
        q.queue.remove(b);
        CHECK(q.queue.empty(0));
        CHECK(q.queue.used(false) == std::vector<std::uint64_t> {2});
        q.queue.give_back(0);
        CHECK(q.waiting(0, false) == Entries {a, c, d});
    }
    CHECK(q.waiting(0, true) == Entries {w});
    CHECK(q.queue.eligible(true) == 1);
    CHECK(q.queue.used(false) == std::vector<std::uint64_t> {3});
    CHECK_FALSE(q.queue.reserved(0));
}

} // namespace memsim::dram_queue_test
