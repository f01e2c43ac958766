#include "mem/traffic/monitor.hh"
#include "mem/traffic/traffic_gen.hh"
#include "support.hh"

namespace memsim::traffic_gen_test {

using namespace memsim::mem;

namespace {
std::unique_ptr<Machine> ideal(const Arguments& generator, bool monitored = false,
                               const Arguments& memory = {{"latency", "100ns"}},
                               const Arguments& monitor = {}) {
    auto m = std::make_unique<Machine>();
    m->add("gen", "mem.TrafficGen", generator);
    if (monitored) m->add("monitor", "mem.Monitor", monitor);
    m->add("ram", "mem.SimpleMemory", memory);
    if (monitored) m->bind("gen", "mem_side", "monitor", "cpu_side");
    m->bind(monitored ? "monitor" : "gen", "mem_side", "ram", "cpu_side");
    m->build();
    m->start();
    return m;
}

} // namespace

TEST_CASE("one request every period, exactly") {
    const auto m = ideal({{"period", "7ns"}, {"requests", "1000"}});
    m->run(never);
    // The last is sent at 1 fs + 999 periods, one more fs to the memory, 100 ns to answer.
    CHECK(m->sim().now() == 999 * Time {7_ns}.raw + 2 + Time {100_ns}.raw);
    CHECK(m->stat_value("gen", "reads", "") == 1000);
    CHECK(m->stat_value("gen", "read_latency", "min") == Approx(100.000001));
    CHECK(m->stat_value("gen", "read_latency", "max") == Approx(100.000001));
}

TEST_CASE("periodic requests end with simulated time, or are refused") {
    const auto m = ideal({{"period", "1s"}});
    CHECK(m->run(never) == Stop::idle);
    CHECK(m->stat_value("gen", "reads", "") == 9224); // the first at time 0
    CHECK_THROWS_WITH(ideal({{"period", "1s"}, {"requests", "9225"}}),
                      Catch::Contains("is beyond the maximum simulated time"));
}

TEST_CASE("without a period, the outstanding requests limit the rate") {
    const auto m = ideal({{"outstanding", "8"}, {"requests", "8000"}}, false,
                         {{"latency", "100ns"}, {"bandwidth", "1000GB/s"}});
    m->run(never);
    CHECK(m->stat_value("gen", "bandwidth", "") == Approx(8 * 64 / 100e-9).epsilon(0.001));
}

TEST_CASE("the read share is kept, and a seed gives one stream") {
    const auto counts = [](std::uint64_t) {
        const auto m = ideal({{"read_share", "67%"}, {"requests", "20000"}, {"size", "32"}});
        m->run(never);
        digest_after(*m);
        return std::pair {m->stat_value("gen", "reads", ""), m->digest()};
    };
    CHECK(counts(1).first == Approx(13'400).epsilon(0.02));
    CHECK(counts(1) == counts(1));
}

TEST_CASE("a monitor counts the forwarded messages and adds only the latency of its links") {
    const auto plain = ideal({{"requests", "500"}, {"read_share", "0.5"}, {"period", "9ns"}});
    const auto seen = ideal({{"requests", "500"}, {"read_share", "0.5"}, {"period", "9ns"}}, true);
    plain->run(never);
    seen->run(never);
    digest_after(*seen);
    CHECK(seen->sim().now() == plain->sim().now() + 2);
    const auto& stat = seen->get<Monitor>("monitor").stat;
    const auto& gen = seen->get<TrafficGen>("gen").stat.sent;
    CHECK(stat.reads.value() == gen.reads.value());
    CHECK(stat.writes.value() == gen.writes.value());
    CHECK(stat.read_bytes.value() + stat.write_bytes.value() == 500 * 64);
    CHECK(gen.read_latency.sum() == stat.read_latency.sum() + 2 * gen.reads.value());
    CHECK(stat.write_latency.count() == gen.write_latency.count());
    // Little's law: mean outstanding = rate x latency.
    CHECK(seen->stat_value("monitor", "outstanding", "mean") == Approx(100. / 9).epsilon(0.03));
}

TEST_CASE("a monitor counts each page once, read and written pages separately") {
    const auto pages = [](const std::string& requests, const std::string& reads,
                          const std::string& page) {
        const auto m = ideal({{"pattern", "sequential"},
                              {"range", "1MiB"},
                              {"base", "260KiB"},
                              {"requests", requests},
                              {"read_share", reads}},
                             true, {}, {{"page", page}});
        m->run(never);
        digest_after(*m);
        const auto& stat = m->get<Monitor>("monitor").stat;
        return std::pair {static_cast<int>(stat.pages_read.value()),
                          static_cast<int>(stat.pages_written.value())};
    };
    using Pages = std::pair<int, int>;
    CHECK(pages("64", "100%", "4KiB") == Pages {1, 0});
    CHECK(pages("65", "100%", "4KiB") == Pages {2, 0});
    CHECK(pages("65", "0%", "4KiB") == Pages {0, 2});
    CHECK(pages("65000", "100%", "4KiB") == Pages {256, 0}); // the range, four times
    CHECK(pages("65000", "50%", "4KiB") == Pages {256, 256});
    CHECK(pages("65000", "50%", "0B") == Pages {0, 0});
}

TEST_CASE("a monitor distinguishes applications up to its limit") {
    const auto m =
        ideal({{"requests", "50"}}, true, {{"latency", "100ns"}}, {{"applications", "2"}});
    m->run(never);
    const auto& stat = m->get<Monitor>("monitor").stat;
    CHECK(stat.application_requests[0].value() == 50); // a generator is application 0
    CHECK(stat.application_requests[1].value() == 0);
    CHECK(ideal({}, true)->get<Monitor>("monitor").stat.application_requests.size() == 0);
}

TEST_CASE("a range that holds no request is refused") {
    CHECK_THAT(error_of([] { ideal({{"range", "32B"}}); }), Catch::StartsWith("gen.range: '32B'"));
}

} // namespace memsim::traffic_gen_test
