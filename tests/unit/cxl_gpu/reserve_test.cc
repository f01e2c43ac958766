#include "cxl_gpu/reserve.hh"

#include "cxl_gpu/stored_bytes.hh"
#include "cxl_gpu/write_gate.hh"

#include <catch2/catch.hpp>

namespace memsim::cxl_gpu::reserve_test {

namespace {

using Phase = Reserve::Phase;

Reserve of(std::uint32_t entries) {
    Reserve r;
    r.resize(entries);
    return r;
}
/// A store of bytes from `address` on.
protocol::MemRequest store(std::uint64_t address, std::uint32_t bytes, std::uint16_t partial = 0) {
    protocol::MemRequest r;
    r.address = address, r.bytes = bytes, r.partial = partial;
    r.command = protocol::Command::write;
    return r;
}
SectorBytes filled(std::uint8_t value, std::uint32_t known = SectorBytes::all) {
    SectorBytes s;
    s.known = known;
    s.bytes.fill(value);
    s.order.fill(value);
    return s;
}

} // namespace

TEST_CASE("A line of the reserve is found from its claim until the endpoint has received it",
          "[cxl_gpu]") {
    Reserve r = of(2);
    const std::uint32_t a = r.claim(7, 0, Phase::stacked), b = r.claim(9, 0, Phase::leaving);
    CHECK(r.full());
    CHECK(r.find(7) == a);
    CHECK(r.find(9) == b);
    CHECK(r.find(8) == Reserve::none);
    CHECK(r.stacked() == 1);
    r.left(b);
    CHECK(r.find(9) == Reserve::none);
    CHECK(r.size() == 1);
    CHECK(r.leave() == a);
    CHECK(r.find(7) == a); // until the answer
    r.left(a);
    CHECK(r.size() == 0);
}

TEST_CASE("The stack returns the newest line, or one that was raised", "[cxl_gpu]") {
    Reserve r = of(4);
    std::vector<std::uint32_t> e;
    for (std::uint64_t line = 0; line < 4; ++line) e.push_back(r.claim(line, 0, Phase::stacked));
    r.raise(e[1]);
    CHECK(r.leave() == e[1]);
    CHECK(r.leave() == e[3]);
    r[e[3]].again = true; // written on its way
    r.left(e[3]);
    CHECK(r.find(3) == e[3]);
    CHECK_FALSE(r[e[3]].again);
    CHECK(r.leave() == e[3]);
    CHECK(r.leave() == e[2]);
}

TEST_CASE("A tree has one level per doubling of its entries", "[cxl_gpu]") {
    Reserve r = of(8);
    std::vector<std::uint32_t> levels;
    for (std::uint64_t line = 0; line < 8; ++line) {
        levels.push_back(r.levels());
        r.claim(line, 0, Phase::stacked);
    }
    CHECK(levels == std::vector<std::uint32_t> {0, 1, 2, 2, 3, 3, 3, 3});
}

TEST_CASE("An entry records stored sectors and completely stored ones", "[cxl_gpu]") {
    Reserve::Entry e;
    e.record_store(store(64, 32), 2);
    CHECK(e.sectors == 4);
    CHECK(e.whole == 4);
    e.record_store(store(0, 64, 2), 0); // the second in part
    CHECK(e.sectors == 7);
    CHECK(e.whole == 5);
    e.record_store(store(40, 24), 1); // begins within its sector
    CHECK(e.whole == 5);
    e.record_store(store(96, 16), 3); // ends within it
    CHECK(e.sectors == 15);
    CHECK(e.whole == 5);
    e.record_store(store(32, 32), 1);
    CHECK(e.whole == 7); // the partially stored sector is then whole
}

TEST_CASE("Data of an earlier line in the reserve do not count as a store's", "[cxl_gpu]") {
    Contents contents;
    contents.enable();
    Reserve::Entry e;
    const Contents::Id id = contents.create();
    contents[id].pieces.push_back({0, filled(3, 0xff)});
    const Contents::Id copy = stored_bytes::copy(contents, e, id, 1);
    const SectorBytes& first = contents[copy].pieces[0].data;
    SectorBytes there = filled(200); // of a younger store to another address
    there.merge(first, false);
    CHECK(there.bytes[7] == 3);
    CHECK(there.bytes[8] == 0);
    CHECK(e.known[1] == 0xff);
    CHECK(e.moved == 0);
    e.record_store(store(32, 32, 1), 1);
    contents[id].pieces[0].data = filled(2); // an older store of the whole sector that arrives late
    const Contents::Id late = stored_bytes::copy(contents, e, id, 1);
    there.moved = false;
    CHECK(there.merge(contents[late].pieces[0].data, false));
    CHECK(there.bytes[7] == 3);
    CHECK(there.bytes[8] == 2);
    CHECK(e.known[1] == SectorBytes::all);
}

TEST_CASE("Data moved into the reserve leave it as a move", "[cxl_gpu]") {
    const bool record = GENERATE(false, true);
    Contents contents;
    contents.enable();
    Reserve::Entry e;
    const Contents::Id id = contents.create();
    contents[id].pieces.push_back({0, filled(3)});
    contents[id].moves = record;
    contents[id].pieces[0].data.moved = !record;
    contents.release(stored_bytes::copy(contents, e, id, 2));
    CHECK(e.moved == 4);
    StoreJobs::Job job;
    job.known = {0xff, 0xff00, 0, 0};
    job.moved = 2;
    contents[id].pieces = {{0, filled(1)}, {1, filled(1)}};
    stored_bytes::narrow(contents, job, id);
    CHECK(contents[id].pieces[0].data.known == 0xff);
    CHECK(contents[id].pieces[1].data.known == 0xff00);
    CHECK_FALSE(contents[id].pieces[0].data.moved);
    CHECK(contents[id].pieces[1].data.moved);
}

TEST_CASE("A gate probes with a single write if no load was reported since the last check",
          "[cxl_gpu]") {
    using protocol::DevLoad;
    WriteGate g;
    g.report(DevLoad::optimal, DevLoad::moderate, 10, 100);
    CHECK_FALSE(g.suspended);
    g.report(DevLoad::moderate, DevLoad::moderate, 20, 100);
    CHECK(g.suspended);
    g.report(DevLoad::severe, DevLoad::moderate, 30, 100);
    CHECK_FALSE(g.due(119));
    CHECK(g.due(120));
    g.judge_load(DevLoad::moderate, 120, 100);
    CHECK(g.suspended);
    CHECK_FALSE(g.probe);
    CHECK_FALSE(g.due(219));
    g.judge_load(DevLoad::moderate, 220, 100);
    CHECK(g.probe);
    g.report(DevLoad::optimal, DevLoad::moderate, 230, 100);
    CHECK(g.suspended); // until the next look
    g.judge_load(DevLoad::moderate, 320, 100);
    CHECK_FALSE(g.suspended);
    CHECK_FALSE(g.probe);
}

TEST_CASE("A line of the reserve is read from its first stored sector to its last", "[cxl_gpu]") {
    Reserve r = of(1);
    Reserve::Entry& e = r[r.claim(7, 3, Phase::stacked)];
    e.record_store(store(7 * 128 + 32, 32), 1);
    CHECK(e.first_sector() == 1);
    CHECK(e.read(128).address == 7 * 128 + 32);
    CHECK(e.read(128).bytes == 32);
    CHECK(e.read(128).application == 3);
    CHECK(e.read(128).sectors == 0); // all
    e.record_store(store(7 * 128 + 96, 32), 3);
    CHECK(e.read(128).bytes == 96);
    CHECK(e.read(128).sectors == 0b101);
}

} // namespace memsim::cxl_gpu::reserve_test
