#include "crossbar_rig.hh"

#include <algorithm>
#include <numeric>

/// Groups of a crossbar's requesters: the links that they share, and latencies by place.
namespace memsim::mem::crossbar_test {

using test_mem::value;

namespace {

const std::string memories = "latency=100ns bandwidth=1000000GB/s queue=1000";

Rig grouped(unsigned inputs, const std::string& groups, const std::string& more = "") {
    return Rig(inputs, 4, more, memories, groups);
}

/// A write of four cycles of a port, to a slice.
void write(Rig& rig, unsigned driver, Tick at, unsigned slice = 0) {
    rig.driver(driver).write(at, slice * 128, 120, false);
}

} // namespace

TEST_CASE("A message waits for the time that a message of its group takes on their link",
          "[mem][crossbar]") {
    const Tick later = GENERATE(0 * ns, 3 * ns, 4 * ns, 5 * ns);
    Rig rig = grouped(4, "2 1 2, 4 4 4");
    write(rig, 0, 0, 0);
    write(rig, 1, later, 1);
    write(rig, 2, later, 2); // of the other group
    rig.run();
    const Tick first = rig.driver(0).answered(0);
    CHECK(rig.driver(1).answered(0) == first + std::max(4 * ns, later));
    CHECK(rig.driver(2).answered(0) == first + later);
    CHECK(rig.xbar().stat.request_link_cycles.size() == 2);
    CHECK(value(rig.xbar().stat.request_link_cycles[0]) == 8);
    CHECK(value(rig.xbar().stat.request_link_cycles[1]) == 4);
    CHECK(value(rig.xbar().stat.request_link_stalls[0]) == (later < 4 * ns ? 1 : 0));
    CHECK(rig.xbar().stat.response_link_cycles.size() == 0);
}

TEST_CASE("A response waits for the time that a response to its group takes on their link",
          "[mem][crossbar]") {
    const Tick later = GENERATE(0 * ns, 3 * ns, 4 * ns, 5 * ns);
    Rig rig = grouped(4, "2 2 1");
    rig.driver(0).read(0, 0, 120);
    rig.driver(1).read(later, 128, 120);
    rig.driver(2).read(later, 256, 120);
    rig.run();
    const Tick first = rig.driver(0).answered(0);
    CHECK(rig.driver(1).answered(0) == first + std::max(4 * ns, later));
    CHECK(rig.driver(2).answered(0) == first + later);
    CHECK(value(rig.xbar().stat.response_link_cycles[0]) == 8);
    CHECK(value(rig.xbar().stat.response_link_stalls[0]) == (later < 4 * ns ? 1 : 0));
    CHECK(rig.xbar().stat.request_link_cycles.size() == 0);
}

TEST_CASE("A link carries exactly its rate and serves its requesters in turn", "[mem][crossbar]") {
    const bool reads = GENERATE(true, false);
    Rig rig = grouped(6, reads ? "3 3 1.25, 6 6 1.75" : "3 1.25 3, 6 1.75 6");
    for (unsigned i = 0; i < 6; ++i)
        for (unsigned n = 0; n < 300; ++n) {
            const unsigned slice = (i + n) % 4;
            if (reads)
                rig.driver(i).read(0, slice * 128, 120);
            else
                write(rig, i, 0, slice);
        }
    rig.m.start();
    rig.m.run(2100 * ns);
    std::size_t all = 0, least = 300, most = 0;
    for (unsigned i = 0; i < 6; ++i) {
        const std::size_t n = rig.driver(i).state.answers.size();
        all += n, least = std::min(least, n), most = std::max(most, n);
    }
    // Responses arrive after about 110 ns; 1.75 messages of four cycles each.
    CHECK(all > 1985 * 1.75 / 4 - 4);
    CHECK(all < 1995 * 1.75 / 4 + 4);
    CHECK(most - least <= 2);
}

TEST_CASE("A full link stalls the senders of its group", "[mem][crossbar]") {
    const auto sent = [](const std::string& groups) {
        Rig rig(2, 4, "queue=2 buffer=1", memories, groups);
        for (unsigned i = 0; i < 2; ++i)
            for (unsigned n = 0; n < 8; ++n) write(rig, i, 0, i);
        rig.m.start();
        rig.m.run(30 * ns);
        return rig.driver(0).state.plan.sent + rig.driver(1).state.plan.sent;
    };
    CHECK(sent("2 2 2") == 16);
    CHECK(sent("2 0.5 2") < 10);
}

TEST_CASE("The latency of a request depends on its group and slice, with the same mean",
          "[mem][crossbar]") {
    // Three groups of two at -1, 0 and 1; two rows of slices at -1, -1/3, 1/3 and 1.
    Rig rig(6, 8, "latency=20ns spread=9ns", memories, "2 2 2");
    for (unsigned i = 0; i < 6; ++i)
        for (unsigned o = 0; o < 8; ++o) rig.driver(i).read((8 * i + o) * 1000 * ns, o * 128, 120);
    rig.run();
    for (unsigned i = 0; i < 6; ++i) {
        std::vector<Tick> took;
        for (unsigned o = 0; o < 8; ++o)
            took.push_back(rig.driver(i).answered(o) - (8 * i + o) * 1000 * ns);
        // An edge, 8 bytes of 32, the mean latency and 100 ns; at the next edge four cycles.
        const Tick mean = (1 + 20 + 100 + 1 + 4 + 20) * ns;
        CHECK(std::accumulate(took.begin(), took.end(), Tick {0}) == 8 * mean);
        for (unsigned o = 0; o < 8; ++o) {
            const Tick spread[] = {-9 * ns, -3 * ns, 3 * ns, 9 * ns};
            const Tick apart = i < 2 ? spread[o % 4] : i < 4 ? 0 : -spread[o % 4];
            CHECK(took[o] == mean + apart);
        }
    }
}

TEST_CASE("Requests of different latencies to one slice arrive in the order of their times",
          "[mem][crossbar]") {
    Rig rig(2, 4, "latency=20ns spread=9ns", memories, "1 1 1");
    rig.driver(1).read(0, 0, 120);       // takes 29 ns
    rig.driver(0).read(17 * ns, 0, 120); // 11 ns
    rig.driver(0).read(18 * ns, 0, 120); // at the time of the first, which was sent before
    rig.run();
    const Tick far = rig.driver(1).answered(0);
    CHECK(rig.driver(0).answered(0) == far - 4 * ns); // the time of a response on the slice's port
    CHECK(rig.driver(0).answered(1) == far + 4 * ns);
}

TEST_CASE("Pairs of different latencies have one rate if their limits are those of a mean time",
          "[mem][crossbar]") {
    const bool adapted = GENERATE(false, true);
    const auto answers = [&](unsigned driver) {
        Rig rig(2, 4,
                "of_a_pair=40 latency=20ns spread=9ns" +
                    std::string(adapted ? " pair_time=121ns" : ""),
                memories, "1 1 1");
        for (int n = 0; n < 5000; ++n) rig.driver(driver).read(0, 0, 1);
        rig.m.start();
        rig.m.run(10'000 * ns);
        return static_cast<double>(rig.driver(driver).state.answers.size());
    };
    const double near = answers(0), far = answers(1); // 112 ns and 130 ns
    CHECK(near / far == Approx(adapted ? 1 : 130. / 112).epsilon(0.01));
    CHECK((near + far) / 2 == Approx(10'000. * 40 / 121).epsilon(0.02));
}

TEST_CASE("Levels of groups are refused where they make no groups", "[mem][crossbar]") {
    const auto refused = [](const std::string& groups, const std::string& why,
                            const std::string& more = "") {
        CHECK_THROWS_WITH(grouped(4, groups, more), Catch::Contains(why));
    };
    refused("2 1", "xbar.groups: '2 1' is not the number of requesters and two rates");
    refused("2 1 1 1", "is not the number of requesters and two rates");
    refused("0 1 1", "has no requester, or a link without a rate");
    refused("2 0 1", "has no requester, or a link without a rate");
    refused("2 1 1, 3 1 1", "groups of 3 requesters do not consist of groups of 2");
    refused("2 2 2", "xbar.spread: 5ns is not below the latency", "spread=5ns");
    refused("", "there are no groups of requesters", "spread=1ns");
}

} // namespace memsim::mem::crossbar_test
