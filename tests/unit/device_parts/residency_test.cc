#include "device_parts/residency.hh"

#include <catch2/catch.hpp>

namespace memsim::residency_test {

/// Which pages a memory holds, and which make room.

using device_parts::AskedBy;
using device_parts::Residency;

namespace {

struct Memory {
    Policy<device_parts::PagePolicy> policy;
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

TEST_CASE("A page in transfer is not evicted before it has arrived", "[residency]") {
    Memory m(2);
    const auto first = m.pages.claim(10, AskedBy::demand);
    CHECK(first.frame == 0);
    CHECK_FALSE(first.evicts);
    CHECK(m.pages.find(10) == 0);
    CHECK_FALSE(m.pages[0].here);
    CHECK(m.bring(11) == 1);
    // Frame 1 is the only one with a present page.
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

TEST_CASE("A page is not evicted until it is unpinned as often as it was pinned", "[residency]") {
    Memory m(2);
    m.bring(10), m.bring(11);
    m.pages.pin(0), m.pages.pin(0);
    m.pages.unpin(0);
    CHECK(m.pages.claim(12, AskedBy::demand).victim.key == 11);
    m.pages.arrive(1);
    m.pages.unpin(0);
    CHECK(m.pages.claim(13, AskedBy::demand).victim.key == 10);
}

TEST_CASE(
    "A victim reports whether it was written and used; the next page in its frame starts clean",
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

TEST_CASE(
    "The arrival of a present page removes the pin of its claim and keeps its place in the order",
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

} // namespace memsim::residency_test
