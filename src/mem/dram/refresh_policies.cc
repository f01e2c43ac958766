#include "mem/dram/refresh_policy.hh"

namespace memsim::mem {

namespace {

/// Units take turns, as in most controllers.
Tick in_turn(std::uint32_t unit, std::uint32_t units, Tick interval) {
    return interval * (unit + 1) / units;
}

class RanksInTurn final : public PolicyModel<RanksInTurn, RefreshPolicy> {
  public:
    struct Params {};
    struct State {};
    explicit RanksInTurn(const Params&) {}
    Tick first(std::uint32_t unit, std::uint32_t units, Tick interval) const override {
        return in_turn(unit, units, interval);
    }
    State state;
};
const PolicyRegistration<RanksInTurn> ranks_in_turn {
    "ranks_in_turn", "All banks of a rank at once, the ranks spread over tREFI"};

class AllRanks final : public PolicyModel<AllRanks, RefreshPolicy> {
  public:
    struct Params {};
    struct State {};
    explicit AllRanks(const Params&) {}
    Tick first(std::uint32_t, std::uint32_t, Tick interval) const override { return interval; }
    State state;
};
const PolicyRegistration<AllRanks> all_ranks {"all_ranks", "All banks of all ranks at once"};

class SingleBanks final : public PolicyModel<SingleBanks, RefreshPolicy> {
  public:
    struct Params {};
    struct State {};
    explicit SingleBanks(const Params&) {}
    bool single_banks() const override { return true; }
    Tick first(std::uint32_t unit, std::uint32_t units, Tick interval) const override {
        return in_turn(unit, units, interval);
    }
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
