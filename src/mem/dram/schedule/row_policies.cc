#include "mem/dram/schedule/row_policy.hh"

namespace memsim::mem {

using namespace memsim::literals;

namespace {

class Open final : public PolicyModel<Open, RowPolicy> {
  public:
    struct Params {};
    struct State {};
    explicit Open(const Params&) {}
    Traits traits() const override { return {.after_access = false}; }
    State state;
};
const PolicyRegistration<Open> open {
    "open", "A row stays open until another one or a refresh needs the bank"};

class OpenAdaptive final : public PolicyModel<OpenAdaptive, RowPolicy> {
  public:
    struct Params {};
    struct State {};
    explicit OpenAdaptive(const Params&) {}
    bool closes(DramAction next) const override { return next == DramAction::precharge; }
    State state;
};
const PolicyRegistration<OpenAdaptive> open_adaptive {
    "open_adaptive", "A row is closed if a request waits for another row and none for this one"};

class Closed final : public PolicyModel<Closed, RowPolicy> {
  public:
    struct Params {};
    struct State {};
    explicit Closed(const Params&) {}
    bool closes(DramAction next) const override { return next != DramAction::column; }
    State state;
};
const PolicyRegistration<Closed> closed {"closed", "A row is closed when no access to it waits"};

class Timeout final : public PolicyModel<Timeout, RowPolicy> {
  public:
    struct Params {
        Param<Time> idle {100_ns,
                          {1_fs, 1_ms},
                          "Time from the last access to a row until it is closed",
                          assumed()};
    };
    struct State {
        std::vector<Tick> closed_at; ///< one per bank; `never` if no row was left open
    };
    explicit Timeout(const Params& p) : params(p) {}
    void init(std::uint32_t banks) override { state.closed_at.assign(banks, never); }
    Traits traits() const override { return {.after_access = false, .when_unused = true}; }
    void accessed(std::uint32_t bank, Tick now) override {
        state.closed_at[bank] = now + params.idle->raw;
    }
    Tick closed_at(std::uint32_t bank) const override { return state.closed_at[bank]; }
    const Params params;
    State state;
};
const PolicyRegistration<Timeout> timeout {
    "timeout", "A row is closed when no request has waited for its bank for some time"};

} // namespace
} // namespace memsim::mem
