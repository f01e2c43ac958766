#include "support.hh"

namespace memsim::test_cxl_gpu::queue_logic_test {

namespace {

using Addresses = std::vector<std::uint64_t>;

Bench bench(const std::string& queues, const std::string& endpoint = "") {
    return Bench({{}, queues, endpoint});
}
/// From the driver's sending to the endpoint: its link, the look-up.
constexpr Tick there = 1 + ns;
/// From one request's arrival at the endpoint to that of another that waited for its answer.
constexpr Tick next = 100 * ns + 1 + ns;

} // namespace

TEST_CASE("A request keeps its entry of the memory queue until its answer", "[cxl_gpu]") {
    const bool posted = GENERATE(true, false);
    Bench b = bench("read_ahead=none memory_queue=2");
    Driver& d = b.driver();
    d.write(0, 0, 64, posted);
    d.read(0, 64, 64);
    d.read(0, 128, 64);
    d.write(0, 192, 64, posted);
    b.run();
    const Endpoint& e = b.endpoint();
    CHECK(e.when(Command::write, 0) == there);
    CHECK(e.when(Command::read, 64) == there);
    CHECK(e.when(Command::read, 128) == there + next);
    CHECK(e.when(Command::write, 192) == there + next);
    CHECK(d.answered(0) == (posted ? -1 : there + 100 * ns + 2));
    CHECK(d.answered(2) == there + next + 100 * ns + 2);
    const auto& stat = b.queues().stat;
    CHECK(value(stat.requests[cxl_gpu::RequestPath::store]) == 2);
    CHECK(value(stat.requests[cxl_gpu::RequestPath::plain]) == 2);
    CHECK(stat.read_latency.count() == 2);
    CHECK(stat.write_latency.count() == 2);
}

TEST_CASE("Loads wait in the memory queue while the endpoint serves as many as it may",
          "[cxl_gpu]") {
    Bench b = bench("read_ahead=naive loads_at_once=1");
    Driver& d = b.driver();
    d.read(0, 0, 64);
    d.read(0, 4096, 64);
    d.write(0, 8192, 64);
    b.run();
    const Endpoint& e = b.endpoint();
    CHECK(e.when(Command::read, 0) == there);
    CHECK(e.when(Command::read, 4096) == there + next);
    // Speculative reads and stores pass the load that waits.
    CHECK(e.when(Command::hint, 4096) == there);
    CHECK(e.when(Command::write, 8192) == there);
}

TEST_CASE("A speculative read leaves the memory queue when it is sent", "[cxl_gpu]") {
    Bench b = bench("read_ahead=naive memory_queue=1");
    for (std::uint64_t i = 0; i < 4; ++i) b.driver().read(i ? 10 * ns : 0, i * 4096 + 192, 64);
    b.run();
    const Endpoint& e = b.endpoint();
    CHECK(e.addresses(Command::hint) == Addresses {192, 4288, 8384, 12480});
    for (const auto& s : e.state.seen)
        if (s.request.is_hint()) CHECK(s.request.bytes == 64);
    // The only entry belongs to the first load. Its answer wakes all waiting loads, and one of them
    // gets the entry.
    CHECK(e.when(Command::hint, 192) == there);
    CHECK(e.when(Command::read, 192) == there);
    for (std::uint64_t i = 1; i < 4; ++i)
        CHECK(e.when(Command::hint, i * 4096 + 192) == there + next);
    for (std::uint64_t i = 1; i < 4; ++i)
        CHECK(e.when(Command::read, i * 4096 + 192) == there + static_cast<Tick>(i) * next);
    const auto& stat = b.queues().stat;
    CHECK(value(stat.requests[cxl_gpu::RequestPath::speculated]) == 4);
    CHECK(value(stat.speculative_reads[cxl_gpu::SpecLength::line]) == 4);
    CHECK(value(stat.speculative_bytes) == 256);
    CHECK(stat.lead.percentile(100) >= 2 * 100 * ns); // the wait of the last
}

TEST_CASE("A hint causes one speculative read of its units", "[cxl_gpu]") {
    const std::string policy = GENERATE("none", "window");
    Bench b = bench("read_ahead=" + policy);
    Driver& d = b.driver();
    d.plan(0, Command::hint, 4096 + 300, 64, true);       // in one unit
    d.plan(us, Command::hint, 4096 + 300, 64, true);      // read ahead already
    d.plan(2 * us, Command::hint, 8192 + 128, 256, true); // in two
    d.plan(3 * us, Command::hint, 16384, 4096, true);     // no more than four can be named
    d.read(4 * us, 4096 + 256, 64);
    b.run();
    CHECK(b.endpoint().addresses(Command::hint) == Addresses {4096 + 256, 8192, 16384});
    const auto& stat = b.queues().stat;
    CHECK(value(stat.hints) == 3);
    CHECK(value(stat.hints_dropped) == 1);
    CHECK(value(stat.speculative_bytes) == 256 + 512 + 1024);
    if (policy == "window") CHECK(value(stat.requests[cxl_gpu::RequestPath::covered]) == 1);
}

TEST_CASE("A hint is dropped if the memory queue is full or severe load stops speculation",
          "[cxl_gpu]") {
    Bench full = bench("read_ahead=none memory_queue=1");
    full.driver().read(0, 0, 64);
    full.driver().plan(1, Command::hint, 4096, 256, true);
    full.run();
    CHECK(value(full.queues().stat.hints_dropped) == 1);
    Bench halted = bench("read_ahead=window");
    halted.load(0, DevLoad::severe);
    halted.driver().plan(us, Command::hint, 4096, 256, true);
    halted.run();
    CHECK(value(halted.queues().stat.hints_dropped) == 1);
    CHECK(halted.endpoint().addresses(Command::hint) == Addresses {});
}

TEST_CASE("Speculative reads wait in the memory queue for the root port", "[cxl_gpu]") {
    Bench b =
        bench("read_ahead=naive memory_queue=4 sr_queue=4 least_sr_queue=4", "queue=1 takes=false");
    for (std::uint64_t i = 0; i < 8; ++i) b.driver().read(0, i * 4096, 64);
    b.m.start();
    b.m.run(us);
    // One was sent. Three more and the first load have the four entries.
    CHECK(b.queues().state.memory_queue.size() == 4);
    CHECK(b.queues().state.memory_queue.any_unsent(true));
    CHECK(b.queues().state.sr_queue.size() == 4);
}

TEST_CASE("A load and its speculative read have separate entries", "[cxl_gpu]") {
    Bench b = bench("read_ahead=naive memory_queue=8", "queue=1 takes=false");
    for (std::uint64_t i = 0; i < 4; ++i) b.driver().read(0, i * 4096, 64);
    b.m.start();
    b.m.run(us);
    CHECK(b.queues().state.memory_queue.size() == 3 + 4); // one was sent
    CHECK(b.queues().state.sr_queue.empty());
}

TEST_CASE("A load within a range that was read ahead is a plain request", "[cxl_gpu]") {
    const std::string ring = GENERATE("32", "1");
    Bench b = bench("read_ahead=fixed(bytes=512B) ring=" + ring);
    Tick at = 0;
    for (const std::uint64_t address : {64, 0, 448, 512, 320}) {
        b.driver().read(at, address, 64);
        at += us;
    }
    b.run();
    const auto& stat = b.queues().stat;
    if (ring == "32") {
        CHECK(b.endpoint().addresses(Command::hint) == Addresses {0, 512});
        CHECK(value(stat.requests[cxl_gpu::RequestPath::covered]) == 3);
    } else
        CHECK(b.endpoint().addresses(Command::hint) == Addresses {0, 512, 256});
    CHECK(value(stat.requests[cxl_gpu::RequestPath::speculated]) == (ring == "32" ? 2 : 3));
}

TEST_CASE("With a blind policy each load has its own speculative read", "[cxl_gpu]") {
    Bench b = bench("read_ahead=naive");
    for (std::uint64_t i = 0; i < 3; ++i) b.driver().read(0, 64 * i, 64);
    b.run();
    CHECK(b.endpoint().addresses(Command::hint) == Addresses {0, 64, 128});
}

TEST_CASE("The load reported by answers sets the granularity", "[cxl_gpu]") {
    Bench b = bench("read_ahead=dynamic");
    b.load(0, DevLoad::light);
    b.load(399 * ns, DevLoad::light);
    b.driver().read(399 * ns + 10, 0, 64);
    b.load(600 * ns, DevLoad::moderate);
    b.driver().read(600 * ns + 10, 4096, 64);
    b.run();
    const auto& stat = b.queues().stat;
    CHECK(value(stat.speculative_reads[cxl_gpu::SpecLength::two]) == 1);
    CHECK(value(stat.speculative_reads[cxl_gpu::SpecLength::three]) == 1); // 1024 B, shrunk
    CHECK(value(stat.reports[DevLoad::moderate]) == 2);                    // with an answer, too
}

TEST_CASE("Severe load halts the queue logic's speculative reads until the load is light",
          "[cxl_gpu]") {
    const std::string policy = GENERATE("dynamic", "window", "naive", "fixed");
    Bench b = bench("read_ahead=" + policy);
    b.load(0, DevLoad::severe);
    b.driver().read(1 * us, 0, 64);
    b.load(2 * us, DevLoad::optimal);
    b.driver().read(3 * us, 8192, 64);
    b.load(4 * us, DevLoad::light);
    b.driver().read(5 * us, 16384, 64);
    b.run();
    const auto& stat = b.queues().stat;
    const bool heeds = policy == "dynamic" || policy == "window";
    CHECK(b.endpoint().stat.hints.value() == (heeds ? 1 : 3));
    CHECK(b.endpoint().stat.reads.value() == 3);
    CHECK(value(stat.requests[cxl_gpu::RequestPath::halted]) == (heeds ? 2 : 0));
    CHECK(value(stat.halts) == (heeds ? 1 : 0));
}

TEST_CASE("A load that waits during a halt has its own speculative read afterwards", "[cxl_gpu]") {
    Bench b = bench("read_ahead=dynamic memory_queue=1");
    b.load(0, DevLoad::severe);
    for (std::uint64_t i = 0; i < 3; ++i) b.driver().read(10 * ns, i * 4096, 64);
    b.load(50 * ns, DevLoad::light);
    b.run();
    CHECK(b.endpoint().addresses(Command::hint) == Addresses {4096, 8192});
}

TEST_CASE("The granularity sets the length of the queue of speculative reads", "[cxl_gpu]") {
    const bool light = GENERATE(false, true);
    Bench b = bench("read_ahead=dynamic memory_queue=1 sr_queue=8 least_sr_queue=2 queue=1",
                    "least=10us most=10us");
    b.load(0, DevLoad::light);
    if (light) b.load(600 * ns, DevLoad::light);
    for (std::uint64_t i = 0; i < 16; ++i) b.driver().read(us, i * 4096, 64);
    b.m.start();
    b.m.run(5 * us);
    CHECK(b.queues().state.sr_queue.size() == (light ? 8 : 2));
}

TEST_CASE("A load does not move its own window", "[cxl_gpu]") {
    Bench b = bench("read_ahead=window(literal=true)");
    b.driver().read(us, 65536 + 128, 64);
    b.run();
    CHECK(b.endpoint().state.seen.front().request.address == 65536);
    CHECK(b.endpoint().state.seen.front().request.bytes == 512); // else 384 B would be 320 B
}

TEST_CASE("A window is made of both queues", "[cxl_gpu]") {
    Bench b = bench("read_ahead=window");
    b.load(0, DevLoad::light);
    b.load(200 * ns, DevLoad::optimal); // 512 B
    const std::uint64_t a = 65536;
    for (std::uint64_t i = 1; i <= 4; ++i) b.driver().write(us, a - 64 * i, 64, true);
    b.driver().read(us + ns, a + 32, 32);
    for (const std::uint64_t upcoming : {64, 128, 448}) b.driver().read(us + ns, a + upcoming, 64);
    b.run();
    for (const auto& s : b.endpoint().state.seen)
        if (s.request.is_hint()) {
            // [A - 512 B, A + 512 B) is made [A - 256 B, A + 320 B).
            CHECK(s.request.address == a - 256);
            CHECK(s.request.bytes == 512);
            break;
        }
    CHECK(b.endpoint().stat.hints.value() > 0);
}

// ---- the order of one address ----------------------------------------------------------------

TEST_CASE("A load waits for the answer of a store to its line; others overtake it", "[cxl_gpu]") {
    const std::string policy = GENERATE("none", "naive");
    Bench b = bench("read_ahead=" + policy);
    b.driver().write(0, 0, 64, true);
    b.driver().read(0, 32, 32);
    b.driver().read(0, 64, 64);
    b.run();
    const Endpoint& e = b.endpoint();
    CHECK(e.when(Command::write, 0) == there);
    CHECK(e.when(Command::read, 32) == there + next);
    CHECK(e.when(Command::read, 64) == (policy == "none" ? there + next : there));
}

TEST_CASE("A store waits for loads and stores of its line", "[cxl_gpu]") {
    const bool load = GENERATE(false, true);
    Bench b = bench("read_ahead=naive");
    load ? b.driver().read(0, 0, 64) : b.driver().write(0, 0, 64, true);
    b.driver().write(0, 32, 32, true);
    b.driver().write(0, 64, 64, true);
    b.run();
    CHECK(b.endpoint().when(Command::write, 32) == there + next);
    CHECK(b.endpoint().when(Command::write, 64) == there + next); // behind it
}

TEST_CASE("Store, load and store of one line execute in order", "[cxl_gpu]") {
    Bench b = bench("read_ahead=naive memory_queue=2");
    b.driver().write(0, 4096, 64, true); // answered later than the load that follows
    b.driver().read(10 * ns, 64, 64);
    b.driver().read(10 * ns, 4096, 64); // waits for the store
    b.driver().write(20 * ns, 4096, 64, true);
    b.run();
    CHECK(b.endpoint().when(Command::read, 4096) == there + next);
    Tick last = 0;
    for (const auto& s : b.endpoint().state.seen)
        if (s.request.command == Command::write) last = s.at;
    CHECK(last == there + 2 * next);
}

// ---- its purpose -----------------------------------------------------------------------------

TEST_CASE("Each policy of speculative reads covers loads that the previous one misses",
          "[cxl_gpu]") {
    struct Pass {
        Time gap, medium;
        bool backward;
    };
    /// Loads of a pass over 64 KiB whose unit had come from the medium.
    const auto hits = [](const Pass& pass, const std::string& queues) {
        Bench b = bench(queues, "medium=" + Text<Time>::show(pass.medium));
        for (std::uint64_t i = 0; i < 1024; ++i)
            b.driver().read(static_cast<Tick>(i) * pass.gap.raw,
                            64 * (pass.backward ? 1023 - i : i), 64);
        b.run();
        return value(b.endpoint().stat.hits);
    };
    // A load that waits for an entry gains its wait, one that does not gains nothing.
    const Pass crowded {25_ns, 3_us, false};
    CHECK(hits(crowded, "memory_queue=4 read_ahead=none") == 0);
    CHECK(hits(crowded, "memory_queue=4 read_ahead=naive") > 512);
    const Pass forward {100_ns, 700_ns, false}, backward {100_ns, 700_ns, true};
    CHECK(hits(forward, "read_ahead=naive") == 0);
    CHECK(hits(forward, "read_ahead=dynamic") > 512); // it reaches farther
    CHECK(hits(backward, "read_ahead=dynamic") == 0); // on the wrong side
    CHECK(hits(backward, "read_ahead=window") > 100);
}

// ---- misuse ----------------------------------------------------------------------------------

TEST_CASE("Invalid queue logic parameters are rejected", "[cxl_gpu]") {
    using Catch::Contains;
    const auto refused = [](const std::string& params, const char* why) {
        CHECK_THROWS_WITH(bench(params), Contains(why));
    };
    refused("memory_queue=0", "memory_queue: '0' is outside its range");
    refused("sr_queue=0", "sr_queue: '0' is outside its range");
    refused("sr_queue=4", "least_sr_queue: '8' must be at most sr_queue = 4");
    refused("least=300B", "least: '300B' must be a multiple of 256B");
    refused("most=700B", "most: '700B' must be a multiple of 256B");
    refused("step=100B", "step: '100B' is outside its range");
    refused("step=300B", "step: '300B' must be a multiple of 256B");
    refused("least=512B most=256B", "least: '512B' must be at most most = 256B");
    refused("read_ahead=fixed(bytes=64B)", "'64B' is outside its range");
    refused("read_ahead=unknown", "unknown");
}

TEST_CASE("Speculative reads require a root port that accepts them and reports the load",
          "[cxl_gpu]") {
    const auto machine = [](const std::string& read_ahead, const char* memory) {
        Machine m;
        m.add("driver", "test_mem.Driver", {});
        m.add("queues", "cxl_gpu.QueueLogic", {{"read_ahead", read_ahead}});
        m.add("memory", memory, {});
        m.bind("driver", "mem_side", "queues", "cpu_side");
        m.bind("queues", "mem_side", "memory", "cpu_side");
        m.build();
    };
    CHECK_THROWS_WITH(machine("naive", "mem.SimpleMemory"),
                      Catch::Contains("sends speculative reads, which memory does not accept"));
    CHECK_THROWS_WITH(machine("window", "test_cxl_gpu.Endpoint"),
                      Catch::Contains("depends on the endpoint's load: bind telemetry"));
    CHECK_NOTHROW(machine("none", "mem.SimpleMemory"));
    CHECK_NOTHROW(machine("fixed", "test_cxl_gpu.Endpoint"));
}

} // namespace memsim::test_cxl_gpu::queue_logic_test
