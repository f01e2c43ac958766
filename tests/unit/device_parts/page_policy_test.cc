#include "device_parts/residency.hh"

#include "page_policy_references.hh"

#include <catch2/catch.hpp>

#include <functional>
#include <map>

namespace memsim::page_policy_test {

/// Which page makes room: every policy of the registry.

using namespace test_pages;
using device_parts::AskedBy;
using device_parts::PagePolicy;
using device_parts::Residency;

namespace {

const auto& page_policies() { return policies().at("page policy"); }

/// A memory whose pages come at once.
struct Memory {
    Policy<PagePolicy> policy;
    Residency pages;
    std::uint64_t hits = 0, ghosts = 0;
    Memory(std::uint32_t frames, const std::string& name) {
        policy.make(name, "test", 1);
        pages.resize(frames, *policy);
    }
    /// What made room, if something did.
    std::optional<Key> access(Key key) {
        const std::uint32_t f = pages.find(key);
        if (f == Residency::none) return bring(key, AskedBy::demand);
        ++hits;
        pages.use(f, false);
        return {};
    }
    std::optional<Key> bring(Key key, AskedBy asked) {
        const auto c = pages.claim(key, asked);
        REQUIRE(c.frame != Residency::none);
        ghosts += c.ghost;
        pages.arrive(c.frame);
        if (asked == AskedBy::demand) pages.use(c.frame, false);
        return c.evicts ? std::optional(c.victim.key) : std::nullopt;
    }
    /// A number of the policy's State, by its name.
    std::uint64_t number(const std::string& name) const {
        const std::string text = policy->show(), field = "\"" + name + "\": ";
        const std::size_t at = text.find(field);
        REQUIRE(at != std::string::npos);
        return std::stoull(text.substr(at + field.size()));
    }
};

/// Strings of accesses to a memory of so many frames.
using String = std::function<Key(std::uint32_t frames, unsigned i, Rng& random)>;

Key zipf(std::uint64_t n, Rng& random) { // P(k) ~ 1/(k + 1), in whole parts of 2^20
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < n; ++k) sum += (1u << 20) / (k + 1);
    std::uint64_t draw = random.below(sum), k = 0;
    while (draw >= (1u << 20) / (k + 1)) draw -= (1u << 20) / (++k);
    return k;
}
/// Of 8 accesses 4 go through much more than there is room for, 4 to a hot half of memory.
Key scan_and_hot_set(std::uint32_t frames, unsigned i, Rng& random) {
    return i % 8 < 4 ? 1000 + (i / 8 * 4 + i % 8) % (20 * frames)
                     : random.below(std::max(1u, frames / 2));
}
const std::map<std::string, String> strings {
    {"uniform", [](auto frames, auto, auto& random) { return random.below(2 * frames); }},
    {"zipf", [](auto frames, auto, auto& random) { return zipf(4 * frames, random); }},
    {"loop", [](auto frames, auto i, auto&) { return Key {i % (frames + frames / 3 + 1)}; }},
    {"loop of one more", [](auto frames, auto i, auto&) { return Key {i % (frames + 1)}; }},
    {"scan and hot set", scan_and_hot_set},
};

std::uint64_t hits_of(const std::string& policy, std::uint32_t frames, const String& string) {
    Memory m(frames, policy);
    Rng random(frames, "string");
    for (unsigned i = 0; i < 40 * frames; ++i) m.access(string(frames, i, random));
    return m.hits;
}

} // namespace

TEST_CASE("Each page policy equals a plain reference on random strings of accesses",
          "[page_policy]") {
    CHECK(page_policies().size() == 6);
    for (const auto& [name, info] : page_policies())
        for (const auto& [shape, string] : strings)
            for (const std::uint32_t frames : {1u, 2u, 3u, 8u, 33u})
                for (const bool disturbed : {false, true}) { // by pins and prefetches
                    INFO(name << " of " << frames << ", " << shape
                              << (disturbed ? ", disturbed" : ""));
                    Memory m(frames, name);
                    const auto plain = reference(name, frames);
                    REQUIRE(plain);
                    Rng random(frames, shape);
                    std::uint64_t evictions = 0;
                    for (unsigned i = 0; i < 1000 + 30 * frames; ++i) {
                        const Key key = string(frames, i, random);
                        const std::uint32_t here = m.pages.find(key);
                        REQUIRE(plain->here(key) == (here != Residency::none));
                        REQUIRE(plain->remembers(key) == m.policy->remembers(key));
                        if (here != Residency::none) {
                            plain->hit(key);
                            m.access(key);
                            continue;
                        }
                        Keys pinned;
                        if (disturbed)
                            for (std::uint32_t f = 0; f + 1 < m.pages.used(); ++f)
                                if (random.below(3) == 0) pinned.insert(m.pages[f].key);
                        const bool prefetch = disturbed && random.below(5) == 0;
                        for (const Key k : pinned) m.pages.pin(m.pages.find(k));
                        const auto gone =
                            m.bring(key, prefetch ? AskedBy::prefetch : AskedBy::demand);
                        REQUIRE(gone == plain->miss(key, prefetch, pinned));
                        for (const Key k : pinned) m.pages.unpin(m.pages.find(k));
                        evictions += gone.has_value();
                    }
                    CHECK(evictions > 50);
                }
}

TEST_CASE("During a scan of other pages ARC, CAR and CLOCK-Pro hit a hot set more often than LRU",
          "[page_policy]") {
    for (const std::uint32_t frames : {16u, 64u, 256u}) {
        const std::uint64_t lru = hits_of("lru", frames, scan_and_hot_set);
        INFO(frames << " frames, LRU hits " << lru << " times");
        for (const char* name : {"arc", "car", "clock-pro"})
            CHECK(hits_of(name, frames, scan_and_hot_set) > lru + frames);
    }
}

TEST_CASE("A loop of one page more than there are frames: LRU never hits, CLOCK-Pro does",
          "[page_policy]") {
    for (const std::uint32_t frames : {16u, 64u, 256u}) {
        CHECK(hits_of("lru", frames, strings.at("loop of one more")) == 0);
        CHECK(hits_of("clock-pro", frames, strings.at("loop of one more")) > 10 * frames);
    }
}

namespace {

struct Step {
    Key key;
    std::optional<Key> gone;
    std::uint64_t target; ///< after it
};
void follow(const char* policy, std::uint32_t frames, const std::vector<Step>& steps) {
    Memory m(frames, policy);
    for (const Step& s : steps) {
        INFO(policy << ", page " << s.key << ", access " << &s - steps.data());
        CHECK(m.access(s.key) == s.gone);
        CHECK(m.number("target") == s.target);
    }
}
constexpr auto no_victim = std::nullopt;

} // namespace

TEST_CASE("ARC's target moves as in cases I to IV of its paper", "[page_policy]") {
    follow("arc", 4,
           {{7, no_victim, 0},
            {5, no_victim, 0},
            {4, no_victim, 0},
            {8, no_victim, 0},
            {8, no_victim, 0}, // case I: to T2
            {3, 7, 0},         // case IV: T1 has 7, 5, 4, more than p; 7 to B1
            {7, 5, 1},         // case II: B1 is 7, B2 is empty: by 1; T1 (5, 4) has more
            {5, 8, 2},         // again: T1 (4, 3) has at most p, T2's oldest is evicted
            {6, 7, 2},         // T1 as before
            {2, 4, 2},         // T1 (4, 3, 6) has one more than p
            {4, 5, 4}});       // B1 is 4, B2 is 8, 7: by 2
    follow("arc", 4,
           {{1, no_victim, 0},
            {2, no_victim, 0},
            {3, no_victim, 0},
            {4, no_victim, 0},
            {5, 1, 0}, // case IV A: T1 has all frames, its oldest page leaves no ghost
            {1, 2, 0},
            {3, no_victim, 0},
            {4, no_victim, 0},
            {6, 5, 0},
            {5, 1, 1},
            {7, 3, 1}, // T1 (6) has as many as p
            {8, 6, 1}, // and now one more
            {9, 7, 1},
            {3, 8, 0}}); // case III: B1 is 1, 6, 7, B2 is 3: by 3, but not below 0
}

TEST_CASE("In ARC's case III, as many pages in T1 as its target has are one too many",
          "[page_policy]") {
    follow("arc", 3,
           {{4, no_victim, 0},
            {3, no_victim, 0},
            {4, no_victim, 0},
            {6, no_victim, 0},
            {2, 3, 0},
            {3, 6, 1},
            {6, 4, 2},
            {4, 2, 1}}); // p is 1 now, and T1 has 2 alone
}

TEST_CASE("CAR's hands skip pages that were accessed again, and returns of ghosts move its target",
          "[page_policy]") {
    follow("car", 3,
           {{1, no_victim, 0},
            {2, no_victim, 0},
            {3, no_victim, 0},
            {1, no_victim, 0},
            {4, 2, 0}, // 1 moves to T2, 2 was not accessed again
            {2, 3, 1}, // of B1, which is 2, 3 when it moves the target
            {5, 4, 1}, // T1 (4) has as many as p: enough
            {1, no_victim, 0 + 1},
            {4, 5, 2},
            {6, 2, 2}}); // T1 is empty; 1 is spared
}

TEST_CASE("CLOCK-Pro's number of cold pages grows by an access in the test period and shrinks by "
          "its end without one",
          "[page_policy]") {
    // The first pages are hot, but for one.
    follow("clock-pro", 4,
           {{1, no_victim, 1},
            {2, no_victim, 1},
            {3, no_victim, 1},
            {4, no_victim, 1},
            {5, 4, 1}, // 4 is remembered
            {4, 5, 2}, // and returns in its test: hot, so that 1 and 2 are cold
            {6, 1, 2}, // in no test: 1 is not remembered
            {1, 2, 2},
            {7, 6, 2},         // in its test: remembered
            {1, no_victim, 2}, // in its test
            {8, 7, 2},   // 1 is hot: one more; HANDhot passes 5, which did not return: one less
            {9, 3, 2}}); // HANDhot made 3 cold
}

TEST_CASE("CLOCK-Pro's pages are hot at first only while none had to make room", "[page_policy]") {
    Memory m(8, "clock-pro");
    for (Key key = 0; key < 8; ++key) m.access(key);
    CHECK(m.number("hots") == 7);
    // One cold page makes room, then two that were hot; all three places are empty for a while.
    std::vector<std::uint32_t> coming;
    for (const Key key : {8, 9, 10}) coming.push_back(m.pages.claim(key, AskedBy::demand).frame);
    CHECK(m.number("hots") == 5);
    for (const std::uint32_t f : coming) m.pages.arrive(f);
    CHECK(m.number("hots") == 5);
}

TEST_CASE("A page that was brought ahead has seen no access before its first", "[page_policy]") {
    for (const char* name : {"arc", "car", "clock-pro"}) {
        INFO(name);
        // 1 and 2 are accessed once each, one of them after a prefetch: they go as equals.
        Memory m(3, name);
        for (const Key key : {1, 2, 3}) m.bring(key, AskedBy::prefetch);
        m.access(1), m.access(2), m.access(3);
        CHECK(m.bring(4, AskedBy::prefetch) == 1u);
        CHECK(m.access(5) == 2u);
    }
    // A page that is remembered returns, in the place of another or in a free frame: where it was
    // brought ahead, that moves no target.
    for (const char* name : {"arc", "car", "clock-pro"})
        for (const AskedBy asked : {AskedBy::demand, AskedBy::prefetch})
            for (const bool free : {false, true}) {
                INFO(name << (free ? ", a free frame" : ""));
                Memory m(3, name);
                for (const Key key : {1, 2, 3, 1, 4}) m.access(key);
                const Key ghost = m.policy->remembers(2) ? 2 : 3;
                const std::uint64_t target = m.number("target");
                REQUIRE(m.policy->remembers(ghost));
                if (free) {
                    const std::uint32_t f = m.pages.find(4);
                    m.policy->remove(f);
                    m.policy->insert(f, {ghost, 0, true, false, false, asked});
                } else {
                    m.bring(ghost, asked);
                }
                if (asked == AskedBy::prefetch)
                    CHECK(m.number("target") == target);
                else if (name != std::string("clock-pro")) // whose HANDhot may lower it at once
                    CHECK(m.number("target") == target + 1);
                CHECK_FALSE(m.policy->remembers(ghost));
            }
}

TEST_CASE("No page policy finds a victim where all pages are pinned, and changes nothing then",
          "[page_policy]") {
    const std::vector<Key> come {0, 1, 2}, come_and_go {0, 1, 2, 1, 7, 8, 1}; // with ghosts
    for (const auto& [name, info] : page_policies())
        for (const auto& accesses : {come, come_and_go}) {
            INFO(name << ", " << accesses.size() << " accesses");
            Memory m(3, name);
            for (const Key key : accesses) m.access(key);
            for (std::uint32_t f = 0; f < 3; ++f) m.pages.pin(f);
            const auto bytes = [&] {
                Saver s;
                s(m.policy);
                return s.bytes;
            };
            const auto before = bytes();
            for (const Key key : {0, 2, 9}) // remembered, or not
                if (m.pages.find(key) == Residency::none)
                    CHECK(m.pages.claim(key, AskedBy::demand).frame == Residency::none);
            CHECK(bytes() == before);
            m.pages.unpin(1);
            CHECK(m.pages.claim(9, AskedBy::demand).frame == 1);
        }
}

TEST_CASE("A removed page is neither a victim nor a ghost, and returns as a new page",
          "[page_policy]") {
    for (const auto& [name, info] : page_policies()) {
        INFO(name);
        Policy<PagePolicy> policy;
        policy.make(name, "test", 1);
        policy->resize(3);
        const device_parts::ResidentPages pages {{10}, {11}, {12}};
        for (const std::uint32_t f : {0, 1, 2}) policy->insert(f, pages[f]);
        policy->remove(0);
        CHECK_FALSE(policy->remembers(10));
        CHECK(policy->evict({20}, pages) + policy->evict({21}, pages) == 3);
        CHECK(policy->evict({22}, pages) == PagePolicy::none);
        policy->insert(0, pages[0]);
        CHECK(policy->evict({22}, pages) == 0);
        CHECK(policy->evict({23}, pages) == PagePolicy::none);
    }
}

namespace {

/// What a policy may have to bear: pages on their way, pins, prefetches, pages that are removed.
class Traffic {
  public:
    static constexpr std::uint32_t frames = 12, keys = 40;
    PagePolicy* policy = nullptr;
    std::vector<Key> victims;

    void step(Rng& random) {
        Key key = random.below(keys);
        key = std::min(key, random.below(keys));
        const std::uint64_t what = random.below(20);
        if (!coming.empty() && what < 8) return arrive(random.below(coming.size()));
        const auto at =
            std::find_if(pages.begin(), pages.end(), [&](auto& p) { return p.key == key; });
        if (at == pages.end()) return claim(key, what > 16 ? AskedBy::prefetch : AskedBy::demand);
        if (!at->here) return;
        const auto f = static_cast<std::uint32_t>(at - pages.begin());
        if (what == 8 && !at->pins) {
            policy->remove(f);
            *at = {~Key {1} - f, 1}; // in no list
            removed.push_back(f);
        } else if (what == 9) {
            at->pins ^= 1;
        } else {
            at->used = true;
            policy->use(f, *at);
        }
    }
    /// Pages that may make room, all of them once.
    void empty() {
        while (!coming.empty()) arrive(0);
        std::size_t left = 0;
        for (device_parts::ResidentPage& p : pages) p.pins = p.here ? 0 : 1, left += p.here;
        for (; left; --left) evict({keys});
        CHECK(policy->evict({keys}, pages) == PagePolicy::none);
    }

  private:
    std::uint32_t evict(const device_parts::ResidentPage& incoming) {
        const std::uint32_t f = policy->evict(incoming, pages);
        const bool all_pinned =
            std::all_of(pages.begin(), pages.end(), [](auto& p) { return p.pins; });
        REQUIRE((f == PagePolicy::none) == all_pinned);
        if (f == PagePolicy::none) return f;
        REQUIRE(f < pages.size());
        REQUIRE(pages[f].here); // neither in transfer nor evicted
        REQUIRE(pages[f].pins == 0);
        victims.push_back(pages[f].key);
        pages[f] = {~Key {1} - f, 1};
        return f;
    }
    void arrive(std::size_t i) {
        const std::uint32_t f = coming[i];
        coming.erase(coming.begin() + static_cast<std::ptrdiff_t>(i));
        pages[f].pins = 0;
        pages[f].here = true;
        policy->insert(f, pages[f]);
        REQUIRE_FALSE(policy->remembers(pages[f].key));
        if (pages[f].asked == AskedBy::demand) policy->use(f, pages[f]);
    }
    void claim(Key key, AskedBy asked) {
        const device_parts::ResidentPage page {key, 1, false, false, false, asked};
        auto f = static_cast<std::uint32_t>(pages.size());
        if (!removed.empty())
            f = removed.back(), removed.pop_back();
        else if (f < frames)
            pages.emplace_back();
        else if ((f = evict(page)) == PagePolicy::none)
            return;
        pages[f] = page;
        REQUIRE(policy->frames() <= pages.size());
        coming.push_back(f);
    }

    device_parts::ResidentPages pages;
    std::vector<std::uint32_t> coming, removed;
};

Policy<PagePolicy> made(const std::string& name) {
    Policy<PagePolicy> policy;
    policy.make(name, "test", 1);
    policy->resize(Traffic::frames);
    return policy;
}

} // namespace

TEST_CASE("Every page policy works under random traffic and continues from its saved State",
          "[page_policy]") {
    for (const auto& [name, info] : page_policies())
        for (unsigned seed = 0; seed < 8; ++seed) {
            INFO(name << ", seed " << seed);
            const Policy<PagePolicy> policy = made(name);
            Policy<PagePolicy> loaded = made(name);
            Traffic traffic;
            traffic.policy = &*policy;
            Rng random(seed, name);
            for (unsigned i = 0; i < 2000; ++i) traffic.step(random);
            CHECK(traffic.victims.size() > 100);

            Saver saved;
            saved(policy);
            Loader l(saved.bytes);
            l(loaded);
            Traffic other = traffic;
            other.policy = &*loaded;
            Rng same = random;
            for (unsigned i = 0; i < 2000; ++i) traffic.step(random), other.step(same);
            traffic.empty(), other.empty();
            CHECK(traffic.victims == other.victims);
            Saver end, other_end;
            end(policy), other_end(loaded);
            CHECK(end.bytes == other_end.bytes);
        }
}

TEST_CASE("A saved page policy with more frames than the memory has is refused", "[page_policy]") {
    for (const auto& [name, info] : page_policies()) {
        INFO(name);
        Memory large(8, name), small(8, name), other(8, name);
        for (Key key = 0; key < 8; ++key) large.access(key);
        for (Key key = 0; key < 3; ++key) small.access(key);
        Saver saved;
        saved(large.policy), saved(small.pages);
        Loader l(saved.bytes);
        CHECK_THROWS_WITH((l(other.policy), l(other.pages)),
                          Catch::Contains("has fewer frames than its page policy"));
    }
}

} // namespace memsim::page_policy_test
