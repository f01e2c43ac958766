#include "flash/hbf/stack.hh"

#include "../mem/driver.hh"
#include "core/kernel/registry.hh"
#include "hbf_probes.hh"
#include "probes.hh"
#include "support.hh"

/// A stack of High Bandwidth Flash: times to the tick, and closed forms of its bandwidth.
namespace memsim::test_flash {

static const Registration<Refresher> refresher {"Test: blocks that are to be refreshed."};

} // namespace memsim::test_flash

namespace memsim::hbf_test {

using namespace memsim::test_flash;
using flash::HbfStack;
using protocol::FlashOp;
using protocol::FlashPlace;
using test_mem::arguments;

namespace {

constexpr std::uint64_t page = 4096;
// One channel of 2 dies with 2 banks each, blocks of 4 pages; 64 B take 1 ns, tR is 3 us. An answer
// takes 1 ns, a request 1 fs.
const Arguments small = arguments("channels=1 dies=2 banks=2 blocks=4 pages=4 t_read=3us "
                                  "t_program=100us t_erase=3ms rate=64GB/s latency=1ns "
                                  "retry_chance=0%");
constexpr Tick way = 1 + ns;         // request and answer
constexpr Tick sense = way + 3 * us; // of a page, without the wires
constexpr std::uint64_t banks = 4;
constexpr std::uint64_t row = banks * page; // pages with the same number in all banks

/// A driver of reads and a host in front of a stack.
struct Bench {
    Machine machine {5};
    explicit Bench(const std::string& more = "", bool contents = false, bool listens = false) {
        if (contents) machine.carry_contents();
        machine.add("driver", "test_mem.Driver", {});
        machine.add("host", "test_flash.Controller", arguments("latency=1fs"));
        machine.add("stack", "flash.HbfStack", with(small, arguments(more)));
        machine.bind("driver", "mem_side", "stack", "cpu_side");
        machine.bind("host", "to", "stack", "host[0]");
        if (listens) {
            machine.add("refresher", "test_flash.Refresher", {});
            machine.bind("stack", "refreshes", "refresher", "blocks");
        }
        machine.build();
    }
    HbfStack& stack() { return machine.get<HbfStack>("stack"); }
    test_mem::Driver& driver() { return machine.get<test_mem::Driver>("driver"); }
    Bench& read(Tick at, std::uint64_t address, std::uint32_t bytes = 64) {
        driver().read(at, address, bytes);
        return *this;
    }
    Bench& command(Tick at, FlashOp op, unsigned block, unsigned page_of_block,
                   std::uint32_t bytes = page) {
        protocol::FlashRequest r;
        r.place = {block, static_cast<std::uint16_t>(page_of_block), 0, 0, 0};
        r.op = op;
        r.bytes = bytes;
        machine.get<Controller>("host").state.script.push({at, r});
        return *this;
    }
    Bench& run() {
        test_flash::run(machine);
        return *this;
    }
    Tick answered(std::uint32_t tag) { return driver().answered(tag); }
    const std::vector<Controller::Seen>& done() {
        return machine.get<Controller>("host").state.log;
    }
    std::string error() {
        machine.start();
        return error_of([&] { machine.run(never); });
    }
};

} // namespace

TEST_CASE("A read of HBF takes a sense and the wires, to the tick", "[flash][hbf]") {
    Bench b;
    b.read(0, 0).read(10 * us, 0, 128).run();
    CHECK(b.answered(0) == sense + 1 * ns);
    CHECK(b.answered(1) == 10 * us + way + 2 * ns); // the page is in its buffer
    CHECK(value(b.stack().stat.cells.senses) == 1);
    CHECK(value(b.stack().stat.buffer_hits) == 1);
    CHECK(value(b.stack().stat.wires.wire_bytes) == 192);
}

TEST_CASE("Reads of a page that is being sensed share the sense", "[flash][hbf]") {
    Bench b;
    b.read(0, 0).read(1 * us, 64).read(2 * us, 4032).run();
    CHECK(b.answered(0) == sense + 1 * ns);
    CHECK(b.answered(1) == sense + 2 * ns);
    CHECK(b.answered(2) == sense + 3 * ns);
    CHECK(value(b.stack().stat.cells.senses) == 1);
    CHECK(value(b.stack().stat.joined) == 2);
}

TEST_CASE("Reads that share the sense of the host's read count as sharing it", "[flash][hbf]") {
    Bench b;
    b.read(0, row);                         // occupies the bank until 3 us
    b.command(1 * us, FlashOp::read, 0, 0); // page 0 of the bank
    b.read(2 * us, 0).read(2 * us, 64);     // the same page, later
    b.run();
    CHECK(value(b.stack().stat.cells.senses) == 2);
    CHECK(value(b.stack().stat.joined) == 2);
}

TEST_CASE("Wires move blocks of 64 bytes", "[flash][hbf]") {
    Bench b;
    b.read(0, 32, 32).read(10 * us, 0, 128);
    b.driver().state.plan.entries.back().message.sectors = 0b1001; // the first and the last of four
    b.read(20 * us, 0, 64).driver().state.plan.entries.back().message.sectors = 0b11;
    b.run();
    CHECK(value(b.stack().stat.wires.wire_bytes) == 64 + 128 + 64);
    CHECK(value(b.stack().stat.bytes) == 32 + 64 + 64);
}

TEST_CASE("Banks sense at once, one bank senses in turn", "[flash][hbf]") {
    Bench b;
    b.read(0, 0).read(0, page).read(0, row).run(); // two banks; the first one again
    CHECK(b.answered(0) == sense + 1 * ns);
    CHECK(b.answered(1) == sense + 2 * ns); // after it on the wires
    CHECK(b.answered(2) == sense + 3 * us + 1 * ns);
}

TEST_CASE("A bank has two page buffers; the one used longest ago goes", "[flash][hbf]") {
    Bench b;
    b.read(0, 0).read(10 * us, row).read(20 * us, 0); // both are kept
    b.read(30 * us, 2 * row);                         // takes the place of the second page
    b.read(40 * us, 0).read(50 * us, row);            // a hit, and a sense
    b.run();
    CHECK(b.answered(2) == 20 * us + way + 1 * ns);
    CHECK(b.answered(4) == 40 * us + way + 1 * ns);
    CHECK(b.answered(5) == 50 * us + sense + 1 * ns);
    CHECK(value(b.stack().stat.cells.senses) == 4);
}

TEST_CASE("A page buffer is not sensed into before its transfers end", "[flash][hbf]") {
    Bench b("rate=64MB/s"); // 64 B take 1 us
    for (unsigned i = 0; i < 8; ++i) b.read(0, 64 * i);
    b.read(0, row).read(0, 2 * row).run();
    const Tick first = sense + 8 * us; // the last transfer of the first page
    CHECK(b.answered(7) == first);
    CHECK(b.answered(8) == first + 1 * us); // was sensed meanwhile, into the second buffer
    // The third sense waits for a buffer: the first one is free when its last transfer has ended.
    CHECK(b.answered(9) == first - ns - 1 + 1 + 3 * us + 1 * us + ns);
}

TEST_CASE("Sequential reads reach banks x page / tR, then the wires' rate", "[flash][hbf]") {
    const auto time = [](const std::string& more, unsigned pages) {
        Bench b("requests=65536 queue=65536 blocks=64 " + more);
        for (unsigned i = 0; i < pages * page / 128; ++i) b.read(0, std::uint64_t {128} * i, 128);
        b.machine.get<test_mem::Driver>("driver");
        b.run();
        CHECK(value(b.stack().stat.cells.senses) == pages);
        return b.driver().state.answers.back().at;
    };
    const unsigned pages = 16;
    // Bound by the arrays: each of 4 banks senses a quarter of the pages, then the last four pages
    // take the wires.
    CHECK(time("", pages) == way + pages / 4 * 3 * us + 4 * 64 * ns);
    // Bound by the wires, 4 KiB in 4.096 us: after the first sense they never rest.
    CHECK(time("rate=1GB/s", pages) == sense + pages * 4096 * ns);
}

TEST_CASE("Random reads of one block each reach banks / tR", "[flash][hbf]") {
    Bench b("blocks=1024 pages=8 requests=4096");
    const unsigned reads = 400;
    for (unsigned i = 0; i < reads; ++i) // round the banks, never a page twice
        b.read(0, i % banks * page + i / banks * row);
    b.run();
    CHECK(b.driver().state.answers.back().at == way + reads / banks * 3 * us + 4 * ns);
    CHECK(value(b.stack().stat.cells.senses) == reads);
}

TEST_CASE("Figures of HBF: planes that fill a link", "[flash][hbf]") {
    const auto banks_to_fill = [](const std::string& more) {
        Bench b("page=4KiB channels=16 dies=16 banks=2 " + more);
        return b.stack().stat.figures.banks_to_fill.value();
    };
    // Bandwidth x tR / page, as papers of 2026 need it.
    CHECK(banks_to_fill("rate=192GB/s t_read=15us") == Approx(11250));
    CHECK(banks_to_fill("rate=62500MB/s t_read=2us") == Approx(488.3).margin(0.1));
    CHECK(banks_to_fill("rate=100GB/s t_read=5us") == Approx(1953).margin(0.2));
    Bench b("channels=16 dies=16 banks=2 t_read=2us blocks=4 endurance=1000");
    CHECK(b.stack().stat.figures.array_bandwidth.value() == Approx(512 * 4096 / 2e-6));
    CHECK(b.stack().stat.figures.life.value() == Approx(512 * 4 * 1000));
}

TEST_CASE("The host programs whole pages in order and erases blocks", "[flash][hbf]") {
    Bench b;
    b.command(0, FlashOp::erase, 1, 0);
    b.command(4000 * us, FlashOp::program, 1, 0, 512); // takes the wires as a whole page
    b.command(4000 * us, FlashOp::program, 1, 1);
    b.command(5000 * us, FlashOp::read, 1, 1).run();
    REQUIRE(b.done().size() == 4);
    CHECK(b.done()[0].at == way + 3000 * us);
    CHECK(b.done()[1].at == 4000 * us + way + 64 * ns + 100 * us);
    CHECK(b.done()[2].at == 4000 * us + way + 2 * (64 * ns + 100 * us)); // one array
    CHECK(b.done()[3].at == 5000 * us + sense + 64 * ns);
    const auto& stat = b.stack().stat.cells;
    CHECK(value(stat.programs) == 2);
    CHECK(value(stat.erases) == 1);
    CHECK(b.stack().state.cells.array.most_erases == 1);
}

TEST_CASE("HBF refuses what a host must not do", "[flash][hbf]") {
    using Catch::Contains;
    const auto error = [](auto&& script, const std::string& more = "") {
        Bench b(more);
        script(b);
        return b.error();
    };
    CHECK_THAT(error([](Bench& b) { b.command(0, FlashOp::program, 0, 0); }),
               Contains("erase the block first"));
    CHECK_THAT(error([](Bench& b) { b.command(0, FlashOp::program, 0, 1); }, "written=false"),
               Contains("where page 0 of the block is next: program pages in order"));
    CHECK_THAT(error([](Bench& b) { b.command(0, FlashOp::program, 0, 0, 8192); }, "written=false"),
               Contains("names 8192B, more than a page of 4096B"));
    CHECK_THAT(error([](Bench& b) { b.command(0, FlashOp::read, 0, 0); }, "written=false"),
               Contains("page 0 of block 0 of bank 0 is read before it is programmed"));
    CHECK_THAT(error([](Bench& b) { b.read(0, 0); }, "written=false"),
               Contains("is read before it is programmed"));
    CHECK_THAT(error([](Bench& b) { b.command(0, FlashOp::erase, 4, 0); }),
               Contains("names a place that the stack does not have"));
    CHECK_THAT(error([](Bench& b) { b.driver().write(0, 0); }),
               Contains("is no read: the host programs whole pages through `host`"));
    CHECK_THAT(error([](Bench& b) { b.read(0, 4064, 64); }),
               Contains("does not lie within one page of 4096B"));
    CHECK_THAT(error([](Bench& b) { b.read(0, 4 * 4 * row); }),
               Contains("lies behind the last of 262144B"));
    CHECK_THAT(error_of([] { Bench b("channels=64 dies=64 banks=64"); }),
               Contains("channels x dies x banks is at most 65536"));
}

TEST_CASE("An erase empties buffers of its block and counts its wear", "[flash][hbf]") {
    Bench b("endurance=1");
    b.read(0, 0).command(10 * us, FlashOp::erase, 0, 0).read(4000 * us, 0);
    CHECK_THAT(b.error(), Catch::Contains("is read before it is programmed"));
    Bench twice("endurance=1");
    twice.command(0, FlashOp::erase, 0, 0).command(0, FlashOp::erase, 0, 0).run();
    CHECK(value(twice.stack().stat.cells.worn) == 1);
}

TEST_CASE("Retries of the ECC lengthen a sense", "[flash][hbf]") {
    Bench b("retry_chance=100% retries=3 t_retry=5us");
    b.read(0, 0).run();
    CHECK(b.answered(0) == sense + 3 * 5 * us + 1 * ns);
    CHECK(value(b.stack().stat.cells.retries) == 3);
    // Each sense fails with probability p, and so does each retry: p / (1 - p) retries on average.
    Bench some("retry_chance=25% retries=64 blocks=1024 pages=16");
    for (unsigned i = 0; i < 1000; ++i) some.read(0, page * i);
    some.run();
    CHECK(value(some.stack().stat.cells.retries) == Approx(333).margin(60));
}

TEST_CASE("Senses disturb a block until the host erases it", "[flash][hbf]") {
    const auto script = [](Bench& b) -> Bench& {
        for (unsigned i = 0; i < 6; ++i) b.read(i * 10 * us, i % 3 * row); // block 0 of bank 0
        b.command(100 * us, FlashOp::erase, 0, 0);
        return b;
    };
    Bench b("disturb_limit=3", false, true);
    script(b).run();
    const auto& seen = b.machine.get<Refresher>("refresher").state.blocks;
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].place == FlashPlace {0, 0, 0, 0, 0});
    CHECK(seen[0].senses == 3);
    CHECK(b.stack().state.cells.disturb.senses.size() == 0); // the erase has ended it
    Bench silent("disturb_limit=4");
    script(silent).run();
    CHECK(value(silent.stack().stat.cells.refresh_requests) == 1);
}

TEST_CASE("The base die keeps pages that their bank has given up", "[flash][hbf]") {
    const auto senses = [](const std::string& more) {
        Bench b(more);
        for (unsigned i = 0; i < 6; ++i) b.read(i * 10 * us, i % 3 * row);
        b.run();
        return value(b.stack().stat.cells.senses);
    };
    CHECK(senses("") == 6); // three pages in two buffers
    CHECK(senses("buffer=12KiB") == 3);
    CHECK(senses("buffer=8KiB") == 6); // first in, first out
    CHECK_THAT(error_of([] { Bench b("buffer=4095B"); }),
               Catch::Contains("buffer: 4095B holds no page of 4KiB: set it to at least a page, or "
                               "to 0B for none"));
    Bench b("buffer=12KiB");
    for (unsigned i = 0; i < 4; ++i) b.read(i * 10 * us, i % 3 * row);
    b.run();
    CHECK(b.answered(3) == 30 * us + way + 1 * ns);
    CHECK(value(b.stack().stat.base_hits) == 1);
}

TEST_CASE("A hint brings a page, once", "[flash][hbf]") {
    Bench b;
    for (const Tick at : {0 * us, 1 * us, 8 * us})
        b.driver().plan(at, protocol::Command::hint, 0, 128, true);
    b.read(10 * us, 0).run();
    CHECK(b.answered(3) == 10 * us + way + 1 * ns);
    CHECK(value(b.stack().stat.hints) == 1);
    CHECK(value(b.stack().stat.dropped_hints) == 2); // coming, and here
    CHECK(value(b.stack().stat.reads) == 1);
}

TEST_CASE("A read waits while as many as there are slots wait for senses", "[flash][hbf]") {
    Bench b("requests=2");
    b.read(0, 0).read(0, page).read(0, 2 * page).run();
    CHECK(b.answered(1) == sense + 2 * ns);
    CHECK(b.answered(2) == sense + 3 * us + 1 * ns); // taken when the first two are done
    CHECK(value(b.stack().stat.stalls) == 1);
}

TEST_CASE("HBF spends energy on senses, retries, programs and wires", "[flash][hbf]") {
    Bench b("sense_energy=20pJ program_energy=100pJ wire_energy=1pJ retry_chance=100% retries=1");
    b.read(0, 0).command(100 * us, FlashOp::erase, 1, 0).command(200 * us, FlashOp::program, 1, 0);
    b.run();
    CHECK(b.stack().stat.cells.cell_energy.shown() == Approx(8 * 4096 * (2 * 0.020 + 0.100)));
    CHECK(b.stack().stat.wires.wire_energy.shown() == Approx(8 * (64 + 4096) * 0.001));
}

TEST_CASE("HBF gives what was written to it", "[flash][hbf]") {
    Bench b("", true);
    const auto put = [&](std::uint64_t address, std::uint8_t v) {
        FunctionalAccess access {address, 0, true, {}};
        access.data.bytes.fill(v);
        access.data.known = SectorBytes::all;
        b.stack().functional(*b.stack().port.cpu_side, access);
    };
    put(row + 64, 7), put(row + 96, 9);
    b.read(0, row + 64, 64);
    b.machine.start();
    b.machine.run(never);
    Contents& contents = b.machine.sim().contents();
    const Contents::Id id = b.driver().state.answers.at(0).response.contents;
    const auto& pieces = contents[id].pieces;
    REQUIRE(pieces.size() == 2);
    CHECK(pieces[0].data.bytes[0] == 7);
    CHECK(pieces[1].sector == 1);
    CHECK(pieces[1].data.bytes[31] == 9);
    FunctionalAccess look {row + 96, 0, false, {}};
    b.stack().functional(*b.stack().port.cpu_side, look);
    CHECK(look.complete());
    CHECK(look.data.bytes[0] == 9);
}

TEST_CASE("Stacks behind a crossbar hold their share of the addresses", "[flash][hbf]") {
    Machine m;
    m.add("generator", "mem.TrafficGen",
          arguments("pattern=sequential size=64 requests=512 "
                    "range=32KiB outstanding=512"));
    m.add("network", "mem.Crossbar", arguments("outputs=2 granularity=256B"));
    m.bind("generator", "mem_side", "network", "cpu_side[0]");
    for (const std::string i : {"[0]", "[1]"}) {
        m.add("stack" + i, "flash.HbfStack", small);
        m.bind("network", "mem_side" + i, "stack" + i, "cpu_side");
    }
    m.build();
    run(m);
    for (const char* path : {"stack[0]", "stack[1]"}) // each has 4 whole pages of 32 KiB
        CHECK(value(m.get<HbfStack>(path).stat.cells.senses) == 4);

    Machine hashed;
    hashed.add("generator", "mem.TrafficGen", {});
    hashed.add("network", "mem.Crossbar", arguments("outputs=2 granularity=256B"));
    hashed.bind("generator", "mem_side", "network", "cpu_side[0]");
    for (const std::string i : {"[0]", "[1]"}) {
        Arguments stack = small;
        stack.insert(stack.end(), {{"interleave_ways", "2"},
                                   {"interleave_index", i.substr(1, 1)},
                                   {"interleave_granularity", "256B"},
                                   {"hash_rounds", "4"}});
        hashed.add("stack" + i, "flash.HbfStack", stack);
        hashed.bind("network", "mem_side" + i, "stack" + i, "cpu_side");
    }
    CHECK_THAT(error_of([&] { hashed.build(); }),
               Catch::Contains("stack[0].hash_rounds: network sends it part 0 of 2 in "
                               "chunks of 256B in turn: give both the same"));
}

TEST_CASE("A stack behind a router takes its share from parameters", "[flash][hbf]") {
    // Chunks 1, 3, 5, ... of 256 bytes: 16 of them are a page.
    Bench b("interleave_ways=2 interleave_index=1 interleave_granularity=256B");
    for (unsigned i = 0; i < 17; ++i) b.read(i * 10 * us, 256 + 512 * i);
    b.run();
    CHECK(value(b.stack().stat.cells.senses) == 2);
    CHECK(b.answered(15) == 150 * us + way + 1 * ns);
    CHECK(b.answered(16) == 160 * us + sense + 1 * ns);
    using Catch::Contains;
    Bench other("interleave_ways=2 interleave_index=1 interleave_granularity=256B");
    other.read(0, 512);
    other.machine.start();
    CHECK_THAT(error_of([&] { other.machine.run(never); }),
               Contains("address 512 belongs to stack 0"));
    CHECK_THAT(error_of([] { Bench b("interleave_ways=2 interleave_index=2"); }),
               Contains("2 is not below interleave_ways"));
    CHECK_THAT(error_of([] { Bench b("interleave_ways=2"); }),
               Contains("interleave_granularity: is 0B"));
    CHECK_THAT(error_of([] { Bench b("hash_rounds=4"); }),
               Contains("hash_rounds: the stacks that a hash selects are not known from the "
                        "connection: give interleave_ways"));
}

TEST_CASE("A stack that a hash selects has its share in pages without gaps", "[flash][hbf]") {
    const device_parts::HashedInterleave share(256, 2, 16);
    Bench b("interleave_ways=2 interleave_index=1 interleave_granularity=256B hash_rounds=16");
    for (unsigned i = 0; i < 17; ++i) b.read(i * 10 * us, share.address(1, 256 * i));
    b.run();
    CHECK(value(b.stack().stat.cells.senses) == 2);
}

} // namespace memsim::hbf_test
