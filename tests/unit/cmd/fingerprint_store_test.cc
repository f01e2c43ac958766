#include "cmd/tables/fingerprint_store.hh"

#include "references.hh"

namespace memsim::fingerprint_store_test {

using namespace memsim::cmd;
using namespace memsim::cmd::test;

TEST_CASE("The least referenced fingerprint is replaced, among equals the least recently used",
          "[cmd]") {
    auto store = sized<FingerprintStore>(3, 3);
    for (const std::uint32_t n : {1, 2, 3}) REQUIRE(store.insert(digest(n), 0b1111, n).inserted);
    REQUIRE((store.join(2) && store.join(3) && store.join(1) && store.join(1)));
    CHECK(store.insert(digest(4), 0b1111, 4).victim.place == 2); // as often as 3, but earlier
    CHECK(count(store, 3) == 2);
    CHECK(store.insert(digest(5), 0b1111, 5).victim.place == 4); // the newest, but counted once
    REQUIRE((store.join(5) && store.join(5) && store.join(3)));
    REQUIRE_FALSE(store.leave(5));
    const auto last = store.insert(digest(6), 0b1111, 6);
    CHECK(last.inserted);
    CHECK(last.victim.place == 5);
    CHECK(last.victim.count == 2); // its other block stays mapped, which the owner must know
    CHECK_FALSE(store.find(digest(5), 0b1111));
}

} // namespace memsim::fingerprint_store_test
