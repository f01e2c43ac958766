#include "xpoint/media.hh"

#include <catch2/catch.hpp>

namespace memsim::buffers_test {

/// The parts of a module, each alone.
using namespace memsim::xpoint;
using Fill = ReadBuffer::Fill;

namespace {

SectorBytes bytes(std::uint32_t known, std::uint32_t number) {
    SectorBytes s;
    s.known = known;
    s.order.fill(number);
    return s;
}

} // namespace

TEST_CASE("A read buffer returns the next unused place, or none if all are in use") {
    ReadBuffer b;
    b.resize(2);
    const auto first = b.take(10, 0), second = b.take(11, 1);
    CHECK(first == 0);
    CHECK(second == 1);
    CHECK_FALSE(b.take(12, 2)); // both wait for the media
    b[0].fill = b[1].fill = Fill::valid;
    b[0].users = 0b1;
    CHECK(b.take(12, 2) == 1);
    CHECK(b.find(12) == 1);
    CHECK(b.find(10) == 0);
    CHECK_FALSE(b.find(11));
}

TEST_CASE("A line that is written is no longer found in the read buffer; its users keep it") {
    ReadBuffer b;
    b.resize(1);
    b.take(10, 0);
    CHECK_FALSE(b.give_up(10)); // the read arrived first
    b[0].fill = Fill::valid;
    b[0].users = 0b100;
    CHECK(b.give_up(10));
    CHECK_FALSE(b.find(10));
    CHECK(b[0].fill == Fill::valid);
    CHECK_FALSE(b.take(11, 1));
    b.release(0, 2);
    CHECK(b[0].fill == Fill::none);
    CHECK(b.take(11, 1) == 0);
}

TEST_CASE("Writes to a line join its entry until that drains; then there is a younger one") {
    WriteBuffer b;
    b.resize(2);
    CHECK(b.take(10, 0) == 0);
    CHECK(b.open(10) == 0);
    b[0].draining = true;
    CHECK_FALSE(b.open(10));
    CHECK(b.find(10) == 0);
    CHECK(b.take(10, 1) == 1);
    CHECK(b.full());
    b.release(0); // the older one
    CHECK(b.find(10) == 1);
    CHECK(b.used() == 1);
    b.release(1);
    CHECK_FALSE(b.find(10));
}

TEST_CASE("The youngest entry covers the older one, and a sector written whole all that is below") {
    WriteBuffer b;
    b.resize(2);
    b.take(10, 0);
    b.put(0, 3, bytes(0x0f, 1), false);
    b[0].draining = true;
    b.take(10, 1);
    b.put(1, 3, bytes(0x03, 2), false);
    SectorBytes s = bytes(0xff, 0);
    b.cover_by_all(10, 3, s);
    CHECK(s.known == 0xff);
    CHECK(s.order[0] == 2);
    CHECK(s.order[3] == 1);
    CHECK(s.order[4] == 0);
    b.put(1, 3, bytes(0x01, 3), true);
    b[1].sectors = 1 << 3;
    b.cover_by_all(10, 3, s);
    CHECK(s.known == 0x01);
}

namespace {

/// A media of four partitions and 16 lines.
struct Rig {
    MediaParams params = [] {
        MediaParams p;
        p.capacity.parse("4KiB");
        p.partitions.parse("4");
        p.psi.parse("2");
        return p;
    }();
    MediaStats stats;
    WearStats wear;
    MediaState state;
    ReadBuffer reads;
    WriteBuffer writes;
    Media media {params, stats, wear, state, reads, writes, false};
    std::vector<std::uint8_t> read;

    Rig() {
        reads.resize(4);
        writes.resize(4);
        media.init();
    }
    /// All operations of partitions begin and end, up to then.
    void run(Tick until) {
        media.start(now);
        while (media.next_done() <= until) {
            now = media.next_done();
            media.finish(now, 0, [this](std::uint8_t entry) { read.push_back(entry); });
            media.start(now);
        }
        now = until;
    }
    Tick now = 0;
};

constexpr Tick ns = 1'000'000;

} // namespace

TEST_CASE(
    "A partition performs one operation at a time, oldest read first; others work in parallel") {
    Rig r;
    for (const std::uint64_t line : {4, 0, 1}) r.media.read(*r.reads.take(line, 10 - line));
    r.run(190 * ns - 1);
    CHECK(r.read.empty());
    r.run(190 * ns);
    CHECK(r.read == std::vector<std::uint8_t> {0, 2}); // lines 4 and 1: line 0 is younger
    r.run(380 * ns);
    CHECK(r.read.size() == 3);
    CHECK(r.stats.partition_conflicts.value() == 1);
}

TEST_CASE(
    "Lines drain when that is asked for, until the buffer is empty enough; then the gap moves") {
    Rig r;
    for (const std::uint64_t line : {0, 1}) {
        const std::uint8_t entry = r.writes.take(line, line);
        r.writes[entry].sectors = 0xff;
        r.media.write(entry);
    }
    r.run(1000 * ns);
    CHECK(r.wear.media_writes.value() == 0);
    r.media.drain();
    r.run(1763 * ns - 1);
    CHECK(r.writes.used() == 2);
    r.run(1763 * ns);
    CHECK(r.writes.used() == 0);
    CHECK_FALSE(r.state.draining);
    // psi is 2: a line is read and written into the gap.
    CHECK_FALSE(r.media.idle());
    r.run((1763 + 190 + 763) * ns);
    CHECK(r.stats.gap_moves.value() == 1);
    CHECK(r.media.idle());
}

} // namespace memsim::buffers_test
