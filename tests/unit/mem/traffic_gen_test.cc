#include "mem/monitor.hh"
#include "mem/traffic_gen.hh"
#include "support.hh"

#include <filesystem>
#include <fstream>

using namespace memsim;
using namespace memsim::mem;

namespace {
std::unique_ptr<Machine> ideal(const Arguments& generator, bool monitored = false,
                               const Arguments& memory = {{"latency", "100ns"}}) {
    auto m = std::make_unique<Machine>();
    m->add("gen", "mem.TrafficGen", generator);
    if (monitored) m->add("monitor", "mem.Monitor", {});
    m->add("ram", "mem.SimpleMemory", memory);
    if (monitored) m->bind("gen", "mem_side", "monitor", "cpu_side");
    m->bind(monitored ? "monitor" : "gen", "mem_side", "ram", "cpu_side");
    m->build();
    m->start();
    return m;
}

struct TraceFile {
    std::string path =
        (std::filesystem::temp_directory_path() / "memsim-traffic-test.trace").string();
    explicit TraceFile(const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
    ~TraceFile() { std::filesystem::remove(path); }
};

std::string run_trace(const std::string& text, double& answered, Tick& end) {
    const TraceFile file(text);
    return error_of([&] {
        const auto m = ideal({{"pattern", "trace"}, {"trace", file.path}, {"period", "1ns"}});
        m->run(never);
        digest_after(*m);
        answered = m->stat_value("gen", "reads", "") + 1000 * m->stat_value("gen", "writes", "");
        end = m->sim().now();
    });
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

TEST_CASE("as fast as possible is what the outstanding requests allow") {
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

TEST_CASE("a monitor counts what passes and adds its links alone") {
    const auto plain = ideal({{"requests", "500"}, {"read_share", "0.5"}, {"period", "9ns"}});
    const auto seen = ideal({{"requests", "500"}, {"read_share", "0.5"}, {"period", "9ns"}}, true);
    plain->run(never);
    seen->run(never);
    digest_after(*seen);
    CHECK(seen->sim().now() == plain->sim().now() + 2);
    const auto& stat = seen->get<Monitor>("monitor").stat;
    const auto& gen = seen->get<TrafficGen>("gen").stat;
    CHECK(stat.reads.value() == gen.reads.value());
    CHECK(stat.writes.value() == gen.writes.value());
    CHECK(stat.read_bytes.value() + stat.write_bytes.value() == 500 * 64);
    CHECK(gen.read_latency.sum() == stat.read_latency.sum() + 2 * gen.reads.value());
    CHECK(stat.write_latency.count() == gen.write_latency.count());
    // Little's law: mean outstanding = rate x latency.
    CHECK(seen->stat_value("monitor", "outstanding", "mean") == Approx(100. / 9).epsilon(0.03));
}

TEST_CASE("traces of DRAMsim3 and of Ramulator are read as streams") {
    double answered = 0;
    Tick end = 0;
    CHECK(run_trace("0x40 READ 10\n# a comment\n\n0x80 WRITE 20\nff00 read 5000\n", answered,
                    end) == "");
    CHECK(answered == 1002);
    CHECK(end == 1 + Time {5000_ns}.raw + 1 + Time {100_ns}.raw);
    CHECK(run_trace("LD 64\nST 0x80\r\nLD 128", answered, end) == "");
    CHECK(answered == 1002);
}

TEST_CASE("a trace that is cut off or foreign is refused with its line") {
    double answered = 0;
    Tick end = 0;
    CHECK(run_trace("0x40 READ 10\n0x80 WR", answered, end).find("line 2: '0x80 WR' is neither") !=
          std::string::npos);
    CHECK(run_trace("LD\n", answered, end).find("gen.trace: '") == 0);
    CHECK(run_trace("0x40 READ ten\n", answered, end) != "");
    CHECK(run_trace("0x40 READ 10 11\n", answered, end) != "");
    CHECK(error_of([] {
              ideal({{"pattern", "trace"}});
          }) == "gen.trace: the pattern is a trace: give the path of its file");
    CHECK(error_of([] {
              ideal({{"pattern", "trace"}, {"trace", "/none/such"}});
          }).find("cannot be read") != std::string::npos);
    CHECK(error_of([] { ideal({{"range", "32B"}}); }).find("gen.range: 32B does not hold") == 0);
}

TEST_CASE("a trace goes on where a checkpoint was taken") {
    std::string text;
    for (int i = 0; i < 500; ++i)
        text += std::to_string(i * 7919 % 4096 * 64) + (i % 3 ? " READ " : " WRITE ") +
                std::to_string(i * 11) + "\n";
    const TraceFile file(text);
    const Arguments generator {{"pattern", "trace"}, {"trace", file.path}, {"period", "1ns"}};
    const auto whole = machine(generator, {});
    whole->start();
    whole->run(never);
    const auto first = machine(generator, {});
    first->start();
    REQUIRE(first->run(2'345'678'901) == Stop::limit);
    const auto second = machine(generator, {});
    second->load(first->save());
    second->run(never);
    CHECK(second->stat_value("gen", "reads", "") == whole->stat_value("gen", "reads", ""));
    CHECK(digest_after(*second) == digest_after(*whole));
}

TEST_CASE("DRAMsim3's example trace is read to its end") {
    const std::string path = "../shared/data/dram_traces/dramsim3-example.trace";
    if (!std::filesystem::exists(path)) {
        WARN("skipped: " << path << " is not there");
        return;
    }
    const auto m = machine({{"pattern", "trace"}, {"trace", path}, {"period", "630ps"}}, {});
    m->start();
    m->run(never);
    digest_after(*m);
    CHECK(m->stat_value("gen", "reads", "") + m->stat_value("gen", "writes", "") > 10'000);
}
