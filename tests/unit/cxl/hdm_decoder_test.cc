#include "core/base/error.hh"
#include "core/base/rng.hh"
#include "cxl/hdm/address_plan.hh"

#include <catch2/catch.hpp>

#include <set>

namespace memsim::hdm_decoder_test {

/// HDM decoders, their registers, and firmware's plan of addresses.

using namespace memsim::cxl;
using Catch::Contains;
using cxl::CxlRegister;

namespace {

HdmDecoder decoder(std::uint64_t base, std::uint64_t bytes, std::uint32_t ways = 1,
                   std::uint32_t granularity = 256) {
    return {.base = base, .bytes = bytes, .ways = ways, .granularity = granularity};
}

std::string refused(const AddressPlan::Config& config, const std::vector<std::uint64_t>& sizes) {
    try {
        AddressPlan(config, sizes, [](const char* parameter, const std::string& sentence) {
            throw ConfigError(std::string(parameter) + ": " + sentence);
        });
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

AddressPlan plan(const AddressPlan::Config& config, const std::vector<std::uint64_t>& sizes) {
    return AddressPlan(config, sizes,
                       [](const char*, const std::string& sentence) { FAIL(sentence); });
}

constexpr std::uint64_t KiB = 1024, MiB = KiB * KiB;

} // namespace

TEST_CASE("Addresses map one to one to a target and a device address", "[cxl]") {
    Rng random(3, "hdm");
    for (const std::uint32_t ways : HdmDecoder::all_ways)
        for (std::uint32_t granularity = 256; granularity <= 16384; granularity *= 2) {
            HdmDecoder d =
                decoder(7 * MiB, std::uint64_t {ways} * granularity * 21, ways, granularity);
            d.skip = 5 * granularity;
            REQUIRE(d.fault() == "");
            std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
            std::set<std::uint64_t> asked;
            for (unsigned i = 0; i < 300; ++i) {
                const std::uint64_t hpa = d.base + random.below(d.bytes);
                const std::uint32_t way = d.way(hpa);
                const std::uint64_t dpa = d.dpa(hpa);
                REQUIRE(way < ways);
                REQUIRE(dpa >= d.skip);
                REQUIRE(dpa < d.skip + d.share());
                REQUIRE(d.hpa(way, dpa) == hpa);
                REQUIRE(d.dpa_from(way, hpa) == dpa);
                asked.insert(hpa), seen.insert({way, dpa});
                // 3.1's figures for powers of two: the bits above the granularity choose.
                if (std::has_single_bit(ways))
                    REQUIRE(way == ((hpa - d.base) / granularity & (ways - 1)));
            }
            CHECK(seen.size() == asked.size());
        }
}

TEST_CASE("The bytes of one way in a range are contiguous in its device", "[cxl]") {
    const HdmDecoder d = decoder(0, 3 * 256 * 8, 3);
    for (std::uint32_t way = 0; way < 3; ++way)
        for (std::uint64_t from = 0; from < d.bytes; from += 64)
            for (std::uint64_t end = from; end <= d.bytes; end += 64) {
                std::uint64_t own = 0;
                for (std::uint64_t a = from; a < end; a += 64) own += 64 * (d.way(a) == way);
                REQUIRE(d.dpa_from(way, end) - d.dpa_from(way, from) == own);
            }
}

TEST_CASE("A decoder accepts its range to the last byte, and no request across a chunk boundary",
          "[cxl]") {
    const HdmDecoder d = decoder(4096, 2048, 2);
    CHECK_FALSE(d.holds(4095));
    CHECK(d.holds(4096));
    CHECK(d.holds(6143));
    CHECK_FALSE(d.holds(6144));
    CHECK(d.holds(4096 + 192, 64));
    CHECK_FALSE(d.holds(4096 + 193, 64));
    CHECK(decoder(4096, 2048).holds(4096 + 193, 64));
    CHECK_FALSE(decoder(4096, 2048).holds(6143, 2));
    CHECK(d.overlaps(decoder(6143, 1)));
    CHECK_FALSE(d.overlaps(decoder(6144, 1)));
    CHECK(decoder(6143, 1).overlaps(d));
}

TEST_CASE("Ways and granularity are coded as in the HDM decoder's control register", "[cxl]") {
    // CXL 3.1, 8.2.4.20.7.
    const std::vector<std::pair<std::uint32_t, std::uint64_t>> codes {
        {1, 0}, {2, 1}, {4, 2}, {8, 3}, {16, 4}, {3, 8}, {6, 9}, {12, 10}};
    for (const auto& [ways, code] : codes) CHECK(decoder(0, 1, ways).control() == code << 4);
    CHECK(decoder(0, 1, 1, 16384).control() == 6);
    for (const std::uint32_t ways : HdmDecoder::all_ways)
        for (std::uint32_t granularity = 256; granularity <= 16384; granularity *= 2) {
            HdmDecoder d = decoder(0, 1, ways, granularity), read;
            d.position = ways - 1;
            read.set_control(d.control());
            CHECK(read.ways == ways);
            CHECK(read.granularity == granularity);
            CHECK(read.position == ways - 1);
        }
    HdmDecoder reserved;
    for (const std::uint64_t code : {5u, 7u, 11u, 15u}) {
        reserved.set_control(code << 4);
        CHECK(reserved.ways == 0);
    }
    reserved.set_control(7);
    CHECK(reserved.granularity == 0);
}

TEST_CASE("A decoder commits valid settings and is locked afterwards", "[cxl]") {
    HdmCapability c;
    c.entries.resize(2);
    const HdmCapability::Limits limits {.share = 4096, .targets = 2};
    const auto write = [&](CxlRegister reg, std::uint64_t value, std::uint16_t decoder = 0) {
        c.write({.value = value, .decoder = decoder, .reg = reg, .write = true}, limits);
    };
    const auto commits = [&](const HdmDecoder& d, std::uint64_t targets = 0x100,
                             std::uint16_t i = 0) {
        write(CxlRegister::decoder_base, d.base, i);
        write(CxlRegister::decoder_size, d.bytes, i);
        write(CxlRegister::decoder_skip, d.skip, i);
        write(CxlRegister::decoder_targets, targets, i);
        write(CxlRegister::decoder_control, d.control() | HdmCapability::commit, i);
        const std::uint64_t control = c.read({.decoder = i, .reg = CxlRegister::decoder_control});
        CHECK(((control & HdmCapability::committed) == 0) ==
              ((control & HdmCapability::not_committed) != 0));
        return (control & HdmCapability::committed) != 0;
    };
    CHECK_FALSE(commits(decoder(0, 8192 + 512, 2)));  // more than the device has
    CHECK_FALSE(commits(decoder(0, 8192 - 256, 2)));  // not divided
    CHECK_FALSE(commits(decoder(128, 8192, 2)));      // begins within a chunk
    CHECK_FALSE(commits(decoder(0, 0)));              // empty
    CHECK_FALSE(commits(decoder(0, 8192, 2), 0x200)); // no such port
    CHECK(c.find(0) == nullptr);
    CHECK(commits(decoder(4096, 8192, 2)));
    REQUIRE(c.find(4096 + 256));
    CHECK(c.find(4096 + 256)->targets[1] == 1);
    CHECK(c.find(4095) == nullptr);
    write(CxlRegister::decoder_base, 0);
    CHECK(c.read({.reg = CxlRegister::decoder_base}) == 4096);
    CHECK_FALSE(commits(decoder(4096 + 8192 - 256, 512), 0, 1)); // overlaps
    HdmDecoder behind = decoder(4096 + 8192, 512);
    behind.skip = 4096 - 256;
    CHECK_FALSE(commits(behind, 0, 1)); // ends behind the device
    behind.skip = 4096 - 512;
    CHECK(commits(behind, 0, 1));
}

TEST_CASE("Firmware places endpoints consecutively or in interleave sets", "[cxl]") {
    const auto apart = plan({.window_base = MiB, .window = MiB}, {64 * KiB, 128 * KiB});
    REQUIRE(apart.ranges.size() == 2);
    CHECK(apart.ranges[0].decoder == decoder(MiB, 64 * KiB));
    CHECK(apart.ranges[1].decoder == decoder(MiB + 64 * KiB, 128 * KiB));
    CHECK(apart.of_port(1) == decoder(MiB + 64 * KiB, 128 * KiB));
    CHECK(apart.bytes() == 192 * KiB);
    const auto sets = plan({.window = MiB, .ways = 2, .granularity = 1024},
                           std::vector<std::uint64_t>(4, 64 * KiB));
    REQUIRE(sets.ranges.size() == 2);
    CHECK(sets.ranges[1].decoder == decoder(128 * KiB, 128 * KiB, 2, 1024));
    CHECK(sets.ranges[1].targets[0] == 2);
    CHECK(sets.of_port(3).position == 1);
    CHECK(sets.of_port(3).base == 128 * KiB);
    const auto given = plan({.window = MiB, .ranges = "512KiB 512B 1 0, 0B 256B 2"},
                            std::vector<std::uint64_t>(3, 64 * KiB));
    CHECK(given.of_port(0).position == 1);
    CHECK(given.of_port(0).base == 512 * KiB);
    CHECK(given.of_port(2).base == 0);
    CHECK(given.end() == 640 * KiB);
}

TEST_CASE("Ranges that overlap, leave memory unmapped or do not fit are refused", "[cxl]") {
    const std::vector<std::uint64_t> two(2, 64 * KiB);
    const auto given = [&](const std::string& ranges) {
        return refused({.window = MiB, .ranges = ranges}, two);
    };
    CHECK(given("0B 256B 0, 64KiB 256B 1") == "");
    CHECK(given("0B 256B 0, 65280B 256B 1") ==
          "ranges: the range of port 1, 64KiB from 65280B, overlaps that of port 0, 64KiB from 0B");
    CHECK(given("0B 256B 0") == "ranges: port 1 is in no range: the memory behind it is unmapped");
    CHECK(given("0B 256B 0, 64KiB 256B 0 1") == "ranges: port 0 is in more than one range");
    CHECK_THAT(given("0B 256B"), Contains("0 ways"));
    CHECK_THAT(given("0B 256B 2"), Contains("port 2 is not one of 2"));
    CHECK_THAT(given("0B 100B 0 1"), Contains("a power of two from 256B to 16KiB"));
    CHECK_THAT(given("0 256B 0 1"), Contains("is not a first address, a granularity and ports"));
    CHECK_THAT(given("100B 256B 0 1"), Contains("begins within a chunk of 256B"));
    // An endpoint larger than its window, to the byte.
    CHECK(refused({.window_base = 4096, .window = 128 * KiB}, two) == "");
    CHECK(refused({.window_base = 4096, .window = 128 * KiB - 1}, two) ==
          "window: the endpoint memory behind port 1, 64KiB from 68KiB, is outside the window of "
          "131071B from 4KiB");
    CHECK_THAT(refused({.window_base = 4096, .window = MiB, .ranges = "0B 256B 0 1"}, two),
               Contains("is outside the window"));
    const std::uint64_t last = (std::uint64_t {1} << 52) - 128 * KiB;
    CHECK(refused({.window_base = last, .window = MiB}, two) == "");
    CHECK(refused({.window_base = last + 64 * KiB, .window = MiB}, two) ==
          "window_base: the endpoint memory behind port 1, 64KiB from 4096TiB, ends above 4096TiB, "
          "where addresses of a flit end: place it lower");
    // Interleave ways that do not divide.
    const std::vector<std::uint64_t> five(5, 64 * KiB);
    CHECK(refused({.window = MiB, .ways = 2}, five) ==
          "ways: 2 ways do not divide the 5 ports of the host bridge");
    CHECK_THAT(refused({.window = MiB, .ways = 5}, five),
               Contains("5 ways: an interleave set must have 1, 2, 3, 4, 6, 8, 12 or 16"));
    CHECK_THAT(refused({.window = MiB, .ways = 2, .granularity = 16384}, {8192 * 3, 8192 * 3}),
               Contains("48KiB cannot be divided into 2 ways of 16KiB"));
    CHECK(
        refused({.window = MiB, .ways = 2}, {64 * KiB, 128 * KiB}) ==
        "ways: endpoints of one interleave set must have equal sizes: those behind ports 0 1 have "
        "64KiB and 128KiB");
}

} // namespace memsim::hdm_decoder_test
