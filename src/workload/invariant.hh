#pragma once

#include "core/component.hh"

namespace memsim::workload {

/// A proportion of the paper's machine, and what became of it when the machine was scaled: it does
/// nothing in a run, but stands in the database with it.
class Invariant final : public Model<Invariant> {
  public:
    struct Params {
        Param<std::string> name {"", "Which proportion"};
        Param<std::string> paper {"", "Value of the proportion in the paper's machine"};
        Param<std::string> here {"", "Value of the proportion in this machine"};
        Param<bool> kept {true, "Whether they agree within a tenth"};
    };
    struct Ports {};
    struct Stats {};
    struct State {};

    explicit Invariant(const Params& p) : params(p) {}
    void wake() override {}

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::workload
