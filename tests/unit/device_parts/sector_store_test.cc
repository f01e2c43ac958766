#include "core/base/rng.hh"
#include "device_parts/record_part.hh"
#include "device_parts/sector_store.hh"

#include <catch2/catch.hpp>

#include <map>

namespace memsim::sector_store_test {

namespace {

SectorBytes full_of(unsigned byte, std::uint32_t order = 0) {
    SectorBytes s;
    s.known = SectorBytes::all;
    s.bytes.fill(static_cast<std::uint8_t>(byte));
    s.order.fill(order);
    return s;
}

} // namespace

TEST_CASE("Dropped sectors are unknown, and their memory is reused", "[parts][contents]") {
    device_parts::SectorStore store;
    Rng random(1, "store");
    std::map<std::uint64_t, unsigned> right;
    std::size_t saved = 0;
    for (int i = 0; i < 4000; ++i) {
        const std::uint64_t sector = random.below(512);
        const auto byte = static_cast<unsigned>(random.below(256));
        store.put(sector, full_of(byte, byte % 3)); // some were there at the start
        right[sector] = byte;
        if (i % 100 == 99) {
            const std::uint64_t first = 8 * random.below(40), count = 8 * random.below(24);
            store.forget(first, count);
            right.erase(right.lower_bound(first), right.lower_bound(first + count));
        }
        for (std::uint64_t s = 0; i % 97 == 0 && s < 512; ++s) {
            SectorBytes held;
            store.read(s, held);
            const auto at = right.find(s);
            REQUIRE((held.known != 0) == (at != right.end()));
            if (at == right.end()) continue;
            REQUIRE(held.bytes[31] == at->second);
            REQUIRE(held.order[0] == at->second % 3);
        }
        if (i == 2000 || i == 3999) {
            Saver saver;
            store.archive(saver);
            if (i == 2000) saved = saver.bytes.size();
            CHECK(saver.bytes.size() < 2 * std::max<std::size_t>(saved, 1));
        }
    }
    store.forget(0, 512);
    for (std::uint64_t s = 0; s < 512; ++s) store.put(s, full_of(1, 1));
    Saver before, after;
    store.archive(before);
    for (int i = 0; i < 50; ++i) {
        store.forget(0, 512);
        for (std::uint64_t s = 0; s < 512; ++s) store.put(s, full_of(1, 1));
    }
    store.archive(after);
    CHECK(after.bytes.size() == before.bytes.size());
}

TEST_CASE("A record is cut into parts and put together again, in any order", "[parts][contents]") {
    Contents contents;
    const Contents::Id whole = contents.create();
    contents[whole].moves = true;
    for (const std::uint32_t sector : {0u, 1u, 5u, 6u, 7u})
        contents[whole].pieces.push_back({sector, full_of(sector)});
    const Contents::Id again = contents.create();
    for (const std::uint32_t first : {4u, 0u}) {
        const Contents::Id part = device_parts::part_of(contents, whole, first, 4);
        CHECK(contents[part].moves);
        CHECK(contents[part].pieces.size() == (first ? 3 : 2));
        CHECK(contents[part].pieces[0].sector == (first ? 1 : 0));
        device_parts::add_part(contents, again, first, part);
    }
    device_parts::sort_parts(contents, again);
    CHECK(contents.live() == 2);
    REQUIRE(contents[again].pieces.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(contents[again].pieces[i].sector == contents[whole].pieces[i].sector);
        CHECK(contents[again].pieces[i].data.bytes[3] == contents[whole].pieces[i].sector);
    }
    CHECK(contents[device_parts::part_of(contents, whole, 2, 3)].pieces.empty());
}

} // namespace memsim::sector_store_test
