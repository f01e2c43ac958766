#include "cache_rig.hh"
#include "core/kernel/registry.hh"

/// A tag policy from outside: chosen by name, with parameters, State and a stream of its own.
namespace memsim::test_policies {

using device_parts::TagCandidates;
using device_parts::TagWords;

/// Evicts the line that arrived last or, at intervals, any line.
class Newest final : public PolicyModel<Newest, device_parts::TagPolicy> {
  public:
    struct Params {
        Param<unsigned> any {3, {1, 100}, "How often any line makes room"};
    };
    struct State {
        std::vector<std::uint32_t> newest; ///< of each set
        std::uint32_t chosen = 0;
        Rng random;
    };
    explicit Newest(const Params& p) : params(p) {}
    void resize(std::uint64_t sets, std::uint32_t) override { state.newest.assign(sets, 0); }
    void touch(TagWords, std::uint32_t) override {}
    void insert(TagWords words, std::uint32_t line, bool chosen) override {
        state.newest[line / words.stride] = line;
        if (chosen && ++state.chosen % params.any() == 0) state.random.below(2);
    }
    std::uint32_t victim(TagWords words, const TagCandidates& c) override {
        Rng random = state.random;
        std::uint32_t line = state.newest[c.from / words.stride];
        if ((state.chosen + 1) % params.any() == 0)
            line = c.from + static_cast<std::uint32_t>(random.below(2)) % (c.to - c.from);
        for (; line < c.to; ++line)
            if (line >= c.from && c.may(line)) return line;
        for (line = c.from; line < c.to; ++line)
            if (c.may(line)) return line;
        return none;
    }
    void check_loaded(Loader& l) const override { l.index("chosen", state.chosen, 1u << 30); }
    const Params params;
    State state;
};
static const PolicyRegistration<Newest> newest {"test_newest", "Test: the line that came last."};

} // namespace memsim::test_policies

namespace memsim::mem {

namespace {
/// Four lines that a set of two ways cannot hold, round and round.
std::unique_ptr<Rig> rig(const std::string& policy) {
    auto r = std::make_unique<Rig>("replacement=" + policy);
    for (std::uint64_t i = 0; i < 400; ++i)
        r->driver().read(static_cast<Tick>(i) * 300 * ns, i % 4 * 256);
    return r;
}
} // namespace

TEST_CASE("a cache takes a tag policy that is registered outside", "[mem][cache][policy]") {
    const auto lru = rig("lru"), newest = rig("test_newest(any=100)"), often = rig("test_newest");
    for (const auto& r : {&lru, &newest, &often}) (*r)->run();
    CHECK(value(lru->cache().stat.hits) == 0);
    CHECK(value(newest->cache().stat.hits) >= 98); // the first line stays
    CHECK(value(often->cache().stat.hits) > 0);
    CHECK(value(often->cache().stat.hits) != value(newest->cache().stat.hits));
    CHECK(newest->m.configuration() != often->m.configuration());
}

TEST_CASE("a policy's State and stream are saved with its cache", "[mem][cache][policy]") {
    for (const char* policy : {"lru", "fifo", "random", "srrip(bits=3)", "tree_plru",
                               "lru_random(among=2)", "test_newest(any=2)"}) {
        INFO(policy);
        const auto whole = rig(policy), first = rig(policy), second = rig(policy);
        whole->run();
        first->m.start();
        first->m.run(40'000 * ns);
        second->m.load(first->m.save());
        CHECK(second->m.run(never) == Stop::idle);
        CHECK(test_mem::digest(second->m) == test_mem::digest(whole->m));
    }
}

TEST_CASE("a tag policy that is none is refused by a sentence", "[mem][cache][policy]") {
    CHECK_THAT(refused("replacement=lfu"), Catch::Contains("lfu"));
    CHECK_THAT(refused("replacement=srrip(bit=2)"), Catch::Contains("bit"));
}

} // namespace memsim::mem
