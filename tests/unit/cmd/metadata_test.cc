#include "cmd/tables/metadata.hh"

#include <catch2/catch.hpp>

namespace memsim::metadata_test {

using namespace memsim::cmd;

namespace {

/// Caches of 8 lines in 4 sets, two MSHRs each, and what they send. A line of the map describes 32
/// blocks, a sector of 8; a set gets every fourth line.
struct Tables {
    struct Sent {
        std::uint64_t sector;
        std::uint32_t sectors;
        bool write;
        std::uint32_t tag;
    };
    static MetadataParams params() {
        MetadataParams p;
        for (auto* cache : {&p.map_cache, &p.type_cache, &p.mask_cache}) cache->parse("1KiB");
        p.metadata_ways.parse("2");
        p.metadata_mshrs.parse("2");
        return p;
    }
    MetadataState state;
    MetadataStats stat;
    std::vector<Sent> sent;
    std::vector<std::uint32_t> woken;
    Metadata metadata {
        tables_behind(4096), state, stat,
        [this](std::uint64_t sector, std::uint32_t sectors, bool write, std::uint32_t tag) {
            sent.push_back({sector, sectors, write, tag});
        }};

    Tables() { Metadata::resize(params(), state, 16); }
    bool look(std::uint32_t block, std::uint32_t job = 0) {
        return metadata.look_up(Table::map, block, job, 0);
    }
    void come_back(std::size_t message) {
        woken.clear();
        metadata.come_back(sent[message].tag, 0, [this](std::uint32_t j) { woken.push_back(j); });
    }
    /// All missing lines arrive.
    void fetch(std::uint32_t block) {
        const std::size_t n = sent.size();
        if (!look(block)) come_back(sent.size() - 1);
        REQUIRE(sent.size() >= n);
    }
};
using Jobs = std::vector<std::uint32_t>;
constexpr std::uint64_t map_sector = 4096 * 128 / 32; ///< the map's first

} // namespace

TEST_CASE("A table piece is fetched once and present after its arrival", "[cmd]") {
    Tables t;
    CHECK_FALSE(t.look(0, 5));
    REQUIRE(t.sent.size() == 1);
    CHECK(t.sent[0].sector == map_sector);
    CHECK((t.sent[0].sectors == 1 && !t.sent[0].write && t.sent[0].tag & Metadata::tag_bit));
    CHECK_FALSE(t.look(7, 3)); // the same 32 bytes
    CHECK(t.sent.size() == 1);
    CHECK_FALSE(t.look(8, 4)); // the same line, the next 32 bytes
    REQUIRE(t.sent.size() == 2);
    CHECK(t.sent[1].sector == map_sector + 1);
    CHECK(t.state.mshrs[0].size() == 1);
    t.come_back(0);
    CHECK(t.woken == Jobs {5, 3});
    CHECK(t.look(7));
    CHECK_FALSE(t.look(8, 6));
    t.come_back(1);
    CHECK(t.woken == Jobs {4, 6});
    CHECK(t.metadata.idle());
    CHECK(t.stat.map_reads.value() == 5);
    CHECK(t.stat.map_hits.value() == 1);
    CHECK(t.stat.metadata_fetches.value() == 2);
}

TEST_CASE("Only changed pieces are written back when their line is replaced", "[cmd]") {
    Tables t;
    t.fetch(0), t.fetch(24);
    t.metadata.change_entry(Table::map, 24, 0); // the line's last 32 bytes
    t.fetch(4 * 32), t.fetch(0);                // the set's other way; the first line is used last
    t.fetch(8 * 32);                            // takes the clean line's place
    CHECK(t.stat.metadata_writebacks.value() == 0);
    CHECK((t.stat.map_reads.value() == 5 && t.stat.map_hits.value() == 1));
    CHECK(t.stat.metadata_changes.value() == 1); // it is no look
    CHECK(t.look(0));
    CHECK(t.look(8 * 32)); // now the first line is the oldest one
    t.sent.clear();
    CHECK_FALSE(t.look(12 * 32));
    REQUIRE(t.sent.size() == 2);
    CHECK((t.sent[0].write && t.sent[0].sector == map_sector && t.sent[0].sectors == 0b1000));
    CHECK((t.sent[1].sector == map_sector + 12 * 4 && !t.sent[1].write));
    CHECK(t.stat.metadata_writebacks.value() == 1);
}

TEST_CASE("A change of a missing piece fetches it, and no request waits", "[cmd]") {
    Tables t;
    t.metadata.change_entry(Table::mask, 1000, 0);
    REQUIRE(t.sent.size() == 1);
    CHECK(t.sent[0].sector == (4096 * (128 + 4) + 4096 / 4 + 1000 / 2) / 32);
    t.come_back(0);
    CHECK(t.woken == Jobs {});
    CHECK(t.metadata.idle());
    const auto& tags = t.state.tags[2];
    std::uint32_t dirty = 0;
    for (std::uint32_t set = 0; set < 4; ++set)
        for (std::uint32_t way = 0; way < 2; ++way) dirty |= tags.dirty(tags.line(set, way));
    CHECK(dirty == 1u << t.sent[0].sector % 4);
}

TEST_CASE("Without an MSHR, look-ups wait in order", "[cmd]") {
    Tables t;
    t.fetch(96);
    t.sent.clear();
    CHECK_FALSE(t.look(0, 1));
    CHECK_FALSE(t.look(32, 2));
    CHECK_FALSE(t.look(64, 3)); // both MSHRs are taken
    CHECK_FALSE(t.look(96, 4)); // here, but behind the third
    CHECK(t.sent.size() == 2);
    t.come_back(1);
    CHECK(t.woken == Jobs {2, 4});
    REQUIRE(t.sent.size() == 3);
    CHECK(t.sent[2].sector == map_sector + 8);
    t.come_back(2), t.come_back(0);
    CHECK(t.metadata.idle());
}

TEST_CASE("A set whose lines are all being fetched accepts no other line", "[cmd]") {
    MetadataParams p = Tables::params();
    p.metadata_mshrs.parse("8");
    Tables t;
    Metadata::resize(p, t.state, 16);
    t.look(0, 1), t.look(4 * 32, 2), t.look(8 * 32, 3);
    CHECK(t.sent.size() == 2);
    t.come_back(0);
    CHECK(t.sent.size() == 3);
    CHECK(t.woken == Jobs {1});
}

} // namespace memsim::metadata_test
