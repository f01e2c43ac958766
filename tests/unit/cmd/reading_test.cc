#include "parts.hh"

namespace memsim::reading_test {

using namespace memsim::cmd;
using namespace memsim::cmd::test;

namespace {

struct Reads : Parts {
    std::vector<std::uint8_t> counts = std::vector<std::uint8_t>(16);
    ReadClassStats class_stat;
    ReadClasses classes {counts, class_stat};
    ReadingParams params;
    ReadingStats stat;
    std::uint32_t in_l2 = 0;           ///< sectors of any line that are present and clean
    std::vector<std::uint64_t> looked; ///< addresses
    Reading reading {params,
                     map,
                     shared,
                     classes,
                     [this](std::uint64_t at) {
                         looked.push_back(at);
                         return in_l2 >> at / 32 % 4 & 1 ? sector_of_word(0xabcd) : SectorBytes {};
                     },
                     stat};

    std::uint32_t begin(std::uint32_t block, std::uint32_t sectors) {
        const std::uint32_t id = add(JobKind::read, block, sectors);
        step(reading, id);
        return id;
    }
    void steps(std::uint32_t id, int n) {
        while (n-- > 0) step(reading, id);
    }
    const Reference::Digest digest {};
    using Fetches = std::vector<Noted::Fetch>;
    using Looks = std::vector<Noted::Look>;
};

} // namespace

TEST_CASE("A block in its own place is read after its type flag alone", "[cmd]") {
    Reads r;
    r.begin(3, 0b0110);
    CHECK(r.noted.fetches == Reads::Fetches {{3, 0b0110}});
    r.placement.put(3, 0b1111, 3, &r.digest);
    r.begin(3, 0b0001);
    CHECK(r.noted.fetches.back() == Noted::Fetch {3, 0b0001});
    CHECK(r.noted.looks.empty());
    CHECK(r.class_stat.read_only_reads.value() == 2); // one of 32 bytes for each sector
    CHECK(r.class_stat.reached_2.value() == 1);
    CHECK(r.class_stat.data_reads.value() == 1);
}

TEST_CASE("A read of a compressed block looks up the map, too", "[cmd]") {
    Reads r;
    r.compressor = made<Compressor>("bpc");
    r.compressor->resize(16);
    Packing packing {*r.compressor, r.packing_stat};
    BlockBytes zeros {};
    packing.write(3, true, zeros);
    const Shared shared {r.scheme, r.placement, packing, r.memory, r.jobs};
    Reading reading {
        r.params, r.map, shared, r.classes, [](std::uint64_t) { return SectorBytes {}; }, r.stat};
    r.placement.put(3, 0b1111, 3, nullptr);
    const auto id = r.add(JobKind::read, 3, 0b0001);
    r.step(reading, id);
    CHECK(r.noted.looks == Reads::Looks {{Table::map, 3}});
    CHECK(r.noted.fetches.empty());
    r.step(reading, id);
    CHECK(r.noted.fetches == Reads::Fetches {{3, 0b0001}});
}

TEST_CASE("A sector of an intra-duplicate is read from its map entry, not from memory", "[cmd]") {
    Reads r;
    r.placement.set_intra(5, 0b1111, 0x01020304);
    const auto id = r.begin(5, 0b0100);
    CHECK(r.noted.looks == Reads::Looks {{Table::mask, 5}, {Table::map, 5}});
    CHECK(r.noted.finished.empty());
    r.steps(id, 1);
    CHECK(r.noted.fetches.empty());
    CHECK(r.noted.finished == std::vector<std::uint32_t> {id});
    CHECK(r.stat.intra_sectors.value() == 1);
    const Sectors& own = r.jobs.data(id).own;
    CHECK(own[2].known == SectorBytes::all);
    CHECK((own[2].bytes[0] == 4 && own[2].bytes[31] == 1));
    CHECK((own[1].known == 0 && own[3].known == 0)); // one sector of 32 bytes, not the line
}

TEST_CASE("Sectors outside of the mask are read in the block's own place", "[cmd]") {
    Reads r;
    r.placement.put(0, 0b0011, 0, &r.digest);
    REQUIRE(r.placement.join(7, 0b0011, 0).result == Placement::Joined::mapped);
    r.steps(r.begin(7, 0b1110), 1);
    CHECK(r.noted.fetches == Reads::Fetches {{7, 0b1100}});
    r.placement.set_intra(8, 0b0001, 9);
    r.steps(r.begin(8, 0b0011), 1);
    CHECK(r.noted.fetches.back() == Noted::Fetch {8, 0b0010});
    CHECK(r.noted.finished.empty());
}

TEST_CASE("Sectors of an inter-duplicate are copied from the L2 or read from the reference",
          "[cmd]") {
    Reads r;
    r.in_l2 = 0b0010;
    r.placement.put(2, 0b1111, 2, &r.digest);
    r.placement.join(9, 0b1111, 2);
    const auto id = r.begin(9, 0b0110);
    r.steps(id, 1);
    CHECK(r.noted.looks.back() == Noted::Look {Table::type, 2}); // is it still its own?
    r.steps(id, 1);
    CHECK(r.noted.waits == std::vector<unsigned> {20});
    CHECK(r.looked.empty()); // not before it is paid for
    r.steps(id, 1);
    CHECK(r.looked == std::vector<std::uint64_t> {2 * 128 + 32, 2 * 128 + 64});
    CHECK(r.noted.fetches == Reads::Fetches {{2, 0b0100}});
    CHECK(r.stat.copied_sectors.value() == 1);
    CHECK(r.jobs.data(id).own[1].bytes[0] == 0xcd);
}

TEST_CASE("An L2 line is not copied if its reference was rewritten and moved", "[cmd]") {
    Reads r;
    r.in_l2 = 0b1111; // block 2's new data
    r.placement.put(2, 0b1111, 2, &r.digest);
    r.placement.join(9, 0b1111, 2);
    const Reference::Digest other {1};
    REQUIRE(r.placement.donor(0) == 9);
    r.placement.put(2, 0b1111, 9, &other); // its old data stay in place 2, for block 9
    const auto id = r.begin(9, 0b0001);
    r.steps(id, 3);
    CHECK(r.looked.empty());
    CHECK(r.noted.fetches == Reads::Fetches {{2, 0b0001}});
}

} // namespace memsim::reading_test
