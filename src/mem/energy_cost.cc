#include "mem/energy_cost.hh"

#include "core/kernel/registry.hh"

namespace memsim::mem {

static const Registration<EnergyCost> energy_cost {
    "Energy that a part of the machine spends per count of a statistic, or per time."};

void EnergyCost::init() {
    if (params.statistic->empty() && params.each->raw)
        refuse("each",
               "is set without a statistic to multiply: set statistic, or set power instead");
    if (!params.statistic->empty() && params.power->raw)
        refuse("power", "is set although a statistic is multiplied: set each instead, or leave "
                        "statistic empty");
}

} // namespace memsim::mem
