#include "cxl_gpu/load_control.hh"

#include "cxl_gpu/issued_ring.hh"
#include "cxl_gpu/read_ahead.hh"

#include <catch2/catch.hpp>

#include <vector>

namespace memsim::cxl_gpu::load_control_test {

using protocol::DevLoad;

namespace {

constexpr LoadControl::Rule rule {256, 1024, 256, 200};

LoadControl after(std::vector<std::pair<Tick, DevLoad>> reports) {
    LoadControl c;
    c.granularity = rule.least;
    for (const auto& [at, load] : reports) c.report(load, rule, at);
    return c;
}

} // namespace

TEST_CASE("Under light load the granularity grows by one step per period", "[cxl_gpu]") {
    CHECK(after({{10, DevLoad::light}}).granularity == 256);
    CHECK(after({{10, DevLoad::light}, {209, DevLoad::light}}).granularity == 256);
    CHECK(after({{10, DevLoad::light}, {210, DevLoad::light}}).granularity == 512);
    CHECK(after({{10, DevLoad::light}, {409, DevLoad::optimal}}).granularity == 512);
    CHECK(after({{10, DevLoad::light}, {410, DevLoad::light}}).granularity == 768);
    CHECK(after({{10, DevLoad::light}, {100'000'000'000'000, DevLoad::light}}).granularity == 1024);
    // What is left of a period counts towards the next.
    CHECK(after({{10, DevLoad::light}, {309, DevLoad::light}, {410, DevLoad::light}}).granularity ==
          768);
}

TEST_CASE("Under optimal load the granularity stays", "[cxl_gpu]") {
    CHECK(after({{0, DevLoad::light}, {400, DevLoad::optimal}, {5000, DevLoad::optimal}})
              .granularity == 768);
    // The time under it is no time under light load.
    CHECK(after({{0, DevLoad::optimal}, {5000, DevLoad::light}, {5199, DevLoad::light}})
              .granularity == 256);
    CHECK(after({{5000, DevLoad::optimal}}).granularity == 256); // as before the first report
}

TEST_CASE("Under moderate load the granularity shrinks at once and by one step per period",
          "[cxl_gpu]") {
    const auto shrunk = [](Tick later) {
        return after({{0, DevLoad::light},
                      {900, DevLoad::moderate},
                      {900 + later, DevLoad::moderate}})
            .granularity;
    };
    CHECK(shrunk(0) == 768);
    CHECK(shrunk(199) == 768);
    CHECK(shrunk(200) == 512);
    CHECK(shrunk(100'000) == 256);
}

TEST_CASE("Severe load stops speculative reads until the load is light", "[cxl_gpu]") {
    LoadControl c = after({{0, DevLoad::light}, {900, DevLoad::severe}});
    CHECK(c.halted);
    CHECK(c.granularity == 256);
    for (const DevLoad load : {DevLoad::moderate, DevLoad::optimal}) {
        c.report(load, rule, 2000);
        CHECK(c.halted);
    }
    c.report(DevLoad::light, rule, 3000);
    CHECK_FALSE(c.halted);
    CHECK(c.granularity == 256);
    c.report(DevLoad::light, rule, 3200);
    CHECK(c.granularity == 512);
}

TEST_CASE("The granularity sets the used part of a queue", "[cxl_gpu]") {
    LoadControl c;
    const std::vector<std::pair<std::uint32_t, std::uint32_t>> lengths {
        {256, 8}, {512, 16}, {768, 24}, {1024, 32}};
    for (const auto& [granularity, entries] : lengths) {
        c.granularity = granularity;
        CHECK(c.usable(32, 8, rule) == entries);
        CHECK(c.usable(32, 32, rule) == 32);
    }
    CHECK(c.usable(32, 8, {512, 512, 256, 200}) == 32); // a granularity that cannot change
}

TEST_CASE("The ring holds the most recent ranges", "[cxl_gpu]") {
    IssuedRing ring;
    ring.resize(2);
    CHECK_FALSE(ring.covers(0, 64));
    ring.add(512, 512);
    CHECK(ring.covers(512, 64));
    CHECK(ring.covers(960, 64));
    CHECK_FALSE(ring.covers(448, 64));
    CHECK_FALSE(ring.covers(1024, 64));
    CHECK_FALSE(ring.covers(960, 128)); // not all of it
    ring.add(4096, 256);
    CHECK(ring.covers(512, 64));
    ring.add(8192, 256); // takes the oldest one's place
    CHECK_FALSE(ring.covers(512, 64));
    CHECK(ring.covers(4096, 64));
    CHECK(ring.covers(8192, 64));
}

// ---- speculative reads -----------------------------------------------------------------------

namespace {

using Addresses = std::vector<std::uint64_t>;
constexpr std::uint64_t a = 1 << 20;

/// Its first and its last unit, counted from that of address a.
struct Units {
    int first, last;
    bool operator==(const Units&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Units& u) {
    return out << u.first << ".." << u.last;
}
Units window(const char* policy, std::uint64_t address, std::uint32_t granularity,
             const Addresses& prior = {}, const Addresses& upcoming = {}) {
    Policy<ReadAhead> p;
    p.make(policy, "test", 1);
    const SpecRead s = p->window(address, granularity, {prior, upcoming});
    CHECK(s.address % 256 == 0);
    CHECK(s.bytes % 256 == 0);
    CHECK((s.bytes >= 256 && s.bytes <= 1024));
    CHECK((s.address <= address && address + 64 <= s.address + s.bytes));
    const int first = static_cast<int>(static_cast<std::int64_t>(s.address - a) / 256);
    return {first, first + static_cast<int>(s.bytes / 256) - 1};
}

} // namespace

TEST_CASE("The policies of Fig. 9d read ahead from a load's unit", "[cxl_gpu]") {
    Policy<ReadAhead> naive;
    naive.make("naive", "test", 1);
    for (const std::uint32_t granularity : {256u, 1024u}) {
        const SpecRead line = naive->window(a + 192, granularity, {});
        CHECK((line.address == a + 192 && line.bytes == 64)); // in CXL's own format
        CHECK(window("fixed", a + 192, granularity) == Units {0, 3});
        CHECK(window("fixed(bytes=512B)", a + 192, granularity) == Units {0, 1});
    }
    CHECK(window("dynamic", a + 192, 256) == Units {0, 0});
    CHECK(window("dynamic", a + 192, 768) == Units {0, 2});
}

TEST_CASE("Without neighbours, a window extends on both sides of its load", "[cxl_gpu]") {
    CHECK(window("window", a, 256) == Units {-1, 0});
    CHECK(window("window", a + 128, 256) == Units {0, 1}); // -128 is rounded up, 384 to 512
    CHECK(window("window", a + 192, 256) == Units {0, 1});
    CHECK(window("window", a, 512) == Units {-2, 1});
    CHECK(window("window", a, 1024) == Units {-1, 2}); // cut, the side in front first
    CHECK(window("window", 64, 1024).first == -4096);  // address 0
}

TEST_CASE("Earlier requests move the start of a window up", "[cxl_gpu]") {
    CHECK(window("window", a, 256, {a - 64}) == Units {-1, 0});
    CHECK(window("window", a, 256, {a - 64, a - 128}) == Units {-0, 0}); // 128 below: rounded up
    CHECK(window("window", a, 256, {a - 64, a - 128, a - 192, a - 256}) == Units {0, 0});
    // Those that lie elsewhere do not count.
    CHECK(window("window", a, 256, {a, a + 64, a + 128, a - 320}) == Units {-1, 0});
    CHECK(window("window", a, 512, {a - 64, a - 128, a - 192, a - 256}) == Units {-1, 1});
}

TEST_CASE("Upcoming requests move the end of a window down", "[cxl_gpu]") {
    CHECK(window("window", a, 512, {}, {a + 64}) == Units {-2, 1});
    CHECK(window("window", a, 512, {}, {a + 64, a + 128, a + 448}) == Units {-2, 0});
    CHECK(window("window", a, 512, {}, {a - 64, a, a + 512, a + 1024}) == Units {-2, 1});
    CHECK(window("window", a, 256, {}, {a + 64, a + 128, a + 192}) == Units {-1, 0});
}

TEST_CASE("With `literal`, all queued requests move a window, which keeps its load", "[cxl_gpu]") {
    const char* literal = "window(literal=true)";
    CHECK(window(literal, a, 512, {1, 2, 3, 4}) == Units {-1, 1});
    CHECK(window(literal, a, 512, {}, {1, 2, 3, 4}) == Units {-2, 0});
    const Addresses many(32, 0);
    CHECK(window(literal, a, 256, many, many) == Units {0, 0}); // it would be inverted
    CHECK(window("window", a, 256, many, many) == Units {-1, 0});
}

} // namespace memsim::cxl_gpu::load_control_test
