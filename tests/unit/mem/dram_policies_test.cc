#include "driver.hh"
#include "mem/dram/controller.hh"
#include "mem/dram/device/bank_hash.hh"
#include "support.hh"

#include <set>

namespace memsim::dram_policies_test {

/// Policies of a DRAM: orders, row policies, refresh and bank hashes, and those of a user's own.
using namespace memsim::mem;
using Order = std::vector<std::uint32_t>;

TEST_CASE("first-come first-served overtakes no request", "[dram]") {
    const auto served = [](const char* order) {
        Scheduled s(quiet(), {.order = order});
        s.read(1, first, 3);
        s.read(2, first, 4); // another row
        s.read(3, first, 3); // the first one's row
        s.read(4, same_rank, 3);
        return order_of(s.finish());
    };
    CHECK(served("fcfs") == Order {1, 2, 3, 4});
    CHECK(served("first_ready") == Order {1, 3, 4, 2});
}

TEST_CASE("a row that nothing waits for is closed at its timeout, not a femtosecond sooner",
          "[dram]") {
    // The row is read at 5 ns; 30 ns later it is closed, which takes tRP = 5 ns.
    const auto second_done = [](Time at) {
        Scheduled s(quiet(), {.page = "timeout(idle=30ns)"});
        s.read(1, first, 3);
        s.run_to(at);
        s.read(2, first, 3, 1);
        s.finish();
        return std::pair {s.hits.value(), s.misses.value()};
    };
    using Found = std::pair<Uint128, Uint128>;
    CHECK(second_done(35_ns - 1_fs) == Found {1, 1});
    CHECK(second_done(35_ns) == Found {0, 2});
    Scheduled open(quiet());
    open.read(1, first, 3);
    open.run_to(1_us);
    open.read(2, first, 3, 1);
    open.finish();
    CHECK(open.hits.value() == 1);
}

TEST_CASE("a bank that was closed at its timeout opens tRP later", "[dram]") {
    Scheduled s(quiet(), {.page = "timeout(idle=30ns)"});
    s.read(1, first, 3);
    s.run_to(37_ns);
    s.read(2, first, 9);
    // Closed at 35, activated at 40, read at 45: its data arrive at 56.
    CHECK(s.finish().back().at == Time {56_ns}.raw);
    CHECK(s.precharges.value() == 1);
    CHECK(s.conflicts.value() == 0);
}

TEST_CASE("no refresh", "[dram]") {
    DramTiming t = quiet();
    t.tREFI = 200_ns;
    Scheduled s(t, {.refresh = "none"});
    s.read(1, first, 3);
    s.run_to(10_us);
    s.read(2, first, 3);
    s.finish();
    CHECK(s.refreshes.value() == 0);
}

TEST_CASE("the XOR of a row spreads a bank's rows over all banks, each on one place", "[dram]") {
    Policy<BankHash> hash;
    hash.make("xor", "test", 1);
    std::set<std::uint32_t> of_bank_3;
    for (std::uint32_t row = 0; row < 16; ++row) {
        of_bank_3.insert(hash->bank(3, row, 16));
        std::set<std::uint32_t> all;
        for (std::uint32_t b = 0; b < 16; ++b) all.insert(hash->bank(b, row, 16));
        CHECK(all.size() == 16);
    }
    CHECK(of_bank_3.size() == 16);
    CHECK(hash->bank(3, 16, 16) == 3);
    CHECK_FALSE(hash->fits(12));
    hash.make("none", "test", 1);
    CHECK(hash->bank(3, 5, 16) == 3);
}

namespace {
/// A deliberately poor order: the youngest hit or row is served first.
class Youngest final : public PolicyModel<Youngest, DramOrder> {
  public:
    struct Params {
        Param<unsigned> most {4, {1, 64}, "Requests of a bank that are looked at"};
    };
    struct State {
        std::uint64_t chosen = 0;
    };
    explicit Youngest(const Params& p) : params(p) {}
    DramCandidate choose(const DramParts& parts, std::uint32_t b) override {
        if (parts.refresh.stopped(b)) return {};
        std::uint16_t last = DramQueue::none;
        std::uint32_t seen = 0;
        for (auto e = parts.queue.oldest(b, parts.draining());
             e != DramQueue::none && seen < params.most; e = parts.queue[e].next, ++seen)
            last = e;
        if (last == DramQueue::none) return {};
        const DramAccess& access = parts.queue[last].access;
        const std::uint32_t row = parts.device.row(b);
        const DramAction action = row == DramBank::closed ? DramAction::activate
                                  : row == access.row     ? DramAction::column
                                                          : DramAction::precharge;
        const DramCommand command = action == DramAction::activate    ? DramCommand::activate
                                    : action == DramAction::precharge ? DramCommand::precharge
                                    : access.write                    ? DramCommand::write
                                                                      : DramCommand::read;
        return {parts.device.bank_ready(command, b),
                ~parts.queue[last].age,
                action,
                action == DramAction::column,
                last,
                DramParts::limit_of(action, DramWires::data, false)};
    }
    Choice next(const DramParts& parts, Tick now) override {
        ++state.chosen;
        DramPlan best;
        parts.for_each_used_bank(
            parts.floor_of(now), [&](std::uint32_t b, const DramParts::Limits& limit) {
                const DramCandidate& c = parts.candidate(b);
                const DramPlan plan {std::max(c.at, limit[c.limit]), c.order, b, c.action, c.entry};
                if (plan.before(best)) best = plan;
            });
        return {best};
    }
    const Params params;
    State state;
};
const PolicyRegistration<Youngest> youngest {"test_youngest", "The youngest request's"};
} // namespace

TEST_CASE("a user's order policy with a parameter selects the commands", "[dram]") {
    const auto served = [](const char* order) {
        Scheduled s(quiet(), {.order = order});
        for (std::uint32_t i = 1; i <= 4; ++i) s.read(i, first, 10 + i);
        return order_of(s.finish());
    };
    CHECK(served("test_youngest") == Order {4, 3, 2, 1});
    CHECK(served("test_youngest(most=2)") == Order {2, 3, 4, 1});
}

TEST_CASE("a user's order policy continues from a checkpoint with equal results", "[dram]") {
    const auto built = [] {
        return machine({{"requests", "500"}, {"read_share", "0.6"}, {"period", "5ns"}},
                       {{"order", "test_youngest(most=3)"}, {"changes", "tREFI=2us"}});
    };
    const auto whole = built();
    whole->start();
    whole->run(never);
    auto m = built();
    m->start();
    REQUIRE(m->run(1'700'000'000) == Stop::limit);
    auto next = built();
    next->load(m->save());
    next->run(never);
    CHECK(digest_after(*next) == digest_after(*whole));
}

} // namespace memsim::dram_policies_test
