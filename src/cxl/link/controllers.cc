#include "cxl/link/controller.hh"

namespace memsim::cxl {

/// The paper's own controller: a round trip of two-digit nanoseconds (Fig. 3b). The division is an
/// assumption: 70 ns including the time of flits and the flight.
struct Ours {
    Param<Time> conversion {2_ns,
                            {0_fs, 1_us},
                            "Time to convert a memory request to a message",
                            assumed("a tenth of the round trip in total")};
    Param<Time> transaction {2_ns, {0_fs, 1_us}, "Time in the transaction layer", assumed()};
    Param<Time> link {3_ns, {0_fs, 1_us}, "Time in the link layer", assumed()};
    Param<Time> physical {8_ns, {0_fs, 1_us}, "Time in the physical layer", assumed()};
};

/// Prototypes of two other manufacturers: round trips of 250 ns (Fig. 3b; SMT is the paper's
/// reference 4, TPP its reference 5). The division is an assumption.
struct Prototype {
    Param<Time> conversion {
        5_ns, {0_fs, 1_us}, "Time to convert a memory request to a message", assumed()};
    Param<Time> transaction {8_ns, {0_fs, 1_us}, "Time in the transaction layer", assumed()};
    Param<Time> link {12_ns, {0_fs, 1_us}, "Time in the link layer", assumed()};
    Param<Time> physical {35_ns, {0_fs, 1_us}, "Time in the physical layer", assumed()};
};

/// `maker` distinguishes policies with equal values.
template <class Figures, int maker = 0>
class Layers final : public PolicyModel<Layers<Figures, maker>, Controller> {
  public:
    using Params = Figures;
    struct State {};
    explicit Layers(const Params& p) : params(p) {}
    LayerLatencies layers() const override {
        return {params.conversion, params.transaction, params.link, params.physical};
    }
    const Params params;
    State state;
};

static const PolicyRegistration<Layers<Ours>> ours {"ours", "The paper's controller: about 70 ns."};
static const PolicyRegistration<Layers<Prototype, 0>> smt {"smt",
                                                           "The SMT prototype: about 250 ns."};
static const PolicyRegistration<Layers<Prototype, 1>> tpp {"tpp",
                                                           "The TPP prototype: about 250 ns."};

LayerLatencies layers_of(const PolicyName<Controller>& name) {
    const PolicyChoice choice = choose_policy(Controller::family, name.text());
    const auto policy = choice.info->create(choice.arguments);
    return static_cast<const Controller&>(*policy).layers();
}

} // namespace memsim::cxl
