#include "flash/channel/shared_sensing.hh"
#include "support.hh"

namespace memsim::shared_sensing_test {

using namespace memsim::flash;
using Slots = std::vector<std::uint32_t>;

namespace {

struct Dut {
    std::vector<SensedRead> state = std::vector<SensedRead>(8);
    Contents records;
    SharedSensing reads {state, records};
    Slots fetched;
    Contents::Id page;

    Dut() {
        records.enable();
        page = records.create();
        records[page].pieces.push_back({});
    }
    void sensed(std::uint32_t first) {
        reads.sensed(first, page, [this](std::uint32_t slot) { fetched.push_back(slot); });
    }
    /// The last of its sensing gets the page's own record, others a copy.
    bool answer(std::uint32_t slot) {
        const auto [contents, last] = reads.answer(slot);
        CHECK((contents == page) == last);
        CHECK(records[contents].pieces.size() == 1);
        records.release(contents);
        return last;
    }
};

} // namespace

TEST_CASE("Reads that join a sensing are fetched after its first, in the order in which they came",
          "[flash][sensing]") {
    Dut d;
    d.reads.begin(3);
    CHECK_FALSE(d.reads.join(6, 3));
    CHECK_FALSE(d.reads.join(1, 3));
    CHECK_FALSE(d.reads.join(0, 3));
    d.sensed(3);
    CHECK(d.fetched == Slots {3, 6, 1, 0});
    CHECK(d.reads.join(5, 3)); // the page is present: the reader fetches it
    for (const std::uint32_t slot : {3, 6, 1, 0, 5}) CHECK(d.reads.first_of(slot) == 3);
    for (const std::uint32_t slot : {6, 3, 0, 5}) CHECK_FALSE(d.answer(slot)); // the first too
    CHECK(d.answer(1));
    CHECK(d.records.live() == 0);
}

TEST_CASE("A read alone is the last of its sensing, and its slot begins anew", "[flash][sensing]") {
    Dut d;
    d.reads.begin(2);
    d.sensed(2);
    CHECK(d.fetched == Slots {2});
    CHECK(d.answer(2));
    d.reads.begin(2);
    CHECK_FALSE(d.reads.join(4, 2)); // the page of the former sensing has left the register
    d.reads.begin(4);
    CHECK(d.reads.first_of(4) == 4);
}

TEST_CASE("A program or an erase is answered without a page", "[flash][sensing]") {
    Dut d;
    d.reads.begin(0);
    const auto [contents, last] = d.reads.answer(0);
    CHECK_FALSE(contents);
    CHECK(last);
}

} // namespace memsim::shared_sensing_test
