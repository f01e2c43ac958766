#include "../flash/mesh_probes.hh"
#include "mem/cache/cache.hh"
#include "probes.hh"
#include "support.hh"
#include "zng/ftl/flash_controller.hh"
#include "zng/package/package.hh"

namespace memsim::flash_controller_test {

using namespace memsim::test_zng;
using protocol::Command;
using protocol::MemRequest;
using test_flash::Node;
using zng::FlashController;
using zng::FlashPacket;
using zng::PacketKind;

namespace {

/// A controller between an L2 slice and a network that the test plays. Requests and packets take
/// 1 ns each.
struct Bench {
    Machine machine;
    explicit Bench(const Arguments& more = {}, bool cached = false) {
        machine.add("slice", "test_zng.Slice", {});
        machine.add("net", "test_flash.Node", {{"nodes", "100"}, {"depth", "4096"}});
        machine.add("controller", "zng.FlashController",
                    with({{"decode", "1ns"}, {"latency", "1ns"}, {"endpoint", "2"}}, more));
        if (cached) {
            machine.add("l2", "mem.Cache", {{"control_ports", "1"}, {"ways", "8"}});
            machine.bind("slice", "to", "l2", "cpu_side");
            machine.bind("l2", "mem_side", "controller", "mem[0]");
            machine.bind("controller", "pin[0]", "l2", "control[0]");
        } else
            machine.bind("slice", "to", "controller", "mem[0]");
        machine.bind("controller", "output", "net", "input");
        machine.bind("net", "output", "controller", "input");
        machine.build();
    }
    FlashController& controller() { return machine.get<FlashController>("controller"); }
    void ask(Tick when, Command c, std::uint64_t address, unsigned bytes = 128,
             unsigned sectors = 0, unsigned partial = 0) {
        MemRequest r;
        r.address = address, r.bytes = bytes, r.command = c;
        r.sectors = static_cast<std::uint16_t>(sectors);
        r.partial = static_cast<std::uint16_t>(partial);
        machine.get<Slice>("slice").state.script.push({when, r});
    }
    void reply(Tick when, PacketKind kind, unsigned tag, bool hit = true) {
        FlashPacket p;
        p.kind = kind, p.tag = tag, p.sectors = hit;
        machine.get<Node>("net").state.script.push({when, p});
    }
    const FlashPacket& sent(unsigned i) { return machine.get<Node>("net").state.log.at(i).packet; }
    Tick sent_at(unsigned i) { return machine.get<Node>("net").state.log.at(i).at; }
    std::size_t all_sent() { return machine.get<Node>("net").state.log.size(); }
    void start() { machine.start(), machine.run(never); }
};

} // namespace

TEST_CASE("A request's packet names its page, line, sectors and log block", "[zng]") {
    Bench b;
    const zng::Flash& f = b.controller().flash();
    const std::uint32_t block = f.number({11, 9, 5, 3}); // package 11, block 9, die 5, plane 3
    b.ask(0, Command::read, f.address(block, 200, 7 * 128));
    b.ask(0, Command::write, f.address(block, 1, 8 * 128 + 40), 50);
    b.ask(0, Command::write, f.address(block, 2, 9 * 128), 128, 0b1011, 0b0010);
    b.start();
    REQUIRE(b.all_sent() == 3);
    const FlashPacket& r = b.sent(0);
    CHECK(b.sent_at(0) == 2 * ns);
    CHECK(r.kind == PacketKind::read);
    CHECK(r.at == zng::FlashPlane {5, 3});
    CHECK(r.block == 9);
    CHECK(r.log_block == 796 + 9 / 4);
    CHECK(r.page == 200);
    CHECK(r.line == 7);
    CHECK(r.sectors == 15);
    CHECK(r.bytes == 128);
    CHECK(r.source == 2);
    CHECK(r.destination == 6 + 11 * 2 + 7 % 2);
    const FlashPacket& w = b.sent(1); // bytes 40 to 90 of the line
    CHECK(w.line == 8);
    CHECK(w.sectors == 0b0110);
    CHECK(w.partial == 0b0110);
    CHECK(w.wire_bytes() == 16 + 50);
    const FlashPacket& masked = b.sent(2);
    CHECK(masked.sectors == 0b1011);
    CHECK(masked.partial == 0b0010);
    CHECK(masked.bytes == 96);
}

TEST_CASE("Addresses may use fewer pages than a data block has", "[zng]") {
    Bench b(Arguments {{"data_pages", "6"}});
    const zng::Flash& f = b.controller().flash();
    CHECK(f.block_bytes() == 6 * 4096);
    b.ask(0, Command::read, 6 * 4096 + 5 * 4096); // the second block, in the second package
    b.start();
    CHECK(b.sent(0).destination == 6 + 1 * 2);
    CHECK(b.sent(0).block == 0);
    CHECK(b.sent(0).page == 5);
}

TEST_CASE("Requests to one line execute in order; other requests do not wait", "[zng]") {
    Bench b;
    b.ask(0, Command::write, 0);
    b.ask(0, Command::read, 0);
    b.ask(0, Command::read, 128);
    b.reply(10 * ns, PacketKind::written, 0);
    b.reply(20 * ns, PacketKind::data, 2);
    b.reply(30 * ns, PacketKind::data, 1);
    run(b.machine);
    REQUIRE(b.all_sent() == 3);
    CHECK(b.sent(0).kind == PacketKind::write);
    CHECK(b.sent(1).line == 1);
    CHECK(b.sent_at(1) == 2 * ns);
    CHECK(b.sent_at(2) == 12 * ns); // as the write was answered, and 1 ns each way
    const auto& answers = b.machine.get<Slice>("slice").state.log;
    REQUIRE(answers.size() == 3);
    CHECK(answers[0].at == 12 * ns);
    CHECK(answers[1].response.address == 128);
    CHECK(value(b.controller().stat.followed) == 1);
}

TEST_CASE("A write's packet includes the writes that wait behind it", "[zng]") {
    const auto served = [](const char* combine, const std::vector<unsigned>& answered) {
        auto b = std::make_unique<Bench>(Arguments {{"combine", combine}});
        b->ask(0, Command::write, 0, 4);
        b->ask(5 * ns, Command::write, 4, 4);   // these two wait for it, and go together:
        b->ask(5 * ns, Command::write, 32, 32); // a sector in part and a whole one
        b->ask(5 * ns, Command::read, 0, 32);   // the write behind it does not overtake it
        b->ask(5 * ns, Command::write, 64, 32);
        Tick at = 0;
        for (unsigned tag : answered)
            b->reply(at += 10 * ns, tag == 3 ? PacketKind::data : PacketKind::written, tag);
        run(b->machine);
        CHECK(b->machine.get<Slice>("slice").state.log.size() == 5);
        return b;
    };
    const auto together = served("true", {0, 1, 3, 4});
    REQUIRE(together->all_sent() == 4);
    CHECK(together->sent(0).sectors == 0b0001);
    CHECK(together->sent(1).sectors == 0b0011);
    CHECK(together->sent(1).partial == 0b0001);
    CHECK(together->sent(1).bytes == 36);
    CHECK(together->sent_at(1) == 12 * ns);
    CHECK(together->sent(2).kind == PacketKind::read);
    CHECK(together->sent(3).sectors == 0b0100);
    CHECK(value(together->controller().stat.combined) == 1);
    CHECK(served("false", {0, 1, 2, 3, 4})->all_sent() == 5);
}

TEST_CASE("An atomic's write includes waiting atomics, which then need no read", "[zng]") {
    Bench b;
    for (unsigned i = 0; i < 5; ++i) b.ask(0, Command::atomic, 0, 4);
    b.reply(10 * ns, PacketKind::data, 0);
    b.reply(20 * ns, PacketKind::written, 0);
    run(b.machine);
    CHECK(b.all_sent() == 2);
    CHECK(b.sent(1).bytes == 20);
    CHECK(b.machine.get<Slice>("slice").state.log.size() == 5);
}

TEST_CASE("At most a window of requests is outstanding at a package; others continue", "[zng]") {
    Bench b(Arguments {{"window", "2"}});
    const std::uint64_t block = b.controller().flash().block_bytes();
    for (unsigned i = 0; i < 4; ++i) b.ask(0, Command::read, i * 128);
    b.ask(0, Command::read, block); // the next package
    b.reply(50 * ns, PacketKind::data, 0);
    b.start();
    REQUIRE(b.all_sent() == 4);
    unsigned early = 0;
    for (unsigned i = 0; i < 3; ++i) early += b.sent_at(i) == 2 * ns;
    CHECK(early == 3);
    CHECK(b.sent_at(3) == 52 * ns);
}

TEST_CASE("An atomic is a read and a write of its line", "[zng]") {
    Bench b;
    b.ask(0, Command::atomic, 64, 4);
    b.reply(10 * ns, PacketKind::data, 0);
    b.reply(20 * ns, PacketKind::written, 0);
    run(b.machine);
    REQUIRE(b.all_sent() == 2);
    CHECK(b.sent(0).kind == PacketKind::read);
    CHECK(b.sent(1).kind == PacketKind::write);
    CHECK(b.sent(1).partial == 0b0100);
    REQUIRE(b.machine.get<Slice>("slice").state.log.size() == 1);
    CHECK(b.machine.get<Slice>("slice").state.log[0].at == 22 * ns);
}

TEST_CASE("Copies of pages are returned within the capacity of the buffer", "[zng]") {
    Bench b(Arguments {{"copy_buffer", "3"}, {"net_queue", "2"}});
    for (unsigned i = 0; i < 40; ++i) {
        FlashPacket p;
        p.kind = PacketKind::copy_out;
        p.source = 9, p.destination = 2, p.tag = i, p.bytes = 128;
        b.machine.get<Node>("net").state.script.push({0, p});
    }
    run(b.machine);
    REQUIRE(b.all_sent() == 40);
    CHECK(b.sent(39).kind == PacketKind::copy_back);
    CHECK(b.sent(39).destination == 9);
    CHECK(b.sent(39).source == 2);
    CHECK(b.sent(39).tag == 39);
}

TEST_CASE("While registers thrash, the L2 reserves ways", "[zng]") {
    const auto reserved = [](unsigned misses) {
        Bench b(Arguments {{"pins", "1"}, {"thrash_window", "4"}, {"pin_ways", "2"}}, true);
        for (unsigned i = 0; i < 4; ++i) {
            b.ask(i * 100 * ns, Command::write, i * 4096);
            b.reply(i * 100 * ns + 80 * ns, PacketKind::written, 0, i >= misses);
        }
        run(b.machine);
        CHECK(value(b.controller().stat.register_misses) == misses);
        return b.machine.get<mem::Cache>("l2").state.reserved;
    };
    CHECK(reserved(2) == 0); // half of them: not above
    CHECK(reserved(3) == 2);

    zng::ThrashingChecker c; // and until a window has no more misses than the lower threshold
    const auto window = [&](unsigned misses) {
        bool changed = false;
        for (unsigned i = 0; i < 8; ++i) changed |= c.count_write(i >= misses, 8, 4, 2);
        return changed;
    };
    CHECK_FALSE(window(4));
    CHECK(window(5));
    CHECK(c.thrashing);
    CHECK_FALSE(window(3));
    CHECK(window(2));
    CHECK_FALSE(c.thrashing);
}

TEST_CASE("The latency of a read is the sum of network and package", "[zng]") {
    Machine m;
    add_flash(m, 1, 1, {}, {{"decode", "5ns"}, {"latency", "5ns"}},
              {{"count", "1"}, {"writes", "0"}, {"atomics", "0"}, {"lines", "1"}, {"gap", "0ns"}});
    m.build();
    run(m);
    // A row of routers: controller at 0, ports at 1 and 2. 5 cycles a router, a link, flits; tR.
    const auto& s = m.get<FlashController>("controller[0]").stat;
    const Tick cycle = 1250 * ns / 1000;
    const auto edge = [&](Tick t) { return (t + cycle - 1) / cycle * cycle; };
    const std::uint32_t bytes = m.get<zng::Package>("package[0]").stat.read_bytes.value();
    const Tick asked = 2 * ns + 1; // the host begins at 1 fs
    const Tick there = edge(asked + 5 * ns) + (2 * 5 + 1 + 2) * cycle;
    const Tick back = edge(there + 3 * us + 10 * ns) + (2 * 5 + 1 + 2 + bytes / 8) * cycle;
    CHECK(static_cast<std::uint64_t>(s.read_latency.sum()) ==
          static_cast<std::uint64_t>(back - asked));
}

TEST_CASE("A package with another geometry than its controllers is rejected", "[zng]") {
    const auto refusal = [](const Arguments& package) {
        return error_of([&] {
            Machine m;
            add_flash(m, 2, 2, package);
            m.build();
        });
    };
    CHECK(refusal({}) == "");
    CHECK(refusal({{"pages", "32"}}) ==
          "package[0].pages: 32, but controller[0] has 16: flash controllers, garbage collector "
          "and packages must have the same geometry");
}

TEST_CASE("A page read as a whole uses the network for all its lines", "[zng]") {
    // Lines 0, by port 0, of one page after the other: a port sends half of a page's lines, of 16 +
    // 128 bytes, 18 flits each; the controller's link takes both halves.
    const auto time = [](const char* transfer) {
        Machine m;
        add_flash(m, 1, 1, {{"transfer", transfer}, {"reuse", "none"}}, {},
                  {{"count", "8"},
                   {"writes", "0"},
                   {"atomics", "0"},
                   {"lines", "1"},
                   {"gap", "0ns"},
                   {"outstanding", "8"}});
        m.build();
        run(m);
        const auto& s = m.get<FlashController>("controller[0]").stat;
        CHECK(value(s.unasked_bytes) == (transfer == std::string("page") ? 8 * 31 * 128 : 0));
        return m.sim().now();
    };
    const Tick cycle = 1250 * ns / 1000, page = 32 * 18 * cycle;
    CHECK(time("page") > 8 * page + 3 * us);
    CHECK(time("page") < time("line") + 8 * page + 1 * us);
}

TEST_CASE("A request that a flash controller cannot serve gives an error message", "[zng]") {
    const auto refusal = [](const Arguments& more) { return error_of([&] { Bench b(more); }); };
    CHECK(refusal({{"data_blocks", "1024"}}) ==
          "controller.data_blocks: 1024 data blocks and 256 log blocks exceed the 1024 blocks of a "
          "plane: over-provision more (reduce data_blocks)");
    CHECK(refusal({{"thrash_low", "60%"}}) == "controller.thrash_low: it exceeds thrash_high");
    CHECK(refusal({{"data_pages", "385"}}) ==
          "controller.data_pages: 385 exceeds the 384 pages of a block");
    CHECK(refusal({{"packages", "256"}, {"planes", "64"}, {"blocks", "1048576"}}) ==
          "controller.blocks: the flash has 137438953472 blocks; the maximum is 4294967295");
    const auto asks = [](std::uint64_t address, unsigned bytes) {
        return error_of([&] {
            Bench b;
            b.ask(0, Command::read, address, bytes);
            b.start();
        });
    };
    CHECK(asks(64, 128) == "controller: a request of 128 bytes at address 64 is not within a line "
                           "of 128 bytes: put a cache of such lines in front");
    const std::uint64_t end = 1024ull * 796 * 384 * 4096;
    CHECK(asks(end, 32) == "controller: address " + std::to_string(end) +
                               " lies beyond the flash, which holds " + std::to_string(end) +
                               " bytes");
    CHECK(error_of([] {
              Bench b;
              b.reply(0, PacketKind::read, 0);
              b.start();
          }) == "controller.first_package: endpoint 0 belongs to a controller, but a request for a "
                "package arrived there");
}

} // namespace memsim::flash_controller_test
