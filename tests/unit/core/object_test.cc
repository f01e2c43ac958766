#include "core/machine/machine.hh"

#include <catch2/catch.hpp>

using namespace memsim;

namespace memsim::test {

/// States the number of rings for a number of bits.
class Remark final : public StaticModel<Remark> {
  public:
    struct Params {
        Param<unsigned> bits {4, {1, 64}, "Bits that are sent at once"};
    };
    struct Stats {
        Figure rings {Unit::count, "A sender and a receiver for each bit"};
    };
    explicit Remark(const Params& p) : params(p) {}
    void init() override {
        if (params.bits() == 13) refuse("bits", "there are no 13");
        stat.rings.set(2 * params.bits());
    }
    const Params params;
    Stats stat;
};
static const Registration<Remark> remark {"Rings that a number of bits takes (a test's)."};

} // namespace memsim::test

TEST_CASE("a static object has parameters and figures and takes no part in a run") {
    Machine m;
    m.add("remark", "test.Remark", {{"bits", "8"}});
    m.build();
    m.start();
    CHECK(m.components().empty());
    REQUIRE(m.objects().size() == 1);
    CHECK(m.objects()[0]->path() == "remark");
    CHECK(m.schema_of(*m.objects()[0]).name == "test.Remark");
    CHECK_FALSE(registry().at("test.Remark").simulates);
    CHECK(m.objects()[0]->resolved_params()[0].text == "8");
    CHECK(m.stat_value("remark", "rings", "") == 16);
    CHECK(m.run(never) == Stop::idle);
    CHECK(m.save().objects.empty());
    Machine other;
    other.add("remark", "test.Remark", {{"bits", "9"}});
    other.build();
    CHECK(m.configuration() != other.configuration());
}

TEST_CASE("a static object is rejected with its path and has no port") {
    Machine m;
    m.add("remark", "test.Remark", {{"bits", "13"}});
    CHECK_THROWS_WITH(m.bind("remark", "out", "remark", "in"), "remark has no port 'out'");
    CHECK_THROWS_WITH(m.build(), "remark.bits: there are no 13");
}
