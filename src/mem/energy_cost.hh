#pragma once

#include "core/kernel/component.hh"

namespace memsim::mem {

using namespace memsim::literals;

/// What part of a machine spends on each count of a statistic, or on time. It does nothing in a
/// run: the database's view `energy` multiplies. For energies that are assumptions about a machine;
/// a component whose device has an energy of its own counts it in a statistic in nJ.
class EnergyCost final : public StaticModel<EnergyCost> {
  public:
    struct Params {
        Param<std::string> part {"", "Name of the part that spends the energy"};
        Param<std::string> objects {
            "", "Path of the object that spends it; what is below it and the elements of a list "
                "of that name do so, too"};
        Param<std::string> statistic {
            "", "Name of the objects' statistic that is multiplied: a counter, or a power in mW; "
                "empty: time"};
        Param<Energy> each {
            0_fJ, {0_fJ, Energy {1'000'000'000'000'000}}, "Energy of each count of the statistic"};
        Param<Power> power {Power {0},
                            {Power {0}, Power {1'000'000'000'000'000}},
                            "Power, where no statistic is multiplied"};
        Param<Fraction> share {
            100_pct, {Fraction {0}, 100_pct}, "Share of the energy that this machine spends"};
        Param<std::string> source {"", "Source of the figure"};
    };
    struct Stats {};

    explicit EnergyCost(const Params& p) : params(p) {}
    void init() override;

    const Params params;
    Stats stat;
};

} // namespace memsim::mem
