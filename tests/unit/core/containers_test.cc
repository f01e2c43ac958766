#include "core/base/bits.hh"
#include "core/base/rng.hh"
#include "core/state/archive.hh"
#include "core/state/fifo.hh"
#include "core/state/free_list.hh"
#include "core/state/hash_map.hh"
#include "core/state/pool.hh"
#include "support.hh"

#include <deque>
#include <map>

using namespace memsim;
using memsim::test::error_of;

namespace memsim::test {
enum class Colour : std::uint8_t { red, green };
struct Inner {
    int a = 0;
    std::array<std::uint16_t, 3> b {};
};
struct Everything {
    bool flag = false;
    Colour colour = Colour::red;
    std::string text;
    Int128 wide = 0;
    std::vector<bool> bits;
    std::vector<std::int64_t> numbers;
    std::deque<Inner> inners;
    HashMap<Inner> table;
    Fifo<Inner> queue;
    Pool<Inner> pool;
    Handle<Inner> handle;
    Rng random;
};
struct Empty {};
struct Many64 {
    int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
        f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37,
        f38, f39, f40, f41, f42, f43, f44, f45, f46, f47, f48, f49, f50, f51, f52, f53, f54, f55,
        f56, f57, f58, f59, f60, f61, f62, f63;
};
} // namespace memsim::test
using namespace memsim::test;

TEST_CASE("reflection sees every field, by name and in order") {
    STATIC_REQUIRE(reflect::field_count<Everything>() == 12);
    STATIC_REQUIRE(reflect::field_count<Empty>() == 0);
    STATIC_REQUIRE(reflect::field_count<Many64>() == 64);
    CHECK(reflect::field_names<Everything>()[0] == "flag");
    CHECK(reflect::field_names<Everything>()[11] == "random");
    CHECK(reflect::field_names<Many64>()[63] == "f63");
    CHECK(reflect::type_name<Everything>() == "test.Everything");
    CHECK(shape<Inner>() == "{a:i32,b:[u16*3]}");
    CHECK(shape<Fifo<Inner>>() == "Fifo<{a:i32,b:[u16*3]}>");
    Inner inner {4, {1, 2, 3}};
    std::string names;
    reflect::for_each_field(inner, [&](std::string_view n, auto& f) {
        names += n;
        f = {};
    });
    CHECK(names == "ab");
    CHECK(inner.a == 0);
}

// Compilers print types without a linkage of their own in other words.
namespace {
enum class Hue : std::uint8_t { blue, violet };
struct Hidden {
    Hue hue = Hue::blue;
    Inner inner;
};
} // namespace

TEST_CASE("reflection sees types of an anonymous namespace") {
    CHECK(reflect::field_names<Hidden>()[0] == "hue");
    CHECK(reflect::field_names<Hidden>()[1] == "inner");
    CHECK(reflect::enumerator_name(Hue::violet) == "violet");
    CHECK(reflect::enumerator_name(static_cast<Hue>(2)).empty());
}

TEST_CASE("a value is restored from its bytes, and truncated bytes are rejected") {
    Everything v;
    v.flag = true, v.colour = Colour::green, v.text = "a\0b", v.wide = -(Int128 {1} << 90);
    v.bits = {true, false, true}, v.numbers = {1, -2, 3}, v.inners = {{1, {2, 3, 4}}, {5, {}}};
    for (std::uint64_t k : {9u, 1u, 1000u}) v.table[k].a = static_cast<int>(k);
    for (int i = 0; i < 7; ++i) v.queue.push({i, {}});
    v.queue.pop(), v.queue.pop();
    v.pool.create({1, {}});
    v.handle = v.pool.create({2, {}});
    v.random.seed(3, "x");
    Saver first;
    first(v);
    Everything w;
    w.numbers = {7, 7, 7}; // the former contents must disappear
    w.queue.push({99, {}});
    w.table[5].a = 5;
    Loader load(first.bytes);
    load(w);
    CHECK(load.done());
    Saver second;
    second(w);
    CHECK(first.bytes == second.bytes);
    CHECK(w.wide == v.wide);
    CHECK(w.bits == v.bits);
    CHECK(w.queue.size() == 5);
    CHECK(w.queue.front().a == 2);
    CHECK(w.table.find(5) == nullptr);
    CHECK(w.pool[w.handle].a == 2);
    CHECK(w.random.next() == v.random.next());
    for (std::size_t n = 0; n < first.bytes.size(); ++n) {
        Everything x;
        Loader cut(std::string_view(first.bytes).substr(0, n));
        const std::string refusal = error_of([&] { cut(x); });
        if (refusal.find("ends too early") == std::string::npos &&
            refusal.find("longer than the bytes that are left") == std::string::npos)
            FAIL("accepted " << n << " bytes");
    }
}

namespace memsim::test {
struct Sized {
    std::vector<Inner> places {4}; ///< as by init()
    FreeList free;
    std::vector<Everything> all {1};
};
} // namespace memsim::test

TEST_CASE("invalid values are rejected with the name of the field") {
    Sized good;
    for (std::uint32_t i : {0, 1, 2, 3}) good.free.push_back(i);
    good.all[0].table[7] = {};
    good.all[0].table[9] = {};
    good.all[0].pool.destroy(good.all[0].pool.create({5, {}}));
    const auto refusal = [&](auto change, auto from) {
        Sized other = good;
        change(other);
        Saver saver;
        saver(other);
        from(saver.bytes);
        Loader load(saver.bytes);
        return error_of([&] {
            Sized fresh = good;
            load(fresh);
        });
    };
    const auto as_saved = [](std::string&) {};
    const auto with = [&](std::size_t at, auto number) {
        return [=](std::string& bytes) { std::memcpy(bytes.data() + at, &number, sizeof number); };
    };
    const std::string after =
        ": the checkpoint is damaged, or was written by a memsim whose state differs";
    CHECK(refusal([](Sized&) {}, as_saved) == "");
    CHECK(refusal([](Sized& s) { s.places.pop_back(); }, as_saved) ==
          "places has 3 elements and not 4" + after);
    CHECK(refusal([](Sized& s) { s.free.pop_back(); }, as_saved) == "");
    CHECK(refusal([](Sized& s) { s.free.push_back(1); }, as_saved) ==
          "free has more numbers than there are places" + after);
    CHECK(refusal([](Sized& s) { s.free.pop_back(), s.free.push_back(1); }, as_saved) ==
          "free has a number that is not a free place" + after);
    CHECK(refusal([](Sized& s) { s.free.pop_back(), s.free.push_back(4); }, as_saved) ==
          "free has a number that is not a free place" + after);
    CHECK(refusal([](Sized& s) { s.all[0].colour = static_cast<Colour>(2); }, as_saved) ==
          "all[0].colour has a value that is not declared" + after);
    const std::size_t all = 8 + 4 * 10 + 8 + 4 * 4 + 8; // where all[0] begins
    CHECK(refusal([](Sized&) {}, with(all, std::uint8_t {2})) ==
          "all[0].flag is neither true nor false" + after);
    CHECK(refusal([](Sized&) {}, with(0, std::uint64_t {1} << 40)) ==
          "places is longer than the bytes that are left" + after);
    const std::size_t table = all + 2 + 8 + 16 + 8 + 8 + 8; // its length
    CHECK(refusal([](Sized&) {}, with(table + 8, std::uint64_t {9})) ==
          "all[0].table has keys that do not ascend" + after);
    CHECK(refusal([](Sized&) {}, with(table + 8, ~std::uint64_t {0})) ==
          "all[0].table has keys that do not ascend" + after);
    const std::size_t slot = table + 8 + 2 * 18 + 4 + (8 + 10) + (8 + 4) + 8; // the free one
    CHECK(refusal([](Sized&) {}, with(slot, std::uint32_t {1})) ==
          "all[0].pool has invalid free slots" + after);
}

TEST_CASE("free places of a table that grows are places of it, each once") {
    const auto refusal = [](std::vector<std::uint32_t> free, std::size_t places) {
        FreeList saved, loaded;
        for (const std::uint32_t place : free) saved.push_back(place);
        Saver saver;
        saver(saved);
        Loader load(saver.bytes);
        load(loaded);
        CHECK(loaded.size() == free.size());
        return error_of([&] { loaded.check_loaded(load, "idle", places); });
    };
    CHECK(refusal({}, 0).empty());
    CHECK(refusal({2, 0, 1}, 3).empty());
    CHECK(refusal({2, 3}, 3).starts_with("idle is 3 and not below 3"));
    CHECK(refusal({1, 2, 1}, 3).starts_with("idle has a number twice"));
}

TEST_CASE("the values of an enumeration are known") {
    CHECK(reflect::is_enumerator(Colour::green));
    CHECK_FALSE(reflect::is_enumerator(static_cast<Colour>(2)));
    CHECK_FALSE(reflect::is_enumerator(static_cast<Colour>(255)));
}

TEST_CASE("a table is saved sorted: its bytes do not depend on the order of insertion") {
    HashMap<int> up, down;
    for (std::uint64_t k = 0; k < 500; ++k) up[k * 77] = static_cast<int>(k);
    for (std::uint64_t k = 600; k-- > 0;) down[k * 77] = static_cast<int>(k);
    for (std::uint64_t k = 500; k < 600; ++k) CHECK(down.erase(k * 77));
    Saver a, b;
    a(up), b(down);
    CHECK(a.bytes == b.bytes);
}

TEST_CASE("the table behaves like std::map under random operations") {
    for (std::uint64_t range : {20u, 3000u}) {
        HashMap<std::uint64_t> ours;
        std::map<std::uint64_t, std::uint64_t> theirs;
        Rng r(range, "map");
        for (std::uint64_t i = 0; i < 40'000; ++i) {
            const std::uint64_t key = r.below(range) << (range == 20 ? 40 : 0);
            const auto what = r.below(3);
            if (what == 0) {
                ours[key] = i;
                theirs[key] = i;
            } else if (what == 1) {
                REQUIRE(ours.erase(key) == (theirs.erase(key) == 1));
            } else {
                const auto it = theirs.find(key);
                const std::uint64_t* found = ours.find(key);
                REQUIRE((found != nullptr) == (it != theirs.end()));
                if (found) REQUIRE(*found == it->second);
            }
            REQUIRE(ours.size() == theirs.size());
        }
    }
}

TEST_CASE("a Fifo is a deque, also when elements leave from its middle") {
    Fifo<int> ours;
    std::deque<int> theirs;
    Rng r(5, "fifo");
    for (int i = 0; i < 20'000; ++i) {
        const auto what = r.below(10);
        if (what < 5 || theirs.empty()) {
            ours.push(i);
            theirs.push_back(i);
        } else if (what < 8) {
            REQUIRE(ours.pop() == theirs.front());
            theirs.pop_front();
        } else {
            const auto at = static_cast<std::uint32_t>(r.below(theirs.size()));
            ours.erase(at);
            theirs.erase(theirs.begin() + at);
        }
        REQUIRE(ours.size() == theirs.size());
        for (std::uint32_t k = 0; k < ours.size(); ++k) REQUIRE(ours[k] == theirs[k]);
        if (theirs.size() > 40) ours.clear(), theirs.clear();
    }
}

TEST_CASE("a handle to a freed element is detected") {
    Pool<int> pool;
    const auto a = pool.create(1);
    const auto b = pool.create(2);
    CHECK(pool.size() == 2);
    pool.destroy(a);
    CHECK_FALSE(pool.alive(a));
    CHECK_THROWS_AS(pool[a], Panic);
    CHECK_THROWS_AS(pool.destroy(a), Panic);
    const auto c = pool.create(3); // in the same slot
    CHECK(c.slot() == a.slot());
    CHECK_FALSE(pool.alive(a));
    CHECK(pool[c] == 3);
    CHECK(pool[b] == 2);
    CHECK_FALSE(Handle<int> {});
}

TEST_CASE("random streams are fixed and independent") {
    Rng r(1, "gpu.sm[0].random");
    // The expected values come from a second implementation of the two papers, in Python.
    const std::array<std::uint64_t, 3> drawn {r.next(), r.next(), r.next()};
    CHECK(drawn == std::array<std::uint64_t, 3> {0x8dbe100d9e59d636, 0xa9ee55d37b3d9521,
                                                 0xcf370f3c001cd726});
    CHECK(Rng(1, "a").next() != Rng(1, "b").next());
    CHECK(Rng(1, "a").next() != Rng(2, "a").next());
    unsigned hits = 0;
    for (int i = 0; i < 100'000; ++i) {
        REQUIRE(r.below(7) < 7);
        hits += r.chance(250'000'000);
    }
    CHECK(hits > 24'500);
    CHECK(hits < 25'500);
}

TEST_CASE("bits are counted as std::popcount counts them") {
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        const std::uint32_t x = i * 2654435761u;
        CHECK(memsim::bits_set(x) == static_cast<std::uint32_t>(std::popcount(x)));
    }
    CHECK(memsim::bits_set(~0u) == 32);
}

TEST_CASE("a mask of the low bits is exact from no bit to all bits of its type") {
    std::uint64_t mask = 0;
    for (unsigned n = 0; n <= 64; mask = mask << 1 | 1, ++n) {
        CHECK(memsim::low_bits(n) == mask);
        if (n <= 32) CHECK(memsim::low_bits<std::uint32_t>(n) == mask);
        if (n <= 16) CHECK(memsim::low_bits<std::uint16_t>(n) == mask);
    }
}
