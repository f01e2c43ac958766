#include "flash/channel/plane_queues.hh"
#include "support.hh"

namespace memsim::plane_queues_test {

using namespace memsim::flash;
using Slots = std::vector<std::uint32_t>;

namespace {

/// Two packages of three planes; 8 slots.
struct Dut {
    PlaneQueuesState state;
    PlaneQueues queues {8, 2, 3, state};
    Slots all(std::uint32_t package, std::uint32_t plane, unsigned kind) {
        Slots slots;
        while (queues.waiting(package, kind) >> plane & 1)
            slots.push_back(queues.pop(package, plane, kind));
        return slots;
    }
};

} // namespace

TEST_CASE("Requests wait at their plane by kind, old before young", "[flash][queues]") {
    Dut d;
    for (const std::uint32_t slot : {5, 2, 7}) d.queues.push(1, 2, PlaneQueues::program, slot);
    d.queues.push(1, 2, 0, 3);
    d.queues.push(0, 2, PlaneQueues::program, 1);
    d.queues.push(1, 0, PlaneQueues::program, 0);
    CHECK(d.queues.waiting(1, PlaneQueues::program) == 0b101);
    CHECK(d.queues.waiting(0, PlaneQueues::program) == 0b100);
    CHECK(d.queues.waiting(1, PlaneQueues::erase) == 0);
    CHECK(d.queues.front(1, 2, PlaneQueues::program) == 5);
    CHECK(d.all(1, 2, PlaneQueues::program) == Slots {5, 2, 7});
    CHECK(d.queues.waiting(1, PlaneQueues::program) == 0b001);
    CHECK(d.queues.front(1, 2, 0) == 3);
    d.queues.push(1, 2, PlaneQueues::program, 2); // a queue that was empty begins anew
    CHECK(d.all(1, 2, PlaneQueues::program) == Slots {2});
}

TEST_CASE("Requests taken out of a queue leave the order of the rest unchanged",
          "[flash][queues]") {
    for (const Slots& wanted : {Slots {}, Slots {4}, Slots {1}, Slots {6}, Slots {4, 1},
                                Slots {1, 6}, Slots {4, 6}, Slots {4, 1, 6}}) {
        Dut d;
        for (const std::uint32_t slot : {4, 1, 6}) d.queues.push(0, 1, 2, slot);
        Slots taken, left;
        for (const std::uint32_t slot : {4, 1, 6})
            if (std::find(wanted.begin(), wanted.end(), slot) == wanted.end()) left.push_back(slot);
        d.queues.take(
            0, 1, 2,
            [&](std::uint32_t slot) {
                return std::find(wanted.begin(), wanted.end(), slot) != wanted.end();
            },
            [&](std::uint32_t slot) { taken.push_back(slot); });
        CHECK(taken == wanted);
        CHECK(d.queues.waiting(0, 2) == (left.empty() ? 0u : 2u));
        d.queues.push(0, 1, 2, 7); // behind those that are left
        left.push_back(7);
        CHECK(d.all(0, 1, 2) == left);
    }
}

} // namespace memsim::plane_queues_test
