#include "mem/dram/refresh/policy.hh"

namespace memsim::mem {

namespace {

/// Units are refreshed in turn, as in most controllers.
Tick in_turn(std::uint32_t unit, std::uint32_t units, Tick interval) {
    return interval * (unit + 1) / units;
}

struct RankParams {
    Param<bool> opened_first {false, "Serve requests whose row was opened for them before a "
                                     "refresh that is due (as Ramulator); else after it"};
    Param<bool> closes_singly {false, "Precharge each open bank separately before a refresh (as "
                                      "DRAMsim3); else all by one command"};
};

class RanksInTurn final : public PolicyModel<RanksInTurn, RefreshPolicy> {
  public:
    using Params = RankParams;
    struct State {};
    explicit RanksInTurn(const Params& p) : params(p) {}
    bool opened_first() const override { return params.opened_first(); }
    bool closes_singly() const override { return params.closes_singly(); }
    Tick first(std::uint32_t unit, std::uint32_t units, Tick interval) const override {
        return in_turn(unit, units, interval);
    }
    const Params params;
    State state;
};
const PolicyRegistration<RanksInTurn> ranks_in_turn {
    "ranks_in_turn", "All banks of a rank at once, the ranks spread over tREFI"};

class AllRanks final : public PolicyModel<AllRanks, RefreshPolicy> {
  public:
    using Params = RankParams;
    struct State {};
    explicit AllRanks(const Params& p) : params(p) {}
    bool opened_first() const override { return params.opened_first(); }
    bool closes_singly() const override { return params.closes_singly(); }
    Tick first(std::uint32_t, std::uint32_t, Tick interval) const override { return interval; }
    const Params params;
    State state;
};
const PolicyRegistration<AllRanks> all_ranks {"all_ranks", "All banks of all ranks at once"};

class SingleBanks final : public PolicyModel<SingleBanks, RefreshPolicy> {
  public:
    struct Params {
        Param<bool> opened_first {false, "Serve a request whose row was opened for it before a "
                                         "refresh that is due; else after it"};
    };
    struct State {};
    explicit SingleBanks(const Params& p) : params(p) {}
    bool single_banks() const override { return true; }
    bool opened_first() const override { return params.opened_first(); }
    Tick first(std::uint32_t unit, std::uint32_t units, Tick interval) const override {
        return in_turn(unit, units, interval);
    }
    const Params params;
    State state;
};
const PolicyRegistration<SingleBanks> single_banks {"single_banks",
                                                    "Bank by bank, spread over tREFI"};

class NoRefresh final : public PolicyModel<NoRefresh, RefreshPolicy> {
  public:
    struct Params {};
    struct State {};
    explicit NoRefresh(const Params&) {}
    Tick first(std::uint32_t, std::uint32_t, Tick) const override { return never; }
    State state;
};
const PolicyRegistration<NoRefresh> no_refresh {"none", "No bank is refreshed"};

} // namespace
} // namespace memsim::mem
