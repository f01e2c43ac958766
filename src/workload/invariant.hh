#pragma once

#include "core/kernel/component.hh"

namespace memsim::workload {

/// A proportion of the paper's machine, and what became of it when the machine was scaled: it does
/// nothing in a run, but stands in the database with it.
class Invariant final : public StaticModel<Invariant> {
  public:
    struct Params {
        Param<std::string> name {"", "Name of the proportion"};
        Param<std::string> paper {"", "Value of the proportion in the paper's machine"};
        Param<std::string> here {"", "Value of the proportion in this machine"};
        Param<bool> kept {true, "Whether the two values agree within a tenth"};
    };
    struct Stats {};

    explicit Invariant(const Params& p) : params(p) {}

    const Params params;
    Stats stat;
};

} // namespace memsim::workload
