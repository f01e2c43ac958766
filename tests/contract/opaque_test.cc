#include "data_driver.hh"

#include <catch2/catch.hpp>

namespace memsim::test {

/// Responds without contents.
class Opaque final : public Model<Opaque> {
  public:
    struct Params {};
    struct Ports {
        Responder<Mem> cpu_side {{.depth = [](const void*) { return 1u; }}, "Requests"};
    };
    struct Stats {};
    struct State {};
    explicit Opaque(const Params& p) : params(p) {}
    void wake() override {}
    const Params params;
    Ports port;
    Stats stat;
    State state;
};
static const Registration<Opaque> opaque_registered {"Test: a memory without contents."};

TEST_CASE("a machine with something that carries no contents is refused", "[contract][contents]") {
    Machine m;
    m.carry_contents();
    m.add("driver", "test.DataDriver", {});
    m.add("memory", "test.Opaque", {});
    m.bind("driver", "mem", "memory", "cpu_side");
    CHECK_THROWS_WITH(m.build(), Catch::Contains("memory: a test.Opaque does not carry contents"));
}

} // namespace memsim::test
