#include "device_parts/address_map.hh"

#include <catch2/catch.hpp>

#include <set>
#include <tuple>

namespace memsim::address_map_test {

using device_parts::AddressMap;
using device_parts::DramPlace;

namespace {
std::string error_of(const std::string& order, const AddressMap::Geometry& g) {
    try {
        AddressMap map(order, g);
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}
auto key(const DramPlace& p) {
    return std::tuple {p.channel, p.rank, p.group, p.bank, p.row, p.column};
}
} // namespace

TEST_CASE("an address map is a bijection with an inverse for any radix") {
    // 6 channels, 3 rows, 10 columns: nothing is a power of two.
    const AddressMap::Geometry g {6, 1, 2, 2, 3, 10, 32, 5};
    for (const char* order :
         {"RoRaBaCoCh", "RoBaRaCoChCl", "RoCoBgBaCh", "rochbabgcocl", "CoRoBaCh"}) {
        AddressMap::Geometry of = g;
        if (std::string(order).find('l') == std::string::npos) of.low_columns = 1;
        const AddressMap map(order, of);
        CHECK(map.capacity() == 6 * 4 * 3 * 10 * 32);
        std::set<decltype(key({}))> seen;
        for (std::uint64_t a = 0; a < map.capacity(); a += 32) {
            const DramPlace p = map.place(a);
            CHECK(map.address(p) == a);
            CHECK((p.channel < 6 && p.group < 2 && p.bank < 2 && p.row < 3 && p.column < 10));
            seen.insert(key(p));
        }
        CHECK(seen.size() == map.capacity() / 32);
    }
}

TEST_CASE("the order defines the fastest digit") {
    const AddressMap::Geometry g {1, 2, 4, 4, 384, 128, 64, 1};
    const AddressMap column_first("RoRaBgBaCo", g);
    CHECK(column_first.place(64).column == 1);
    CHECK(column_first.contiguous(0, 1 << 20) == 8192);
    CHECK(column_first.contiguous(8192 - 64, 1 << 20) == 64);
    CHECK(column_first.contiguous(8192 - 64, 32) == 32);
    const AddressMap bank_first("RoRaCoBa", g);
    CHECK(bank_first.place(64).group == 1); // without Bg neighbours lie in different groups
    CHECK(bank_first.place(4 * 64).bank == 1);
    CHECK(bank_first.contiguous(0, 1 << 20) == 64);
    const AddressMap interleaved("RoRaBaCoChCl", {6, 2, 4, 4, 384, 128, 64, 4});
    CHECK(interleaved.contiguous(0, 1 << 20) == 256);
    CHECK(interleaved.place(256).channel == 1);
    CHECK(interleaved.place(6 * 256).column == 4);
}

TEST_CASE("a map that does not cover the capacity is refused") {
    const AddressMap::Geometry g {6, 2, 4, 4, 384, 128, 64, 1};
    CHECK(error_of("RoRaBaCoCh", g) == "");
    CHECK(error_of("RoRaBaCo", g) ==
          "the address map 'RoRaBaCo' does not cover the capacity: it names no 'ch', of which "
          "there are 6");
    CHECK(error_of("RoRaBaCoCh", {6, 2, 4, 4, 384, 128, 64, 4}) ==
          "the address map 'RoRaBaCoCh' does not cover the capacity: it names no 'cl', of which "
          "there are 4: append it, as in 'RoRaBaCoChCl'");
    CHECK(error_of("RoRaBaCoCo", g).find("names 'co' twice") != std::string::npos);
    CHECK(error_of("RoRaBaCoXy", g).find("has a field 'xy'") != std::string::npos);
    CHECK(error_of("RRaBaCoCh", g).find("has a field 'r'") != std::string::npos);
    CHECK(error_of("RoRaBaCoCh", {6, 2, 4, 4, 0, 128, 64, 1}).find("dimension of 0") !=
          std::string::npos);
    CHECK(error_of("RoRaBaCoChCl", {6, 2, 4, 4, 384, 128, 64, 3}).find("do not divide a row") !=
          std::string::npos);
}

} // namespace memsim::address_map_test
