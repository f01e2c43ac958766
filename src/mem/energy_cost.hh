#pragma once

#include "core/kernel/component.hh"

namespace memsim::mem {

using namespace memsim::literals;

/// The energy that a part of a machine spends per count of a statistic, or per time. It has no
/// effect during a run; the view `energy` of the database multiplies. Use it for energies that are
/// assumptions about a machine. A component whose device has an energy of its own counts it in a
/// statistic in nJ.
class EnergyCost final : public StaticModel<EnergyCost> {
  public:
    struct Params {
        Param<std::string> part {"", "Name of the part that spends the energy"};
        Param<std::string> objects {"", "Path of the object that spends it; includes the objects "
                                        "below it and the elements of a list of that name"};
        Param<std::string> statistic {
            "", "Statistic of these objects to multiply: a counter, or a power in mW; empty: time"};
        Param<Energy> each {
            0_fJ, {0_fJ, Energy {1'000'000'000'000'000}}, "Energy per count of the statistic"};
        Param<Power> power {Power {0},
                            {Power {0}, Power {1'000'000'000'000'000}},
                            "Power, if no statistic is multiplied"};
        Param<Fraction> share {
            100_pct, {Fraction {0}, 100_pct}, "Share of the energy attributed to this machine"};
        Param<std::string> source {"", "Source of the value"};
    };
    struct Stats {};

    explicit EnergyCost(const Params& p) : params(p) {}
    void init() override;

    const Params params;
    Stats stat;
};

} // namespace memsim::mem
