#include "parts/residency.hh"

#include <catch2/catch.hpp>

#include <algorithm>

/// Which pages a memory holds, and which make room.

using namespace memsim;
using parts::AskedBy;
using parts::Residency;

namespace {

struct Memory {
    Policy<parts::PagePolicy> policy;
    Residency pages;
    explicit Memory(std::uint32_t frames, const std::string& name = "lru") {
        policy.make(name, "test", 1);
        pages.resize(frames, *policy);
    }
    /// Brings a page at once; its frame.
    std::uint32_t bring(std::uint64_t key) {
        const std::uint32_t f = pages.claim(key, AskedBy::demand).frame;
        pages.arrive(f);
        return f;
    }
};

} // namespace

TEST_CASE("A page is on its way until it arrives, and makes no room before", "[residency]") {
    Memory m(2);
    const auto first = m.pages.claim(10, AskedBy::demand);
    CHECK(first.frame == 0);
    CHECK_FALSE(first.evicts);
    CHECK(m.pages.find(10) == 0);
    CHECK_FALSE(m.pages[0].here);
    CHECK(m.bring(11) == 1);
    // Frame 1 is the only one whose page is there.
    const auto second = m.pages.claim(12, AskedBy::prefetch);
    CHECK(second.frame == 1);
    CHECK(second.victim.key == 11);
    CHECK(m.pages.find(11) == Residency::none);
    CHECK(m.pages[1].asked == AskedBy::prefetch);
    CHECK(m.pages.claim(13, AskedBy::demand).frame == Residency::none);
    CHECK(m.pages.find(13) == Residency::none);
    m.pages.arrive(0);
    CHECK(m.pages[0].here);
    CHECK(m.pages.claim(13, AskedBy::demand).frame == 0);
}

TEST_CASE("A pinned page makes no room, as often as it is pinned", "[residency]") {
    Memory m(2);
    m.bring(10), m.bring(11);
    m.pages.pin(0), m.pages.pin(0);
    m.pages.unpin(0);
    CHECK(m.pages.claim(12, AskedBy::demand).victim.key == 11);
    m.pages.arrive(1);
    m.pages.unpin(0);
    CHECK(m.pages.claim(13, AskedBy::demand).victim.key == 10);
}

TEST_CASE("A victim says whether it was written to and used; the next page in its frame is neither",
          "[residency]") {
    Memory m(1);
    m.bring(10);
    m.pages.use(0, false);
    auto c = m.pages.claim(11, AskedBy::prefetch);
    CHECK(c.victim.used);
    CHECK_FALSE(c.victim.dirty);
    m.pages.arrive(0);
    m.pages.use(0, true);
    m.pages.use(0, false);
    c = m.pages.claim(12, AskedBy::prefetch);
    CHECK(c.victim.dirty);
    m.pages.arrive(0);
    c = m.pages.claim(13, AskedBy::demand);
    CHECK_FALSE(c.victim.dirty);
    CHECK_FALSE(c.victim.used);
    CHECK(c.victim.asked == AskedBy::prefetch);
}

TEST_CASE("A page that is there already loses the pin of its claim, and keeps its place",
          "[residency]") {
    Memory m(2);
    m.bring(10), m.bring(11);
    m.pages.pin(0);
    m.pages.arrive(0);
    CHECK(m.pages[0].pins == 0);
    CHECK(m.pages.claim(12, AskedBy::demand).victim.key == 10);
    m.pages.arrive(0);
    CHECK(m.pages.claim(13, AskedBy::demand).victim.key == 11);
}

namespace {

/// What each policy has to do, written down as plainly as possible: pages by key, in the order in
/// which they go.
struct Reference {
    std::string policy;
    struct Entry {
        std::uint64_t key;
        bool used = false;
    };
    std::size_t capacity;
    std::vector<Entry> row;
    std::size_t hand = 0; ///< of the clock: an index of row, which is by frame there

    bool use(std::uint64_t key) {
        const auto e = std::find_if(row.begin(), row.end(), [&](auto& x) { return x.key == key; });
        if (e == row.end()) return false;
        e->used = true;
        if (policy == "lru") std::rotate(e, e + 1, row.end());
        return true;
    }
    /// What makes room for a page that comes, if anything can.
    std::optional<std::uint64_t> bring(std::uint64_t key, std::uint64_t pinned) {
        if (row.size() < capacity) {
            row.push_back({key});
            return {};
        }
        if (policy == "clock") {
            while (row[hand].key == pinned || row[hand].used) {
                if (row[hand].key != pinned) row[hand].used = false;
                hand = (hand + 1) % capacity;
            }
            const std::uint64_t gone = row[hand].key;
            row[hand] = {key};
            hand = (hand + 1) % capacity;
            return gone;
        }
        auto e = row.begin();
        if (e->key == pinned) ++e;
        const std::uint64_t gone = e->key;
        row.erase(e);
        row.push_back({key});
        return gone;
    }
};

} // namespace

TEST_CASE("Each page policy does on random strings what a plain reference does",
          "[residency][policy]") {
    const auto& known = policies().at("page policy");
    CHECK(known.size() == 3);
    for (const auto& [name, info] : known)
        for (const std::uint32_t frames : {2u, 3u, 8u, 64u}) {
            INFO(name << " of " << frames);
            Memory m(frames, name);
            Reference reference {name, frames, {}};
            Rng random(frames, name);
            std::uint64_t evictions = 0;
            for (unsigned i = 0; i < 5000; ++i) {
                const std::uint64_t range = 2 * frames;
                const std::uint64_t key = std::min(random.below(range), random.below(range));
                const std::uint32_t here = m.pages.find(key);
                REQUIRE(reference.use(key) == (here != Residency::none));
                if (here != Residency::none) {
                    m.pages.use(here, false);
                    continue;
                }
                // Now and then a page is pinned meanwhile.
                const std::uint64_t pinned = random.below(4) ? ~0ull : random.below(range);
                const std::uint32_t f = pinned == ~0ull ? Residency::none : m.pages.find(pinned);
                if (f != Residency::none) m.pages.pin(f);
                const auto c = m.pages.claim(key, AskedBy::demand);
                const auto gone = reference.bring(key, pinned);
                REQUIRE(c.evicts == gone.has_value());
                if (gone) REQUIRE(c.victim.key == *gone);
                evictions += c.evicts;
                m.pages.arrive(c.frame);
                if (f != Residency::none) m.pages.unpin(f);
            }
            CHECK(evictions > 500);
        }
}

TEST_CASE("No page policy finds a victim where all pages are pinned, and none is lost by that",
          "[residency][policy]") {
    for (const auto& [name, info] : policies().at("page policy")) {
        INFO(name);
        Memory m(3, name);
        for (std::uint64_t key = 0; key < 3; ++key) {
            m.pages.pin(m.bring(key));
            m.pages.use(static_cast<std::uint32_t>(key), true);
        }
        CHECK(m.pages.claim(9, AskedBy::demand).frame == Residency::none);
        m.pages.unpin(1);
        const auto c = m.pages.claim(9, AskedBy::demand);
        CHECK(c.victim.key == 1);
        CHECK(c.victim.dirty);
    }
}

TEST_CASE("A page that is removed is nobody's victim, and comes again as a new one",
          "[residency][policy]") {
    for (const auto& [name, info] : policies().at("page policy")) {
        INFO(name);
        Policy<parts::PagePolicy> policy;
        policy.make(name, "test", 1);
        policy->resize(3);
        const parts::ResidentPages pages(3);
        for (const std::uint32_t f : {0, 1, 2}) policy->insert(f, pages[f]);
        policy->remove(0);
        CHECK(policy->evict(9, pages) == 1);
        policy->insert(0, pages[0]);
        CHECK(policy->evict(9, pages) == 2);
        CHECK(policy->evict(9, pages) == 0);
        CHECK(policy->evict(9, pages) == parts::PagePolicy::none);
    }
}

TEST_CASE("A page policy goes on from its saved State", "[residency][policy]") {
    for (const auto& [name, info] : policies().at("page policy")) {
        INFO(name);
        Memory before(4, name), after(4, name);
        for (const std::uint64_t key : {1, 2, 3, 4}) before.bring(key);
        for (const std::uint32_t f : {0, 2, 0}) before.pages.use(f, false);
        before.pages.claim(5, AskedBy::demand);
        before.pages.arrive(before.pages.find(5));
        Saver saved;
        saved(before.policy), saved(before.pages);
        Loader l(saved.bytes);
        l(after.policy), l(after.pages);
        for (std::uint64_t key = 10; key < 20; ++key)
            CHECK(before.pages[before.bring(key)].key == after.pages[after.bring(key)].key);
        Saver again, other;
        again(before.policy), other(after.policy);
        CHECK(again.bytes == other.bytes);
    }
}
