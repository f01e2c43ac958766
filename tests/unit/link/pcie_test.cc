#include "link/pcie.hh"

#include "../gpu/mmu_support.hh"
#include "../mem/hint_sink.hh"

namespace memsim::pcie_test {

using namespace memsim::test_mmu;
using Catch::Matchers::Contains;
using link::Pcie;

namespace {

/// A driver on each requested side, and its requests.
struct Linked {
    Machine m {1};
    explicit Linked(const std::string& params = "", const std::string& memory = "") {
        m.add("pcie", "link.Pcie", arguments(params));
        add("host", "from_host", "to_device", memory);
        add("device", "from_device", "to_host", memory);
        m.build();
    }
    void add(const std::string& name, const char* in, const char* out, const std::string& memory) {
        m.add(name, "test_mem.Driver", {});
        m.add(name + "_asks", "test_mmu.Recorder", arguments(memory));
        m.bind(name, "mem_side", "pcie", in);
        m.bind("pcie", out, name + "_asks", "cpu_side[0]");
    }
    test_mem::Driver& host() { return m.get<test_mem::Driver>("host"); }
    test_mem::Driver& device() { return m.get<test_mem::Driver>("device"); }
    const Recorder::Seen& last(const char* device) {
        return m.get<Recorder>(std::string(device) + "_asks").state.seen.back();
    }
    Pcie& pcie() { return m.get<Pcie>("pcie"); }
    void run() {
        m.start();
        m.run(never);
        CHECK_FALSE(m.pending());
        CHECK(m.imbalances() == std::vector<std::string> {});
    }
};

/// Bytes at the rate of a link; the rest of a femtosecond is carried over.
Tick takes(std::int64_t bytes, unsigned generation = 3, unsigned lanes = 16) {
    const Int128 rate = Pcie::rate(generation, lanes).raw;
    return static_cast<Tick>(Int128 {bytes} * ticks_per_second / rate);
}
constexpr Tick latency = (250_ns).raw;

} // namespace

TEST_CASE("Rates of PCIe: generations and lanes, encoding subtracted", "[pcie]") {
    CHECK(Pcie::rate(1, 1).raw == 250'000'000);
    CHECK(Pcie::rate(2, 16).raw == 8'000'000'000);
    CHECK(Pcie::rate(3, 16).raw == 15'753'846'153);
    CHECK(Pcie::rate(4, 8).raw == 15'753'846'153);
    CHECK(Pcie::rate(5, 16).raw == 63'015'384'615);
    CHECK(Pcie::rate(6, 16).raw == 118'000'000'000);
}

TEST_CASE("A write crosses in its bytes' time and the latency; so does a read, there and back",
          "[pcie]") {
    Linked b;
    b.host().write(0, 0, 128);
    b.device().read(0, 0, 64);
    b.run();
    CHECK(b.last("host").at == 1 + takes(24 + 128) + latency);
    CHECK(b.last("device").at == 1 + takes(24) + latency);
    CHECK(b.device().answered(0) ==
          1 + takes(24) + latency + (100_ns).raw + takes(24 + 64) + latency);
    CHECK(value(b.pcie().stat.down_packets) == 2); // the write and the answer
    CHECK(value(b.pcie().stat.up_packets) == 1);
}

TEST_CASE("Bandwidth of PCIe is that of full packets", "[pcie]") {
    for (const auto& [payload, packet] :
         {std::pair {"payload=256B", 256}, {"payload=128B", 128}, {"payload=512B", 512}}) {
        Linked b(payload);
        constexpr int n = 4096;
        for (unsigned i = 0; i < n; ++i) b.host().write(0, i * 128, 128);
        b.run();
        const std::int64_t data = n * 128;
        CHECK(b.last("host").at == 1 + takes(data / packet * (packet + 24)) + latency);
        CHECK(value(b.pcie().stat.down_data) == static_cast<std::uint64_t>(data));
    }
    Linked scattered; // each its own packet
    for (unsigned i = 0; i < 1000; ++i) scattered.host().write(0, i * 4096, 128);
    scattered.run();
    CHECK(scattered.last("host").at == 1 + takes(1000 * (128 + 24)) + latency);
}

TEST_CASE("Reads of the host fill the way up, as far as as many may wait for it", "[pcie]") {
    for (const bool enough : {true, false}) {
        Linked b(enough ? "" : "outstanding=8");
        constexpr int n = 2048;
        for (unsigned i = 0; i < n; ++i) b.host().read(0, i * 128, 128);
        b.run();
        const Tick one = takes(24) + latency + (100_ns).raw + takes(24 + 128) + latency;
        const Tick end = b.host().answered(n - 1);
        if (enough) // the first answer's way, then answers back to back
            CHECK(end ==
                  Approx(static_cast<double>(one + takes(n / 2 * (256 + 24)))).epsilon(0.01));
        else // eight at a time wait for the device
            CHECK(end ==
                  Approx(static_cast<double>((latency + (100_ns).raw) * n / 8)).epsilon(0.04));
    }
}

TEST_CASE("Writes that are waited for one by one all arrive", "[pcie]") {
    for (const bool host : {true, false}) { // alone, for nothing of the other side to wake the link
        Linked b("outstanding=1");
        test_mem::Driver& driver = host ? b.host() : b.device();
        for (unsigned i = 0; i < 4; ++i) driver.write(0, i * 128, 128, false);
        b.run();
        CHECK(driver.state.answers.size() == 4);
    }
}

TEST_CASE("The two directions of PCIe do not disturb each other", "[pcie]") {
    Linked b;
    for (unsigned i = 0; i < 1000; ++i) {
        b.host().write(0, i * 128, 128);
        b.device().write(0, i * 128, 128);
    }
    b.run();
    const Tick end = 1 + takes(1000 / 2 * (256 + 24)) + latency;
    CHECK(b.last("host").at == end);
    CHECK(b.last("device").at == end);
}

TEST_CASE("Answers and requests share a direction in turns", "[pcie]") {
    Linked b;
    for (unsigned i = 0; i < 500; ++i) {
        b.host().write(0, i * 4096, 128);
        b.device().read(0, i * 4096, 128); // answers come down, too
    }
    b.run();
    CHECK(value(b.pcie().stat.down_bytes) == 1000 * (128 + 24));
    const Tick alone = 1 + takes(500 * (128 + 24)) + latency;
    CHECK(b.last("host").at > alone * 3 / 2);
    CHECK(b.device().answered(499) < alone * 5 / 2 + 3 * latency);
}

TEST_CASE("A link delays messages for which the other side has no room", "[pcie]") {
    Linked b("", "queue=2 latency=1us"); // the answers take long; the queue empties at once
    for (unsigned i = 0; i < 100; ++i) b.host().write(0, i * 128, 128, false);
    b.run();
    // Two in flight to the receiver in each round trip of its credits.
    CHECK(b.last("host").at >= 49 * 2 * latency);
}

TEST_CASE("A slice of a machine has its share of the link", "[pcie]") {
    Linked b("share=25%");
    b.host().write(0, 0, 128);
    b.run();
    CHECK(b.last("host").at == 1 + takes(24 + 128, 3, 4) + latency); // four lanes of sixteen
}

TEST_CASE("A wrong PCIe link is refused", "[pcie]") {
    auto error = [](const std::string& params) -> std::string {
        try {
            Linked b(params);
        } catch (const ConfigError& e) {
            return e.what();
        }
        return "";
    };
    CHECK(error("lanes=12") == "pcie.lanes: '12' must be a power of two (Lanes of the link)");
    CHECK_THAT(error("payload=200B"), Contains("pcie.payload: '200B' must be a power of two"));
    CHECK(error("generation=7").find("must be from 1 to 6") != std::string::npos);

    Machine half;
    half.add("pcie", "link.Pcie", {});
    half.add("host", "test_mem.Driver", {});
    half.bind("host", "mem_side", "pcie", "from_host");
    CHECK_THROWS_WITH(half.build(), Contains("enter at from_host and leave at to_device"));
    Machine none;
    none.add("pcie", "link.Pcie", {});
    CHECK_THROWS_WITH(none.build(), Contains("no component sends over this link"));
}

TEST_CASE("A hint crosses PCIe like a read if the receiver accepts it at once", "[pcie]") {
    Machine m;
    m.add("host", "test_mem.Driver", {});
    m.add("pcie", "link.Pcie", {});
    m.add("sink", "test_mem.HintSink", arguments("depth=1 pause=10us"));
    m.bind("host", "mem_side", "pcie", "from_host");
    m.bind("pcie", "to_device", "sink", "cpu_side");
    auto& host = m.get<test_mem::Driver>("host");
    using test_mem::Command;
    for (unsigned i = 0; i < 3; ++i) host.plan(0, Command::hint, 64 * i, 64, true);
    m.build(), m.start(), m.run(never);
    const auto& stat = m.get<Pcie>("pcie").stat;
    CHECK(m.get<test_mem::HintSink>("sink").state.hinted == std::deque<std::uint64_t> {0});
    CHECK(value(stat.down_hints_dropped) == 2);
    CHECK(value(stat.down_packets) == 1);
    CHECK(value(stat.down_bytes) == 24); // no data and no answer
    CHECK(value(stat.up_packets) == 0);

    Linked deaf;
    deaf.host().plan(0, Command::hint, 0, 64, true);
    deaf.run();
    CHECK(value(deaf.pcie().stat.down_packets) == 0);
    CHECK(value(deaf.pcie().stat.down_hints_dropped) == 1);

    Machine up;
    up.add("device", "test_mem.Driver", {});
    up.add("pcie", "link.Pcie", {});
    up.add("sink", "test_mem.HintSink", arguments("depth=1 pause=10us"));
    up.bind("device", "mem_side", "pcie", "from_device");
    up.bind("pcie", "to_host", "sink", "cpu_side");
    for (unsigned i = 0; i < 3; ++i)
        up.get<test_mem::Driver>("device").plan(0, Command::hint, 64 * i, 64, true);
    up.build(), up.start(), up.run(never);
    CHECK(value(up.get<Pcie>("pcie").stat.up_hints_dropped) == 2);
    CHECK(value(up.get<Pcie>("pcie").stat.up_bytes) == 24);
}

} // namespace memsim::pcie_test
