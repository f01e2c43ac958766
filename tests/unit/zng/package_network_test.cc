#include "package_bench.hh"

namespace memsim::package_network_test {

using namespace memsim::test_zng;

TEST_CASE("Registers of a package serve pages of any of its planes", "[zng]") {
    // Two planes, a register each besides the data register. Pages 0 and 1 of plane 0 take both; a
    // third evicts page 1, the oldest, from the register of plane 1.
    struct Expected {
        const char* network;
        const char* holds;
        Tick time; ///< until the third write has its register
        unsigned migrations, copies;
    };
    for (const Expected& e :
         {Expected {"nif", "false", 640 * ns, 1, 0}, Expected {"swnet", "false", 2 * ns, 1, 32},
          Expected {"fcnet", "false", 0, 0, 0}, Expected {"fcnet", "true", 100 * us, 0, 0}}) {
        INFO(e.network << " " << e.holds);
        Bench b(Arguments {{"network", e.network}, {"fcnet_holds", e.holds}});
        b.write(0, 0, 0, 0);
        const unsigned second = b.write_page(1 * us, 0, 1, 4);
        b.write(2 * us, 0, 0, 1);
        const unsigned third = b.write(10 * us, 0, 2, 0);
        const unsigned back = b.read(300 * us, 0, 1, 9);
        run(b.machine);
        CHECK(b.time(second) == 1 * us + 2 * ns);
        CHECK(b.time(third) == 10 * us + 2 * ns + e.time);
        CHECK(b.content(back) == 4);
        CHECK(value(b.package().stat.migrations) == e.migrations);
        CHECK(value(b.package().stat.migrated_bytes) == 4096 * e.migrations);
        unsigned copies = 0;
        for (const auto& s : b.machine.get<Node>("controller").state.log)
            copies += s.packet.kind == PacketKind::copy_out;
        CHECK(copies == e.copies);
    }
}

TEST_CASE("The local network carries one page per plane at a time, of several planes in parallel",
          "[zng]") {
    // All pages are of planes 0 and 1, the registers of planes 2 and 3 hold them in the end.
    Bench b(Arguments {{"planes", "4"}});
    for (unsigned plane : {0, 1}) b.write(0, plane, 0, 0);
    const unsigned pages[2] = {b.write_page(1 * us, 0, 1), b.write_page(2 * us, 1, 1)};
    for (unsigned plane : {0, 1}) b.write(3 * us, plane, 0, 1);
    const unsigned first = b.write(10 * us, 0, 2, 0), second = b.write(10 * us, 1, 2, 0);
    run(b.machine);
    CHECK(b.time(pages[1]) == 2 * us + 2 * ns);
    CHECK(b.time(first) == 10 * us + 642 * ns);
    CHECK(b.time(second) == 10 * us + 642 * ns);
}

TEST_CASE("Two pages in registers of one plane leave it one after the other", "[zng]") {
    // Two registers each of three planes: those of plane 2 hold pages of planes 0 and 1 in the end.
    Bench b(Arguments {{"planes", "3"}, {"registers", "3"}});
    for (unsigned page : {0, 1})
        for (unsigned plane : {0, 1}) b.write(0, plane, page, 0);
    b.write_page(1 * us, 0, 2), b.write_page(2 * us, 1, 2);
    for (unsigned page : {0, 1})
        for (unsigned plane : {0, 1}) b.write(3 * us, plane, page, 1);
    const unsigned first = b.write(10 * us, 0, 3, 0), second = b.write(10 * us, 1, 3, 0);
    run(b.machine);
    CHECK(b.time(first) == 10 * us + 642 * ns);
    CHECK(b.time(second) == 10 * us + 1282 * ns);
}

TEST_CASE("NiF's bus moves a page before it is programmed; the search precedes tR", "[zng]") {
    // One register in addition to the data register; the reads are of the plane that programs.
    const auto read = [](const char* network, const char* path, const char* search) {
        Bench b(Arguments {
            {"network", network}, {"data_path", path}, {"search", search}, {"planes", "1"}});
        b.write_page(0, 0, 0), b.write(1 * us, 0, 1, 0);
        const unsigned r = b.read(2 * us, 0, 2, 0);
        run(b.machine);
        return b.time(r) - 1 * us - 2 * ns;
    };
    CHECK(read("nif", "true", "0ns") == 100 * us + 640 * ns + 3 * us);
    CHECK(read("nif", "false", "0ns") == 100 * us + 3 * us);
    CHECK(read("fcnet", "true", "0ns") == 100 * us + 3 * us);
    CHECK(read("nif", "true", "50ns") == 100 * us + 640 * ns + 50 * ns + 3 * us);
}

TEST_CASE("Lines of one plane cross NiF's I/O path one after another, 20 ns each", "[zng]") {
    struct Case {
        const char *network, *path;
        Tick line;
    };
    for (const Case c :
         {Case {"nif", "true", 20 * ns}, {"nif", "false", 0}, {"fcnet", "true", 0}}) {
        CAPTURE(c.network, c.path);
        Bench b(Arguments {{"network", c.network}, {"io_path", c.path}, {"registers", "3"}});
        // A write is answered when its line is in the register; planes have paths of their own.
        const unsigned first = b.write(0, 0, 0, 0), second = b.write(0, 0, 0, 1);
        const unsigned other = b.write(100 * ns, 1, 0, 0);
        // A line leaves by the port as it crosses the path; the next waits until it is through.
        const unsigned reads[] = {b.read(1 * us, 0, 0, 0), b.read(1 * us, 1, 0, 0),
                                  b.read(1 * us, 0, 0, 1)};
        run(b.machine);
        CHECK(b.time(first) == 2 * ns + c.line);
        CHECK(b.time(second) == 2 * ns + 2 * c.line);
        CHECK(b.time(other) == 102 * ns + c.line);
        CHECK(b.time(reads[0]) == 1 * us + 2 * ns);
        CHECK(b.time(reads[1]) == 1 * us + 2 * ns);
        CHECK(b.time(reads[2]) == 1 * us + 2 * ns + c.line);
        CHECK(value(b.package().stat.io_time) == static_cast<std::uint64_t>(6 * c.line));
    }
}

TEST_CASE("A page sent as a whole occupies its plane until the last line is on NiF's I/O path",
          "[zng]") {
    Bench b(Arguments {{"transfer", "page"}, {"io_path", "true"}});
    b.read(0, 0, 0, 0);
    const unsigned next = b.read(0, 0, 1, 0), written = b.write(3 * us + 5 * ns, 0, 2, 0);
    run(b.machine);
    // The line that is written crosses before the last thirty of the page; its answer stays behind
    // theirs, which came to the port before.
    CHECK(b.time(written) == 3 * us + 32 * 20 * ns + 2 * ns);
    CHECK(b.time(next) == (3 + 3) * us + 32 * 20 * ns + 2 * ns);
}

} // namespace memsim::package_network_test
