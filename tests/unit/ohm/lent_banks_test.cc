#include "../mem/support.hh"
#include "ohm/channel/lent_banks.hh"

namespace memsim::lent_banks_test {

using namespace memsim::mem;
using Order = std::vector<std::uint32_t>;

namespace {
/// A scheduler whose banks may be lent.
struct Lent : Scheduled {
    ohm::LentBanksState lent_state;
    ohm::LentBanks lent {dram, device, lent_state};
    explicit Lent(const DramTiming& t, const DramScheduler::Config& figures = {})
        : Scheduled(t, figures) {
        lent.init();
    }
};
} // namespace

TEST_CASE("a lent bank opens the row of its user, and other requests wait") {
    Lent s(quiet(), {.write_queue = 8, .write_high = 6, .write_low = 2});
    s.read(1, first, 3);
    s.lent.hold(first, 5, s.now);
    CHECK(s.lent.held(first));
    CHECK_FALSE(s.lent.preset(first));
    s.read(2, first, 5, 1); // also of that row
    s.read(3, same_rank, 4);
    s.write(4, first, 3);
    CHECK(order_of(s.finish(1_us)) == Order {3}); // held requests do not keep others back
    CHECK(s.lent.preset(first));
    CHECK(s.device.row(first) == 5);
    CHECK(s.dram.reads() == 2);
    s.lent.release(first, s.now);
    CHECK_FALSE(s.lent.held(first));
    CHECK(order_of(s.finish(2_us)) == Order {2, 1, 4}); // the open row first
    CHECK(s.hits.value() == 2);
}

TEST_CASE("the row of a lent bank is open tRCD after the precharge, not sooner") {
    Lent s(quiet());
    s.read(1, first, 3);
    s.finish(100_ns); // leaves row 3 open
    s.lent.hold(first, 5, s.now);
    s.run_to(100_ns + 1_fs);
    CHECK(s.device.row(first) == DramBank::closed); // precharged at 100
    s.run_to(105_ns);                               // tRP
    CHECK_FALSE(s.lent.preset(first));
    s.run_to(105_ns + 1_fs);
    CHECK(s.lent.preset(first));
    CHECK(s.device.earliest(DramCommand::read, first) == Time {110_ns}.raw); // tRCD
}

TEST_CASE("operations started in a bank end before it is lent") {
    Lent s(quiet());
    s.read(1, first, 3);
    s.run_to(1_ns);
    s.lent.hold(first, 5, s.now);
    CHECK_FALSE(s.lent.preset(first));
    CHECK(order_of(s.finish()) == Order {1});
    CHECK(s.lent.preset(first));
}

TEST_CASE("the row of a lent bank is reopened after a refresh") {
    DramTiming t = quiet();
    t.tREFI = 300_ns;
    Lent s(t);
    s.lent.hold(first, 5, s.now);
    s.run_to(149_ns); // rank 0 is due at tREFI / 2
    CHECK(s.lent.preset(first));
    CHECK(s.activates.value() == 1);
    s.run_to(299_ns);
    CHECK(s.lent.preset(first));
    CHECK(s.refreshes.value() > 0);
    CHECK(s.activates.value() > 1);
    // Released with nothing waiting: nothing is to be woken for.
    s.lent.release(first, s.now);
    CHECK(s.dram.next_action() == never);
}

} // namespace memsim::lent_banks_test
