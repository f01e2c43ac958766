#include "package_bench.hh"

namespace memsim::package_test {

using namespace memsim::test_zng;

TEST_CASE("A register answers a write, and a read of the written data", "[zng]") {
    Bench b;
    const unsigned w = b.write(0, 0, 3, 5, 77), r = b.read(1 * us, 0, 3, 5);
    run(b.machine);
    CHECK(b.time(w) == 2 * ns);
    CHECK(b.time(r) == 1 * us + 2 * ns);
    CHECK(b.content(r) == 77);
    CHECK(value(b.package().stat.senses) == 0);
    CHECK(value(b.package().stat.register_reads) == 1);
}

TEST_CASE("A page is sensed in tR, once for all reads that wait for it", "[zng]") {
    Bench b;
    unsigned last = 0;
    for (unsigned l = 0; l < 32; ++l) last = b.read(l * 10 * ns, 0, 0, l);
    const unsigned later = b.read(5 * us, 0, 0, 0);
    run(b.machine);
    CHECK(b.time(1) == 3 * us + 2 * ns);
    CHECK(b.time(last) == 3 * us + 2 * ns);
    CHECK(b.time(later) == 8 * us + 2 * ns); // the data register is empty again
    CHECK(value(b.package().stat.senses) == 2);
    CHECK(value(b.package().stat.useful_bytes) == 33 * 128);
    CHECK(value(b.package().stat.page_reads) == 2);
    CHECK(value(b.package().stat.pages_read) == 1);

    Bench each(Arguments {{"reuse", "none"}});
    each.read(0, 0, 0, 0);
    const unsigned second = each.read(10 * ns, 0, 0, 1);
    run(each.machine);
    CHECK(each.time(second) == 6 * us + 2 * ns);
    CHECK(value(each.package().stat.sensed_bytes) == 8192);
}

TEST_CASE("Stages record where a request spent its time in a package", "[zng]") {
    Bench b;
    Stamps& stamps = b.machine.sim().stamps();
    stamps.enable(1);
    const auto stamped = [&](Tick when, FlashPacket& p) {
        p.stamps = stamps.open(when, 0);
        return p.tag;
    };
    using zng::FlashStage;
    // Two pages of a plane; and a third page of another plane, which has two registers.
    const unsigned first = stamped(0, b.push(0, PacketKind::read, 0, 0, 0));
    const unsigned second = stamped(10 * ns, b.push(10 * ns, PacketKind::read, 0, 1, 0));
    b.write(20 * ns, 1, 0, 0), b.write(20 * ns, 1, 1, 0);
    const unsigned third = stamped(20 * ns, b.push(20 * ns, PacketKind::write, 1, 2, 0));
    run(b.machine);
    for (const unsigned tag : {first, second, third})
        stamps.close(b.answer(tag).packet.stamps, FlashStage::network, b.time(tag));
    CHECK(stamps.sum(FlashStage::sensing) == 6 * us);
    CHECK(stamps.sum(FlashStage::plane) == 3 * us - 10 * ns);
    CHECK(stamps.sum(FlashStage::network) == 3 * ns); // 1 ns each, there
    CHECK(stamps.sum(FlashStage::out) == 3 * ns);     // the package's latency, back
    CHECK(stamps.sum(FlashStage::reg) == static_cast<Uint128>(b.time(third) - 22 * ns));
    CHECK(b.time(third) > 100 * us); // a page was programmed first
}

TEST_CASE("With page transfer a sensed page leaves as a whole, requested lines first", "[zng]") {
    Bench b(Arguments {{"transfer", "page"}});
    const unsigned one = b.read(0, 0, 0, 7), two = b.read(10 * ns, 0, 0, 3);
    const unsigned again = b.read(5 * us, 0, 0, 7);
    run(b.machine);
    CHECK(b.time(one) == 3 * us + 2 * ns);
    CHECK(b.time(again) == 8 * us + 2 * ns); // the page has left, and is sensed again
    std::vector<unsigned> lines;             // of the first sensing, in their order
    for (const auto& s : b.machine.get<Node>("controller").state.log)
        if (s.at < 5 * us) {
            CHECK(s.packet.kind == (lines.size() < 2 ? PacketKind::data : PacketKind::rest));
            CHECK(s.packet.wire_bytes() == 16 + 128);
            CHECK(s.packet.destination == 0);
            lines.push_back(s.packet.line);
        }
    REQUIRE(lines.size() == 32);
    CHECK(lines[0] == 7);
    CHECK(lines[1] == 3);
    std::sort(lines.begin(), lines.end());
    for (unsigned l = 0; l < 32; ++l) CHECK(lines[l] == l);
    CHECK(b.time(two) == 3 * us + 2 * ns);
    CHECK(value(b.package().stat.useful_bytes) == 3 * 128);
    CHECK(value(b.package().stat.sensed_bytes) == 2 * 4096);
}

TEST_CASE("A line that a register holds in part is merged with the array's", "[zng]") {
    Bench b;
    FlashPacket& p = b.push(0, PacketKind::write, 0, 0, 0);
    p.sectors = 3, p.partial = 2, p.contents = b.full_of(5, 3);
    FlashPacket& whole = b.push(1 * us, PacketKind::read, 0, 0, 0);
    whole.sectors = 1;
    const unsigned of_whole = b.tags, of_part = b.read(1 * us, 0, 0, 0);
    run(b.machine);
    // A sector in part makes its line wait for the array, and so do those never written.
    CHECK(b.time(of_whole) == 4 * us + 2 * ns);
    CHECK(b.time(of_part) == 4 * us + 2 * ns);
    CHECK(b.content(of_part) == 5);

    zng::PageMask m;
    m.add(4, 0b0110, 0b0100);
    CHECK(m.missing(4, 0b0010) == 0b0010); // counted by lines: some sector is in part
    m.add(4, 0b1101, 0);
    CHECK(m.missing(4, 15) == 0); // now all of it is here
    m.add(4, 0b0001, 0b0001);
    CHECK(m.missing(4, 15) == 0); // the rest of that sector was here before
    CHECK_FALSE(m.full());
    for (unsigned l = 0; l < 32; ++l) m.add(l, 15, 0);
    CHECK(m.full());
}

TEST_CASE("A completely written page is programmed at once; a partial one is sensed first",
          "[zng]") {
    for (const bool whole : {true, false}) {
        Bench b(Arguments {{"network", "none"}}); // one register for each plane
        if (whole)
            b.write_page(0, 0, 0, 9);
        else
            b.write(0, 0, 0, 31, 9);
        const unsigned other_plane = b.write(1 * us, 1, 1, 0);
        const unsigned second = b.write(2 * us, 0, 1, 0);
        const unsigned meanwhile = b.read(50 * us, 0, 0, 31); // from the page on its way
        const unsigned back = b.read(300 * us, 0, 0, 31);
        run(b.machine);
        CHECK(b.time(other_plane) == 1 * us + 2 * ns);
        CHECK(b.time(second) == (whole ? 102 : 105) * us + 2 * ns);
        CHECK(b.time(meanwhile) == 50 * us + 2 * ns);
        CHECK(b.time(back) == 303 * us + 2 * ns);
        CHECK(b.content(meanwhile) == 9);
        CHECK(b.content(back) == 9);
        CHECK(value(b.package().stat.merges) == (whole ? 0 : 1));
        CHECK(value(b.package().stat.programmed_bytes) == (whole ? 4096 : 128));
        CHECK(b.package().array().block(0, 6)->written == 1); // of the log block
        CHECK(value(b.package().stat.stalled_writes) == 1);
    }
}

TEST_CASE("Registers cache writes except those reserved for data", "[zng]") {
    for (const unsigned aside : {0u, 1u}) {
        Bench b(Arguments {{"network", "none"}, {"data_registers", std::to_string(aside)}});
        b.write_page(0, 0, 0), b.write_page(1 * us, 0, 1);
        const unsigned third = b.write(2 * us, 0, 2, 0);
        run(b.machine); // a program for each page that makes room
        CHECK(b.time(third) == (aside ? 201 : 102) * us + 2 * ns);
    }
}

TEST_CASE("A page that receives a register accepts all writes that wait for it", "[zng]") {
    Bench b(Arguments {{"network", "none"}}); // one register for each plane
    b.write(0, 0, 0, 0);
    for (unsigned line = 0; line < 3; ++line)
        for (const unsigned page : {1, 2}) b.write(1 * us, 0, page, line, 10 * page + line);
    const unsigned one = b.read(900 * us, 0, 1, 2), two = b.read(950 * us, 0, 2, 2);
    run(b.machine);
    CHECK(b.package().array().block(0, 6)->written == 2); // pages 0 and 1; 2 is in the register
    CHECK(value(b.package().stat.stalled_writes) == 6);
    CHECK(b.content(one) == 12);
    CHECK(b.content(two) == 22);
}

TEST_CASE("Pages go to their log block in the order in which they are evicted", "[zng]") {
    Bench b(Arguments {{"network", "none"}});
    const unsigned order[] = {5, 2, 5, 7};
    for (unsigned i = 0; i < 4; ++i) b.write_page(i * 200 * us, 0, order[i], 100 + i);
    b.write_page(800 * us, 0, 0, 0);
    const unsigned five = b.read(1000 * us, 0, 5, 3), two = b.read(1100 * us, 0, 2, 3);
    run(b.machine);
    CHECK(b.package().array().block(0, 6)->written == 4);
    CHECK(b.content(five) == 102); // the LPMT finds the last version
    CHECK(b.content(two) == 101);
    CHECK(value(b.package().stat.log_programs) == 4);
    CHECK(value(b.package().stat.log_pages) == 3);
}

TEST_CASE("Reads precede programs unless a program has waited too long", "[zng]") {
    // Four registers, of which one is kept free: filling all of them queues a program.
    const auto second_read = [](const char* patience) {
        Bench b(Arguments {
            {"planes", "1"}, {"registers", "5"}, {"spare", "1"}, {"patience", patience}});
        b.read(0, 0, 7, 0);
        for (unsigned p = 0; p < 4; ++p) b.write(1 * us, 0, p, 0);
        const unsigned r = b.read(2 * us, 0, 6, 0);
        run(b.machine);
        CHECK(value(b.package().stat.programs) == 1);
        return b.time(r);
    };
    CHECK(second_read("200us") == 6 * us + 2 * ns);
    CHECK(second_read("1us") == (3 + 3 + 100 + 3) * us + 640 * ns + 2 * ns);
}

TEST_CASE("Planes of a die wait for each other where they are not independent", "[zng]") {
    for (const bool independent : {true, false}) {
        Bench b(Arguments {{"independent_planes", independent ? "true" : "false"}});
        b.read(0, 0, 0, 0);
        const unsigned other = b.read(0, 1, 0, 0);
        run(b.machine);
        CHECK(b.time(other) == (independent ? 3 : 6) * us + 2 * ns);
    }
}

TEST_CASE("A full log block stops evictions until its pages are moved", "[zng]") {
    Bench b(Arguments {{"network", "none"}, {"pages", "4"}, {"log_reserve", "2"}});
    for (unsigned i = 0; i < 5; ++i) b.write(i * 200 * us, 0, i % 4, 0, 10 + i);
    const unsigned stuck = b.write(1000 * us, 0, 1, 0, 20); // page 0 is in the only register
    const unsigned still_readable = b.read(1100 * us, 0, 2, 0);
    std::vector<unsigned> moves;
    for (unsigned p = 0; p < 4; ++p) {
        FlashPacket& m = b.push(2000 * us, PacketKind::move, 0, p, 0);
        m.to.plane = 1, m.to_block = 5, m.to_log = 7;
        moves.push_back(b.tags);
    }
    FlashPacket& old = b.push(5000 * us, PacketKind::erase, 0, 0, 0);
    old.block = 0;
    for (const Tick t : {5000 * us, 8000 * us}) {
        FlashPacket& log = b.push(t, PacketKind::erase, 0, 0, 0);
        log.block = 6;
    }
    std::vector<unsigned> reads;
    for (unsigned p = 0; p < 4; ++p) {
        FlashPacket& r = b.push(9000 * us, PacketKind::read, 1, p, 0);
        r.block = 5, r.log_block = 7;
        reads.push_back(b.tags);
    }
    run(b.machine);
    // Reported when two pages were left: when the second program was promised.
    unsigned lows = 0;
    for (const auto& s : b.machine.get<Node>("controller").state.log)
        if (s.packet.kind == PacketKind::log_low) {
            ++lows;
            CHECK(s.packet.page == 2);
            CHECK(s.packet.log_block == 6);
            CHECK(s.at == 400 * us + 2 * ns);
        }
    CHECK(lows == 1);
    CHECK(b.content(still_readable) == 12);
    CHECK(b.time(stuck) == 2000 * us + 2 * ns); // the move of page 0 takes its register's content
    // Sensed, copied over the flash network (2 ns here), programmed; one after another.
    CHECK(b.time(moves[0]) == 2103 * us + 4 * ns);
    CHECK(b.time(moves[3]) == 2412 * us + 4 * 2 * ns + 2 * ns);
    const unsigned newest[] = {14, 20, 12, 13};
    for (unsigned p = 0; p < 4; ++p) CHECK(b.content(reads[p]) == newest[p]);
    CHECK(b.package().array().block(0, 6)->erases == 2);
    CHECK(b.machine.stat_value("package", "erase_squares", "peak") == 1 + 4);
    CHECK(b.package().stat.plane_writes[0].value() == 6);
    CHECK(b.package().stat.plane_writes[1].value() == 0);
    CHECK(b.package().array().block(0, 0)->written == 0);
}

TEST_CASE("A full log block continues in its extension blocks", "[zng]") {
    Bench b(Arguments {
        {"network", "none"}, {"pages", "4"}, {"data_blocks", "4"}, {"log_reserve", "2"}});
    // A page each 200 us; the one before is programmed then. Log block 6 takes four, 7 four, 5 one.
    std::vector<unsigned> given;
    for (unsigned i = 0; i < 10; ++i) {
        b.write_page(i * 200 * us, 0, i % 4, 10 + i);
        if (i != 2 && i != 6) continue;
        b.push((i * 200 + 150) * us, PacketKind::extend, 0, 0, 0).to_block = i == 2 ? 7 : 5;
        given.push_back(b.tags);
    }
    std::vector<unsigned> reads;
    for (unsigned p = 0; p < 4; ++p) reads.push_back(b.read(3000 * us + p * 10 * us, 0, p, 3));
    for (const unsigned block : {6, 7, 5}) { // and all is forgotten with the log block's erases
        b.push(4000 * us, PacketKind::erase, 0, 0, 0).block = block;
        b.machine.get<Node>("controller").state.script.back().packet.log_block = block;
    }
    run(b.machine);
    const unsigned newest[] = {18, 19, 16, 17};
    for (unsigned p = 0; p < 4; ++p) CHECK(b.content(reads[p]) == newest[p]);
    for (const unsigned tag : given) CHECK(b.answer(tag).packet.kind == PacketKind::extended);
    for (const unsigned block : {6, 7, 5}) CHECK(b.package().array().block(0, block)->erases == 1);
    CHECK(b.package().stat.log_programs.value() == 9);
    CHECK(b.package().state.decoders.logs.size() == 0);
    std::vector<std::uint16_t> left; // reported once, and again after it was extended
    for (const auto& s : b.machine.get<Node>("controller").state.log)
        if (s.packet.kind == PacketKind::log_low) left.push_back(s.packet.page);
    CHECK(left == std::vector<std::uint16_t> {2, 2});
}

TEST_CASE("A move that has waited too long reserves both of its planes", "[zng]") {
    Bench b(Arguments {{"patience", "20us"}, {"reuse", "none"}});
    for (unsigned i = 0; i < 100; ++i) { // 300 us of reads, never both idle at once
        b.read(0, 0, 4, i % 32);
        b.read(1500 * ns, 1, 4, i % 32);
    }
    FlashPacket& m = b.push(2 * us, PacketKind::move, 0, 0, 0);
    m.to.plane = 1, m.to_block = 5, m.to_log = 7;
    const unsigned move = b.tags;
    run(b.machine);
    // Patience, the two reads in progress, sensing, transfer to the other plane, programming.
    CHECK(b.time(move) > 122 * us);
    CHECK(b.time(move) < 2 * us + 20 * us + 2 * 3 * us + 3 * us + 640 * ns + 100 * us + 1 * us);
}

TEST_CASE("Erasing a block while a register holds one of its pages stops the run", "[zng]") {
    Bench b;
    b.write(0, 0, 0, 0);
    b.push(1 * us, PacketKind::erase, 0, 0, 0);
    b.machine.start();
    CHECK_THROWS_WITH(b.machine.run(never), Catch::Contains("a register holds a page of it"));
}

TEST_CASE("An idle package causes no events; a touched block needs little memory", "[zng]") {
    Bench b(Arguments {{"dies", "8"}, {"planes", "8"}, {"blocks", "1024"}, {"pages", "384"}});
    run(b.machine);
    CHECK(b.machine.sim().events_executed() == 0);
    Bench one(Arguments {{"dies", "8"}, {"planes", "8"}, {"blocks", "1024"}, {"pages", "384"}});
    one.read(0, 3, 100, 0);
    run(one.machine);
    CHECK(one.package().array().touched() == 1);
}

TEST_CASE("Contradictory parameters of a ZnG package are rejected with a message", "[zng]") {
    const auto refusal = [](const Arguments& more) { return error_of([&] { Bench b(more); }); };
    CHECK(refusal({{"registers", "1"}}).find("package.registers: ") == 0);
    CHECK(refusal({{"dies", "64"}, {"planes", "64"}}) ==
          "package.planes: there are 4096 planes in the package: the maximum of dies x planes is "
          "256");
    CHECK(refusal({{"log_reserve", "8"}}) ==
          "package.log_reserve: its 8 pages must be fewer than the pages of a block, 8");
    CHECK(refusal({{"net_width", "24B"}}) ==
          "package.net_width: 24 B do not divide a page of 4096 B");
    CHECK(refusal({{"timing_changes", "tPROG0=1us"}}) ==
          "package.timing_changes: tPROG0 is 1us, less than tR0 = 3us: the values contradict each "
          "other");
    CHECK(error_of([] {
              Bench b(Arguments {{"queue", "1"}});
              b.read(0, 0, 0, 0), b.read(0, 0, 0, 1);
              b.machine.start();
              b.machine.run(never);
          }).find("package.queue: more than 1 requests are outstanding") == 0);
    CHECK(error_of([] {
              Bench b;
              b.read(0, 2, 0, 0); // of planes 0 and 1
              b.machine.start();
              b.machine.run(never);
          }) == "package: a request names a place that does not exist: give flash controllers, "
                "collector and packages one geometry");
}

} // namespace memsim::package_test
