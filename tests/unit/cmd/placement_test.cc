#include "cmd/controller/placement.hh"

#include "references.hh"

namespace memsim::placement_test {

using namespace memsim::cmd;
using namespace memsim::cmd::test;

namespace {

/// Writes of blocks as the Deduplicator makes them, on data that are one number a sector, with
/// with any data in each place. Equal words are even numbers, alike in all sectors.
struct Plain {
    using Data = std::array<std::uint32_t, block_sectors>;
    PlacementState state;
    PlacementStats stat;
    Placement placement {false, state, stat};
    std::vector<Data> places, blocks; ///< data of each place; data written last to each block

    explicit Plain(std::uint32_t n, std::uint32_t entries) : places(n), blocks(n) {
        Placement::resize(state, n, false, entries, 2);
    }
    const BlockTable& t() const { return placement.table(); }

    static Reference::Digest digest_of(const Data& data, std::uint32_t mask) {
        Reference::Digest d {};
        for (std::uint32_t s = 0; s < block_sectors; ++s)
            if (mask >> s & 1) d[s] = static_cast<std::uint8_t>(1 + data[s]);
        return d;
    }
    static bool intra(const Data& data, std::uint32_t mask) {
        std::uint32_t first = ~0u;
        for (std::uint32_t s = 0; s < block_sectors; ++s) {
            if (!(mask >> s & 1)) continue;
            if (first == ~0u) first = data[s];
            if (data[s] != first || first % 2) return false;
        }
        return true;
    }
    void put(std::uint32_t block, std::uint32_t mask, std::uint32_t place, bool listed) {
        const Reference::Digest d = digest_of(blocks[block], mask);
        const auto freed = placement.put(block, mask, place, listed ? &d : nullptr);
        CHECK((freed == Placement::nowhere || t().users(freed) == 0 || freed == place));
        for (std::uint32_t s = 0; s < block_sectors; ++s)
            if (mask >> s & 1) places[place][s] = blocks[block][s];
    }
    void write(std::uint32_t block, std::uint32_t sectors, const Data& data) {
        std::uint32_t mask = sectors | t().mask(block);
        if (placement.must_be_whole(block, mask)) mask = all_sectors;
        for (std::uint32_t s = 0; s < block_sectors; ++s)
            if (sectors >> s & 1) blocks[block][s] = data[s];
        if (intra(blocks[block], mask)) {
            const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
            placement.set_intra(block, mask, blocks[block][first]);
            return;
        }
        const Reference* const r = placement.find(digest_of(blocks[block], mask), mask);
        if (r && placement.join(block, mask, r->place).result != Placement::Joined::full) return;
        for (;;) {
            if (const auto place = placement.place_for(block))
                return put(block, mask, *place, true);
            for (std::uint32_t g = 0; g < placement.groups(); ++g)
                if (const auto d = placement.donor(g); d != Placement::nowhere)
                    return put(block, mask, d, true);
            const std::uint32_t home = placement.next_to_bring_home(block, 0);
            REQUIRE(home != Placement::nowhere);
            ++brought_home;
            put(home, t().mask(home), home, false);
        }
    }
    void check() const {
        for (std::uint32_t b = 0; b < blocks.size(); ++b)
            for (std::uint32_t s = 0; s < block_sectors; ++s) {
                const bool inside = t().mask(b) >> s & 1;
                const std::uint32_t held = inside && t().type(b) == BlockType::intra
                                               ? t().word(b)
                                               : places[inside ? t().place(b) : b][s];
                REQUIRE(held == blocks[b][s]);
            }
        REQUIRE(placement.imbalance() == std::nullopt);
    }
    std::uint64_t count(const Counter& c) const { return static_cast<std::uint64_t>(c.value()); }
    unsigned brought_home = 0;
};

} // namespace

TEST_CASE("Under random writes each block's data lie in the place named by its entry", "[cmd]") {
    for (const std::uint32_t entries : {0u, 4u}) {
        Plain plain(150, entries); // two groups of type flags
        Rng r(7, "placement");
        for (int i = 0; i < 20'000; ++i) {
            const auto block = static_cast<std::uint32_t>(r.below(i < 10'000 ? 12 : 150));
            const auto sectors =
                r.below(2) ? all_sectors : 1 + static_cast<std::uint32_t>(r.below(15));
            Plain::Data data;
            const bool few = r.below(2);
            for (auto& d : data) d = static_cast<std::uint32_t>(few ? 1 : r.below(4));
            if (i % 3 == 0) data.fill(static_cast<std::uint32_t>(2 * r.below(2)));
            plain.write(block, sectors, data);
            if (i % 8 == 0) plain.check();
        }
        CHECK(plain.count(plain.stat.inter) > 1000);
        CHECK(plain.count(plain.stat.silent) > 10);
        CHECK((plain.count(plain.stat.forgotten) > 100) == (entries > 0));
    }
}

TEST_CASE("Partial blocks are brought home if no place can be lent", "[cmd]") {
    // All blocks are mapped to the first one's place by one sector, so none is whole.
    Plain plain(8, 0);
    for (std::uint32_t b = 0; b < 8; ++b) plain.write(b, 0b0001, {1, 0, 0, 0});
    plain.check();
    CHECK(plain.count(plain.stat.inter) == 7);
    CHECK(plain.placement.must_be_whole(0, 0b0001));
    plain.write(0, all_sectors, {3, 5, 7, 9});
    plain.check();
    CHECK(plain.brought_home == 7);
    CHECK(plain.t().type(0) == BlockType::own);
}

TEST_CASE("The 65,536th duplicate is stored as a separate block", "[cmd]") {
    const std::uint32_t most = Reference::most;
    Plain plain(most + 4, 0);
    for (std::uint32_t b = 0; b < most; ++b) plain.write(b, all_sectors, {1, 3, 1, 3});
    CHECK(plain.t().users(0) == most);
    CHECK(plain.count(plain.stat.uncounted) == 0);
    plain.write(most, all_sectors, {1, 3, 1, 3});
    CHECK(plain.count(plain.stat.uncounted) == 1);
    CHECK(plain.t().type(most) == BlockType::own);
    CHECK(plain.t().users(0) == most);
}

TEST_CASE("A place that its last block leaves is reported as free", "[cmd]") {
    Plain plain(4, 0);
    const Plain::Data a {1, 3, 1, 3}, b {5, 1, 1, 1};
    plain.write(0, all_sectors, a);
    plain.write(1, all_sectors, a); // mapped to 0
    const auto d = Plain::digest_of(b, all_sectors);
    CHECK(plain.placement.donor(0) == 1);
    CHECK(plain.placement.place_for(0) == std::nullopt);
    CHECK(plain.placement.put(0, all_sectors, 1, &d) == Placement::nowhere); // 1 is mapped to 0
    CHECK(plain.placement.donor(0) == Placement::nowhere);
    CHECK(plain.placement.set_intra(0, all_sectors, 2) == 1);
    CHECK(plain.placement.donor(0) == 1);
}

} // namespace memsim::placement_test
