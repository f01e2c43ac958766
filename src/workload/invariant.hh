#pragma once

#include "core/kernel/component.hh"

namespace memsim::workload {

/// A ratio of the paper's machine and its value in a scaled machine. It has no effect on a run and
/// is stored in the database with it.
class Invariant final : public StaticModel<Invariant> {
  public:
    struct Params {
        Param<std::string> name {"", "Name of the ratio"};
        Param<std::string> paper {"", "Value of the ratio in the paper's machine"};
        Param<std::string> here {"", "Value of the ratio in this machine"};
        Param<bool> kept {true, "Both values agree within 10 %"};
    };
    struct Stats {};

    explicit Invariant(const Params& p) : params(p) {}

    const Params params;
    Stats stat;
};

} // namespace memsim::workload
