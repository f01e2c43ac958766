#include "ports.hh"

#include "../mem/hint_sink.hh"
#include "core/kernel/registry.hh"

using namespace memsim;
using namespace memsim::cxl;
using Catch::Matchers::Contains;

namespace {

constexpr Tick later = (1_us).raw; ///< the link is initialised
/// A memory that takes no time: 64 bytes in less than a femtosecond, and 1 fs of latency.
const std::string ideal = "latency=1fs bandwidth=1000000GB/s queue=1024";
constexpr Tick flit_time = 2'125'000; ///< 68 bytes at 32 GB/s

} // namespace

TEST_CASE("a round trip is the sum of its layers, twice at each end, exactly", "[cxl][port]") {
    struct Case {
        const char* controller;
        Tick layers; ///< of one end, once
        Tick least, most;
    };
    for (const Case& c : {Case {"ours", (15_ns).raw, (60_ns).raw, (80_ns).raw},
                          Case {"smt", (60_ns).raw, (240_ns).raw, (260_ns).raw},
                          Case {"tpp", (60_ns).raw, (240_ns).raw, (260_ns).raw},
                          Case {"ours(physical=9ns,link=4ns)", (17_ns).raw, 0, never}}) {
        INFO(c.controller);
        Linked b(std::string("skp_blocks=0 controller=") + c.controller, "", "", ideal);
        b.driver().read(later, 4096, 64);
        b.driver().write(3 * later, 4096, 64, false);
        b.driver().read(6 * later, 4096, 32);
        b.run();
        const Tick fixed = 4 * c.layers + 2 * (1_ns).raw;
        const Tick ports = 1 + 1; // the driver's request and the memory's answer
        // There a flit, back a flit with the header and three slots of data, and one with the rest.
        CHECK(b.round_trip(0) == fixed + ports + 3 * flit_time);
        CHECK(b.round_trip(0) >= c.least);
        CHECK(b.round_trip(0) <= c.most);
        CHECK(b.round_trip(1) == fixed + ports + 3 * flit_time); // data there, a completion back
        CHECK(b.round_trip(2) == fixed + ports + 2 * flit_time); // half a line: one flit back
    }
}

TEST_CASE("a round trip in 256-byte flits is one flit each way, or half of one", "[cxl][port]") {
    for (const auto& [flit, wires] :
         {std::pair {"flit=256B ", (16_ns).raw}, {"flit=256B-lopt ", (8_ns).raw}}) {
        INFO(flit);
        Linked b(std::string(flit) + "skp_blocks=0", "", "", ideal);
        b.driver().read(later, 4096, 64);
        b.driver().write(3 * later, 4096, 64, false);
        b.driver().read(6 * later, 4096 + 32, 32); // moves the whole line, too
        b.run();
        const Tick fixed = 4 * (15_ns).raw + 2 * (1_ns).raw + 1 + 1;
        for (std::uint32_t i = 0; i < 3; ++i) CHECK(b.round_trip(i) == fixed + wires);
        const auto& link = b.root().stat.link; // a flit is counted once, in halves, too
        CHECK(link.wire_bytes.value() == 256 * link.flits.value());
    }
    // At the rate that CXL 3 has them for.
    Linked fast("flit=256B generation=6 skp_blocks=0", "", "", ideal);
    fast.driver().read(later, 4096, 64);
    fast.run();
    CHECK(fast.round_trip(0) == 4 * (15_ns).raw + 2 * (1_ns).raw + 2 + (8_ns).raw);
}

TEST_CASE("stamps record the round trip layer by layer", "[cxl][port]") {
    for (const auto& [flit, wires] : {std::pair {"flit=68B", 3 * flit_time},
                                      {"flit=256B", (16_ns).raw},
                                      {"flit=256B-lopt", (8_ns).raw}}) {
        Machine m {1};
        m.sim().stamps().enable(1);
        const auto link = arguments(std::string("skp_blocks=0 ") + flit);
        m.add("gen", "mem.TrafficGen", arguments("requests=1 size=64"));
        m.add("root", "cxl.RootPort", link);
        m.add("device", "cxl.DevicePort", link);
        m.add("medium", "mem.SimpleMemory", arguments(ideal));
        m.bind("gen", "mem_side", "root", "cpu_side");
        m.bind("root", "flits_out", "device", "flits_in");
        m.bind("device", "flits_out", "root", "flits_in");
        m.bind("device", "mem_side", "medium", "cpu_side");
        m.build(), m.start();
        REQUIRE(m.run(never) == Stop::idle);
        const Stamps& s = m.sim().stamps();
        REQUIRE(s.closed() == 1);
        CHECK(s.sum(LinkStage::conversion) == 4 * (2_ns).raw);
        CHECK(s.sum(LinkStage::transaction) == 4 * (2_ns).raw);
        CHECK(s.sum(LinkStage::link) == 4 * (3_ns).raw);
        CHECK(s.sum(LinkStage::physical) == 4 * (8_ns).raw);
        CHECK(s.sum(LinkStage::wires) == static_cast<Uint128>(wires + 2 * (1_ns).raw));
    }
}

TEST_CASE("a request over several lines becomes one message per line and one answer",
          "[cxl][port]") {
    Linked b;
    b.driver().read(later, 96, 128); // a half, a whole and a half
    auto& masked = b.driver().plan(later, Command::read, 256, 128);
    masked.sectors = 0b1001; // a half of each of two lines
    b.run();
    CHECK(b.driver().state.answers.size() == 2);
    CHECK(value(b.root().stat.reads) == 5);
    CHECK(value(b.m.get<mem::SimpleMemory>("medium").stat.bytes) == 128 + 64);
}

TEST_CASE("a write is whole, half, or with byte enables; a posted one is answered only on the link",
          "[cxl][port]") {
    Linked b;
    b.driver().write(later, 0, 64, true);
    b.driver().write(later, 96, 32, true);
    b.driver().write(later, 128, 40, false); // a sector in part
    b.driver().plan(later, Command::write, 256, 64).partial = 2;
    b.driver().plan(later, Command::atomic, 320, 4);
    b.run();
    CHECK(value(b.root().stat.writes) == 2);
    CHECK(value(b.root().stat.partial_writes) == 3);
    CHECK(b.driver().state.answers.size() == 3);
    CHECK(value(b.m.get<mem::SimpleMemory>("medium").stat.writes) == 5);
}

TEST_CASE("a hint is a MemSpecRd of a line or of 1 to 4 units of 256 bytes, without an answer",
          "[cxl][port]") {
    Linked b("", "", "", "depth=8", "test_mem.HintSink");
    b.driver().plan(later, Command::hint, 256 * 3 + 96, 32, true);
    b.driver().plan(later, Command::hint, 256 * 5, 256, true);
    b.driver().plan(later, Command::hint, 256 * 8 + 100, 300, true);
    b.driver().plan(later, Command::hint, 0, 4096, true);
    b.run();
    CHECK(b.m.get<test_mem::HintSink>("medium").state.hinted ==
          std::deque<std::uint64_t> {256 * 3 + 64, 256 * 5, 256 * 8, 0});
    CHECK(value(b.root().stat.speculative_reads) == 4);
    CHECK(value(b.device().stat.hints) == 4);
    CHECK(b.driver().state.answers.empty());
    CHECK(b.device().state.link.messages.credits.owed[0] == 0); // its credits have returned

    Linked deaf; // a medium that takes none
    deaf.driver().plan(later, Command::hint, 0, 256, true);
    deaf.run();
    CHECK(value(deaf.device().stat.hints_dropped) == 1);

    Linked full("", "buffer=16");
    for (unsigned i = 0; i < 24; ++i) full.driver().plan(later, Command::hint, i * 256, 256, true);
    full.run();
    CHECK(value(full.root().stat.hints_dropped) + value(full.root().stat.speculative_reads) == 24);
}

TEST_CASE("hints that find no room for a message are dropped at the root port", "[cxl][port]") {
    Linked b("credits=4 flush=1us", "buffer=16", "", "pause=1us", "test_mem.HintSink");
    for (unsigned i = 0; i < 60; ++i) b.driver().plan(later, Command::hint, i * 256, 256, true);
    b.run();
    CHECK(value(b.root().stat.hints_dropped) > 0);
    CHECK(value(b.root().stat.hints_dropped) + value(b.root().stat.speculative_reads) == 60);
}

TEST_CASE("responses report the occupancy of the ingress queue", "[cxl][port]") {
    CHECK(load_of(15, 64) == DevLoad::light);
    CHECK(load_of(16, 64) == DevLoad::optimal);
    CHECK(load_of(31, 64) == DevLoad::optimal);
    CHECK(load_of(32, 64) == DevLoad::moderate);
    CHECK(load_of(47, 64) == DevLoad::moderate);
    CHECK(load_of(48, 64) == DevLoad::severe);
    CHECK(load_of(64, 64) == DevLoad::severe);

    // A slow medium that takes one at a time: the queue fills, and empties at the end.
    Linked b("", "", "", "queue=1 bandwidth=1GB/s");
    for (unsigned i = 0; i < 400; ++i) b.driver().read(later, i * 64, 64);
    b.run();
    for (const auto load : {DevLoad::light, DevLoad::optimal, DevLoad::moderate, DevLoad::severe}) {
        INFO(static_cast<int>(load));
        CHECK(b.device().stat.loads[load].value() > 10);
        CHECK(b.device().stat.loads[load].value() == b.root().stat.loads[load].value());
    }
    Linked idle;
    for (unsigned i = 0; i < 10; ++i) idle.driver().read(later * (1 + i), i * 64, 64);
    idle.run();
    CHECK(value(idle.device().stat.loads[DevLoad::light]) == 10);
}

TEST_CASE("messages are counted from their arrival at the device to the medium's answer",
          "[cxl][port]") {
    Linked b("", "", "", "queue=64 bandwidth=1GB/s"); // the medium takes all of them at once
    for (unsigned i = 0; i < 40; ++i) b.driver().read(later, i * 64, 64);
    b.run();
    CHECK(b.m.stat_value("device", "ingress", "peak") > 30);
    // Each waits until the earlier ones have been served, 64 ns each.
    const double area = b.m.stat_value("device", "ingress", "area");
    CHECK(area > 40 * 40 / 2 * 64); // ns
    CHECK(area < 40 * 43 / 2 * 64);
}

TEST_CASE("a share of a window blocked at the egress raises the load", "[cxl][port]") {
    EgressPressure p;
    const auto load = [&](Tick now) { return p.load(now, 800, 10_pct, 25_pct); };
    const auto blocked = [&](Tick from, Tick until) {
        p.set(from, true, 800);
        p.set(until, false, 800);
    };
    blocked(100, 179);
    CHECK(load(800) == DevLoad::light); // 79 of 800
    blocked(900, 980);
    CHECK(load(1599) == DevLoad::light);    // the window is not over
    CHECK(load(1600) == DevLoad::moderate); // 80
    blocked(1700, 1899);
    CHECK(load(2400) == DevLoad::moderate); // 199
    blocked(2500, 2700);
    CHECK(load(3199) == DevLoad::moderate);
    CHECK(load(3200) == DevLoad::severe); // 200
    CHECK(load(4000) == DevLoad::light);
    p.set(4800, true, 800);
    CHECK(load(5600) == DevLoad::severe); // all the time
    CHECK(load(9000) == DevLoad::severe);
    p.set(9600, false, 800);
    CHECK(load(9700) == DevLoad::severe);
    CHECK(load(10400) == DevLoad::light);
}

TEST_CASE("an invalid link is rejected with a message", "[cxl][port]") {
    const auto error = [](const std::string& both, const std::string& root = "",
                          const std::string& device = "") -> std::string {
        try {
            Linked b(both, root, device);
            b.m.build();
        } catch (const ConfigError& e) {
            return e.what();
        }
        return "";
    };
    CHECK_THAT(error("lanes=16 port_lanes=8"),
               Contains("root.lanes: '16' must be at most port_lanes = 8"));
    CHECK_THAT(error("", "lanes=16"),
               Contains("root.lanes: '16' must be equal at both ends of a link: it is '8' at "
                        "device"));
    CHECK_THAT(error("", "", "controller=smt"), Contains("must be equal at both ends"));
    CHECK_THAT(error("retry_buffer=22"),
               Contains("root.retry_buffer: '22' flits are sent in less than a round trip") &&
                   Contains("it must be at least 51"));
    CHECK(error("retry_buffer=51") == "");
    CHECK_THAT(error("retry_buffer=50"), Contains("at least 51"));
    CHECK(error("retry_buffer=128 controller=smt") == "");
    CHECK(error("retry_buffer=33 lanes=1 generation=3") == "");
    CHECK_THAT(error("timeout=64 controller=smt"), Contains("less than a round trip"));
    CHECK_THAT(error("", "flit=256B"),
               Contains("root.flit: '256B' must be equal at both ends of a link: it is '68B' at "
                        "device"));
    CHECK_THAT(error("flit=256B", "", "flit=256B-lopt"), Contains("must be equal at both ends"));
    CHECK_THAT(error("flit=128B"), Contains("256B-lopt"));
    CHECK_THAT(error("generation=6"),
               Contains("root.generation: '6' requires flits of 256 bytes: flit is '68B'"));
    CHECK_THAT(error("flit=256B generation=6 sync_bypass=false"),
               Contains("root.sync_bypass: blocks of generation 6 have no sync headers: set it to "
                        "true"));
    CHECK(error("flit=256B generation=5 sync_bypass=false") == "");
    CHECK_THAT(error("flit=256B retry_buffer=24"), Contains("at least 25"));
    CHECK(error("flit=256B retry_buffer=25") == "");
    CHECK_THAT(error("flit=256B timeout=72"), Contains("at least 73"));
    CHECK(error("flit=256B timeout=73") == "");
    CHECK_THAT(error("lanes=3"), Contains("must be a power of two"));
    CHECK_THAT(error("controller=fast"), Contains("ours"));
}

TEST_CASE("a request with more lines than may wait is rejected with a message", "[cxl][port]") {
    Linked b("", "buffer=16 outstanding=16");
    b.driver().read(later, 0, 16 * 64);
    b.run();
    for (const auto& [address, bytes] : {std::pair {32u, 16u * 64}, {0u, 1u << 31}}) {
        Linked more("", "buffer=16 outstanding=16");
        more.driver().read(later, address, bytes);
        more.m.build(), more.m.start();
        CHECK_THROWS_WITH(more.m.run(never),
                          Contains("root.buffer: a request of " + std::to_string(bytes) +
                                   " bytes needs more than 16 messages"));
    }
}

TEST_CASE("both wires of a port go to one port at the other end", "[cxl][port]") {
    Machine m;
    for (const char* n : {"a", "b"}) {
        const std::string s(n);
        m.add("driver_" + s, "test_mem.Driver", {});
        m.add("root_" + s, "cxl.RootPort", {});
        m.bind("driver_" + s, "mem_side", "root_" + s, "cpu_side");
    }
    m.bind("root_a", "flits_out", "root_b", "flits_in");
    m.bind("root_b", "flits_out", "root_a", "flits_in");
    CHECK_THROWS_WITH(m.build(), Contains("connect a root port to a device port"));
}

namespace memsim::test_cxl {

using namespace memsim::literals;
using protocol::DevLoad;

/// Reports loads of a medium on command, and records those that a root port forwards.
class LoadReporter final : public Model<LoadReporter> {
  public:
    struct Params {
        Param<Time> severe_from {10_us, "From when it is severe"};
        Param<Time> severe_to {20_us, "Until when"};
    };
    struct Ports {
        Out<protocol::DeviceLoad> load {{}, "Loads"};
        In<protocol::DeviceLoad> telemetry {{.depth = [](const void*) { return 64u; }}, "Seen"};
    };
    struct Stats {
        Counter seen {Unit::count, "Loads seen"};
    };
    struct State {
        DevLoad reported = DevLoad::light;
        std::vector<std::uint8_t> seen;
        Timer next;
    };
    explicit LoadReporter(const Params& p) : params(p) {}
    void start() override { arm(state.next, params.severe_from()); }
    void wake() override {
        for (; !port.telemetry.empty(); ++stat.seen)
            state.seen.push_back(static_cast<std::uint8_t>(port.telemetry.pop().load));
        const bool severe = now() >= params.severe_from->raw && now() < params.severe_to->raw;
        const DevLoad load = severe ? DevLoad::severe : DevLoad::light;
        if (load != state.reported) port.load.send({state.reported = load});
        if (severe) arm(state.next, params.severe_to->raw);
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<LoadReporter> load_reporter {"Reports and records DevLoad; for tests."};

} // namespace memsim::test_cxl

TEST_CASE("each response carries the medium's load, which is sent to `telemetry`", "[cxl][port]") {
    Linked b;
    b.m.add("reporter", "test_cxl.LoadReporter", {});
    b.m.bind("reporter", "load", "device", "medium_load");
    b.m.bind("root", "telemetry[0]", "reporter", "telemetry");
    for (const unsigned us : {2, 5, 11, 15, 19, 22})
        if (us == 15)
            b.driver().write((15_us).raw, 0, 64, false);
        else
            b.driver().read(us * (1_us).raw, 64 * us, 64);
    b.run();
    CHECK(b.m.get<test_cxl::LoadReporter>("reporter").state.seen ==
          std::vector<std::uint8_t> {0, 0, 3, 3, 3, 0});
    CHECK(value(b.root().stat.loads[DevLoad::severe]) == 3);
    CHECK(value(b.root().stat.lost_telemetry) == 0);
}
