#include "mem/energy_cost.hh"

#include "core/kernel/registry.hh"

namespace memsim::mem {

static const Registration<EnergyCost> energy_cost {
    "Energy that a part of the machine spends on each count of a statistic, or on time."};

void EnergyCost::init() {
    if (params.statistic->empty() && params.each->raw)
        refuse("each", "no statistic is named that it is the energy of: set statistic, or power");
    if (!params.statistic->empty() && params.power->raw)
        refuse("power", "a statistic is multiplied, not time: set each, or leave statistic empty");
}

} // namespace memsim::mem
