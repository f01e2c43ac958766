#include "gpu/sm/sm.hh"
#include "mem/traffic/traffic_gen.hh"
#include "oracle.hh"
#include "workload/traces/trace_player.hh"

#include <catch2/catch.hpp>

#include <algorithm>

namespace memsim::stamps_test {

using namespace memsim::test;

/// What the components that open and close stamps measured themselves, summed over the machine.
static std::pair<Uint128, std::uint64_t> measured(const Machine& m) {
    Uint128 sum = 0;
    std::uint64_t count = 0;
    auto add = [&](const Distribution& latency) {
        sum += latency.sum();
        count += latency.count();
    };
    for (const auto& c : m.components()) {
        if (const auto* sm = dynamic_cast<const gpu::Sm*>(c)) add(sm->stat.memory.load_latency);
        if (const auto* generator = dynamic_cast<const mem::TrafficGen*>(c)) {
            add(generator->stat.sent.read_latency);
            add(generator->stat.sent.write_latency);
        }
        if (const auto* player = dynamic_cast<const workload::TracePlayer*>(c)) {
            add(player->stat.sent.read_latency);
            add(player->stat.sent.write_latency);
        }
    }
    return {sum, count};
}

TEST_CASE("the stages of all requests add up to their latency, to the femtosecond") {
    unsigned machines = 0;
    for (const Rig& rig : rigs()) {
        Machine m(11);
        rig.make(m);
        m.build();
        m.sim().stamps().enable(1);
        m.start();
        m.run(never);
        const Stamps& stamps = m.sim().stamps();
        const auto [latency, requests] = measured(m);
        INFO(rig.type);
        CHECK(stamps.closed() == requests);
        CHECK(stamps.open_records() == 0);
        Uint128 stages = 0;
        for (const Stage stage : Stage::known()) stages += stamps.sum(stage);
        CHECK(to_text(Int128(stages)) == to_text(Int128(latency)));
        machines += requests != 0;
    }
    CHECK(machines >= 5); // the four that run a graph, and the generators
}

TEST_CASE("stamping one request in ten is a sample of the same run") {
    const auto rig = std::find_if(rigs().begin(), rigs().end(),
                                  [](const Rig& r) { return r.type == "mem.TrafficGen"; });
    Machine m;
    rig->make(m);
    m.build();
    m.sim().stamps().enable(10);
    m.start();
    m.run(never);
    CHECK(m.sim().stamps().closed() == measured(m).second / 10);
}

} // namespace memsim::stamps_test
