#include "core/kernel/registry.hh"
#include "oracle.hh"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace memsim;
using namespace memsim::test;

namespace memsim::test {
/// Wakes a few times; its count depends on spurious wakes, or on a member outside of State.
class Fickle final : public Model<Fickle> {
  public:
    struct Params {
        Param<bool> forgets {false, "Whether it counts outside State"};
    };
    struct Ports {};
    struct Stats {
        Counter count {Unit::count, "What went wrong"};
    };
    struct State {
        Tick at = 0;
        Timer next;
    };
    explicit Fickle(const Params& p) : params(p) {}
    void start() override { arm(state.next, 1 + 1000 * Tick {id()}); }
    void wake() override {
        if (!params.forgets || now() != state.at) stat.count += ++outside_ > 50;
        state.at = now();
        if (now() < 5'000'000 && !state.next.armed()) arm(state.next, now() + 50'000);
        if (!params.forgets) ++stat.count;
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    unsigned outside_ = 0;
};
static const Registration<Fickle> fickle {"Breaks the contract of wake() (a test's)."};

/// Posts itself parcels that arrive out of order: events with payloads.
class Courier final : public Model<Courier> {
  public:
    struct Params {};
    struct Ports {};
    struct Stats {
        Counter order {Unit::count, "Depends on the order of the parcels"};
    };
    struct Parcel {
        std::uint64_t number = 0;
    };
    struct State {
        std::vector<Parcel> arrived;
        Rng random;
    };
    explicit Courier(const Params& p) : params(p) {}
    void start() override {
        for (std::uint64_t i = 1; i <= 50; ++i)
            after<&Courier::deliver>(Time {1 + static_cast<Tick>(state.random.below(5'000'000))},
                                     {i});
    }
    void deliver(const Parcel& p) { state.arrived.push_back(p); }
    void wake() override {
        for (const Parcel& p : state.arrived)
            stat.order += p.number * (static_cast<std::uint64_t>(stat.order.value()) % 97) + 1;
        state.arrived.clear();
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Courier> courier {"Delivers parcels (a test's)."};
static const RigFor courier_rig {"test.Courier",
                                 [](Machine& m) { m.add("courier", "test.Courier", {}); }};
} // namespace memsim::test

TEST_CASE("the oracle finds a component that counts its wakes, and one that forgets") {
    auto faults = [](const char* forgets) {
        std::string all;
        for (const auto& f : check_oracle({"test.Fickle", [&](Machine& m) {
                                               m.add("f", "test.Fickle", {{"forgets", forgets}});
                                               m.add("g", "test.Fickle", {{"forgets", "true"}});
                                           }}))
            all += f + "\n";
        return all;
    };
    CHECK(faults("false").find("under spurious wakes") != std::string::npos);
    CHECK(faults("false").find("statistics differ: f.count =") != std::string::npos);
    CHECK(faults("true").find("restored at") != std::string::npos);
}

TEST_CASE("every component passes the perturbation oracle") {
    for (const Rig& rig : rigs()) {
        DYNAMIC_SECTION(rig.type) { CHECK(check_oracle(rig) == std::vector<std::string> {}); }
    }
}

TEST_CASE("every component passes the perturbation oracle, for long", "[long]") {
    for (const Rig& rig : rigs()) {
        DYNAMIC_SECTION(rig.type) { CHECK(check_oracle(rig, 20) == std::vector<std::string> {}); }
    }
}

TEST_CASE("every registered component has a rig") {
    std::vector<std::string> uncovered;
    std::size_t covered = 0;
    for (const auto& [name, schema] : registry()) {
        if (name.starts_with("test") || !schema.simulates) continue; // a test's own
        const bool has = std::any_of(rigs().begin(), rigs().end(),
                                     [&, &name = name](const Rig& r) { return r.type == name; });
        if (has)
            ++covered;
        else
            uncovered.push_back(name);
    }
    CHECK(uncovered == std::vector<std::string> {});
    CHECK(covered >= 12); // it found something; raise it with each device
}
