#include "../mem/driver.hh"
#include "core/kernel/registry.hh"

#include <catch2/catch.hpp>

using namespace memsim;
using Catch::Contains;
using test_mem::arguments;
using namespace memsim::literals;

static void build(Machine& m, const std::string& params, bool contents = true) {
    if (contents) m.carry_contents();
    m.add("driver", "test_mem.Driver", {});
    m.add("dedup", "cmd.Deduplicator", arguments("capacity=16KiB " + params));
    m.add("memory", "mem.SimpleMemory", {});
    m.bind("driver", "mem_side", "dedup", "cpu_side");
    m.bind("dedup", "mem_side", "memory", "cpu_side");
    m.build();
}
static void refused(const std::string& params, const std::string& sentence, bool contents = true) {
    INFO(params);
    Machine m(1);
    CHECK_THROWS_WITH(build(m, params, contents), Contains("dedup") && Contains(sentence));
}

TEST_CASE("Invalid deduplication parameters are rejected before time 0", "[cmd][misuse]") {
    const std::string alone = "assisted_read=false ";
    refused(alone + "hash_entries=0", "'0' is outside its range: it must be from 1");
    refused(alone + "hash_entries=100", "100 is not a whole number of sets of 16 ways");
    refused(alone + "hash_entries=8", "8 is not a whole number of sets of 16 ways");
    for (const std::string cache : {"map", "type", "mask"})
        refused(alone + cache + "_cache=1536B",
                cache + "_cache: 1536B is not a whole number of sets of 8 lines of 128B");
    refused(alone + "metadata_ways=3", "of 3 lines of 128B");
    refused("", "it requires an L2: bind `caches`, or set it to False");
    refused(alone, "build the machine with memsim.Root(contents=True)", false);
    refused(alone + "detection=none intra=nowhere compression=bpc",
            "build the machine with memsim.Root(contents=True)", false);
    refused(alone + "compression=bcd", "performs its own deduplication");
    refused(alone + "detection=none intra=nowhere compression=bcd(bases=100)",
            "bcd.bases: '100' must be a multiple of ways = 16");
    refused(alone + "channels=2 channel=2", "2 is not below channels = 2");
    Machine m(1);
    CHECK_NOTHROW(build(m, "detection=none intra=nowhere", false)); // it passes everything on
}

TEST_CASE("A request over two blocks, or of another controller, is refused", "[cmd][misuse]") {
    const auto run = [](std::uint64_t address, std::uint32_t bytes) {
        Machine m(1);
        build(m, "assisted_read=false channels=2 channel=1");
        m.get<test_mem::Driver>("driver").read(0, address, bytes);
        m.start();
        m.run(never);
    };
    CHECK_THROWS_WITH(run(256 + 96, 64), Contains("a request spans two blocks"));
    CHECK_THROWS_WITH(run(0, 32), Contains("address 0 is not one of its blocks"));
    CHECK_THROWS_WITH(run(2 * 16384 + 256, 32), Contains("is not one of its blocks"));
}

namespace memsim::test_cmd {

/// Reports the size of the program's memory.
class Program final : public Model<Program> {
  public:
    struct Params {
        Param<Bytes> memory {0_B, "From address 0 on"};
    };
    struct Ports {};
    struct Stats {};
    struct State {
        bool unused = false;
    };
    explicit Program(const Params& p) : params(p) {}
    void wake() override {}
    std::vector<MemoryUse> memory_uses() const override {
        return {{"the program's data", 0, static_cast<std::uint64_t>(params.memory->raw)}};
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Program> program {"Has memory; for tests."};

} // namespace memsim::test_cmd

TEST_CASE("Tables that overlap the program's memory are rejected before time 0", "[cmd][misuse]") {
    const auto with_program = [](const std::string& memory) {
        Machine m(1);
        m.add("program", "test_cmd.Program", {{"memory", memory}});
        build(m, "assisted_read=false channels=2 interleave=256B");
    };
    CHECK_NOTHROW(with_program("32KiB")); // of two controllers
    CHECK_THROWS_WITH(with_program("32769B"), Contains("program has the program's data") &&
                                                  Contains("the tables of deduplication") &&
                                                  Contains("place one of them elsewhere"));
}
