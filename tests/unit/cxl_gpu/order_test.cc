#include "../../contract/data_driver.hh"
#include "support.hh"

/// No store is lost, and none is seen too late by a load of its address: random traffic to few
/// lines against a reference memory, over an endpoint that keeps no order, whose load changes by
/// chance; each run is saved and resumed on its way.
namespace memsim::test_cxl_gpu::order_test {

namespace {

const std::string small = "line=128B reserve_base=1MiB requests=12 ";
const std::string unruly = "least=20ns most=2us changes=4 busy=20us ";

struct Case {
    std::string name;
    Queues parts;
    std::string driver = "count=3000 lines=24 gap=150ns answers=40";
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const char* policy : {"none", "naive", "fixed", "dynamic", "window"})
        all.push_back({policy,
                       {{},
                        "memory_queue=6 sr_queue=5 least_sr_queue=2 queue=3 read_ahead=" +
                            std::string(policy),
                        unruly}});
    const std::string queues = "memory_queue=6 sr_queue=5 least_sr_queue=2 queue=3";
    for (const char* stores :
         {"reserve=1MiB", "reserve=256B flushes=1", "reserve=128B flushes=3", "entries=4 flushes=2",
          "reserve=1KiB flushes=1 level_time=40ns poll=300ns",
          "reserve=1KiB suspend_at=optimal poll=5us"})
        all.push_back({stores, {small + stores, queues, unruly}});
    // A DRAM gives a read the bytes of writes that it has accepted since: also those of another
    // line, if the read's place in the reserve is reused too early.
    for (const char* stores : {"reserve=256B flushes=3", "reserve=1KiB flushes=8"})
        all.push_back({std::string("DRAM, ") + stores,
                       {small + stores,
                        queues,
                        "least=20ns most=60ns changes=400 busy=2us ",
                        "timing=ddr5_5600 capacity=2MiB",
                        {},
                        "mem.DramController"},
                       "count=12000 lines=24 gap=4ns answers=40 atomics=0"});
    // Without speculative reads, and without loads that tell the endpoint's load.
    all.push_back({"alone", {small + "reserve=512B", "read_ahead=none memory_queue=3", unruly}});
    all.push_back({"stores only",
                   {small + "reserve=512B", queues, unruly},
                   "count=2000 lines=24 gap=150ns writes=8 atomics=0"});
    return all;
}

std::unique_ptr<Machine> built(const Case& c, std::uint64_t seed) {
    auto m = std::make_unique<Machine>(seed);
    m->carry_contents();
    m->add("driver", "test.DataDriver", arguments(c.driver));
    c.parts.add(*m, "driver", "mem");
    m->build();
    return m;
}

void check(Machine& m) {
    REQUIRE(m.run(never) == Stop::idle);
    REQUIRE_FALSE(m.pending());
    CHECK(m.imbalances() == std::vector<std::string> {});
    CHECK(m.sim().contents().overtaken() == 0);
    auto& driver = m.get<test::DataDriver>("driver");
    CHECK(driver.stat.old.value() == 0);
    CHECK(driver.stat.wrong.value() == 0);
    CHECK(driver.compare_image() == 0);
}

} // namespace

TEST_CASE("No store is lost or overtaken by a later load of its address", "[cxl_gpu]") {
    for (const Case& c : cases())
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            INFO(c.name << ", seed " << seed);
            const auto whole = built(c, seed);
            whole->start();
            check(*whole);
            const Tick end = whole->sim().now();
            const std::string digest = test_mem::digest(*whole);
            const auto first = built(c, seed);
            first->start();
            for (std::uint64_t part = 1; part < 5; ++part) {
                first->run(end * static_cast<Tick>(part) / 5);
                const auto again = built(c, seed);
                again->load(first->save());
                check(*again);
                CHECK(test_mem::digest(*again) == digest);
            }
        }
}

TEST_CASE("The random traffic takes every path", "[cxl_gpu]") {
    using cxl_gpu::LoadPath;
    using cxl_gpu::StorePath;
    const std::string queues = "memory_queue=6 sr_queue=5 least_sr_queue=2 queue=3";
    const Case c {"", {small + "reserve=1KiB", queues, unruly}, "count=2000 lines=24 gap=1500ns"};
    const auto m = built(c, 1);
    m->start();
    check(*m);
    const auto& stores = m->get<cxl_gpu::DeterministicStore>("stores").stat;
    for (const StorePath p :
         {StorePath::dual, StorePath::stacked, StorePath::merged, StorePath::waited})
        CHECK(value(stores.stores[p]) > 10);
    for (const LoadPath p : {LoadPath::reserve, LoadPath::endpoint, LoadPath::both})
        CHECK(value(stores.loads[p]) > 10);
    CHECK(value(stores.suspensions) > 5);
    CHECK(value(stores.atomics) > 10);
    CHECK(value(stores.probes) > 0);
    const auto& sr = m->get<cxl_gpu::QueueLogic>("queues").stat;
    using cxl_gpu::RequestPath;
    for (const RequestPath p : {RequestPath::speculated, RequestPath::covered, RequestPath::halted})
        CHECK(value(sr.requests[p]) > 2);
    CHECK(value(sr.halts) > 1);
}

TEST_CASE("Functional accesses of the host include the reserve", "[cxl_gpu]") {
    const Case c {"",
                  {small + "reserve=1MiB suspend_at=optimal poll=500us", "read_ahead=none",
                   "least=20ns most=200ns changes=8"},
                  "count=1200 lines=24 gap=200ns copies=40"};
    const auto m = built(c, 3);
    m->start();
    std::uint64_t held = 0;
    auto& driver = m->get<test::DataDriver>("driver");
    for (Tick at = 50 * us; m->run(at) == Stop::limit; at += 50 * us)
        if (driver.state.copies && !m->get<cxl_gpu::DeterministicStore>("stores").state.writing) {
            held += m->get<cxl_gpu::DeterministicStore>("stores").state.reserve.size();
            CHECK(driver.compare_image() == 0);
        }
    CHECK(held > 20);
    check(*m);
}

} // namespace memsim::test_cxl_gpu::order_test
