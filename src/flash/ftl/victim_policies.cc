#include "flash/ftl/victim_policy.hh"

#include <algorithm>

namespace memsim::flash {

namespace {

struct Nothing {};

/// The largest gain now; among equal blocks the least worn.
class Greedy final : public PolicyModel<Greedy, VictimPolicy> {
  public:
    using Params = Nothing;
    using State = Nothing;
    explicit Greedy(const Params&) {}
    bool before(const VictimBlock& a, const VictimBlock& b) const override {
        return a.valid != b.valid ? a.valid < b.valid : a.erases < b.erases;
    }
    std::uint64_t holds(const VictimBlock&, const VictimBlock&) const override { return forever; }
    State state;
};

/// The block closed first.
class Fifo final : public PolicyModel<Fifo, VictimPolicy> {
  public:
    using Params = Nothing;
    using State = Nothing;
    explicit Fifo(const Params&) {}
    bool before(const VictimBlock& a, const VictimBlock& b) const override { return a.age > b.age; }
    std::uint64_t holds(const VictimBlock&, const VictimBlock&) const override { return forever; }
    State state;
};

/// age x (1 - u) / 2u, with the share u of valid pages (Kawaguchi et al., USENIX 1995, after
/// Rosenblum and Ousterhout): the space freed per cost of copying, weighted by age, so that cold
/// data are collected sooner. Compared without a division.
class CostBenefit final : public PolicyModel<CostBenefit, VictimPolicy> {
  public:
    using Params = Nothing;
    using State = Nothing;
    explicit CostBenefit(const Params&) {}
    bool before(const VictimBlock& a, const VictimBlock& b) const override {
        const auto benefit = [](const VictimBlock& x) {
            return static_cast<Uint128>(x.age + 1) * (x.pages - x.valid);
        };
        return benefit(a) * b.valid > benefit(b) * a.valid;
    }
    /// Both products grow linearly: returns when that of b, if it grows faster, reaches that of a.
    std::uint64_t holds(const VictimBlock& a, const VictimBlock& b) const override {
        const Uint128 grows_a = static_cast<Uint128>(a.pages - a.valid) * b.valid;
        const Uint128 grows_b = static_cast<Uint128>(b.pages - b.valid) * a.valid;
        if (grows_b <= grows_a) return forever;
        const Uint128 lead = grows_a * (a.age + 1) - grows_b * (b.age + 1);
        const Uint128 closes = grows_b - grows_a;
        return std::max<std::uint64_t>(1, static_cast<std::uint64_t>((lead + closes - 1) / closes));
    }
    State state;
};

const PolicyRegistration<Greedy> greedy {
    "greedy", "The block with the fewest valid pages; among equal blocks the least worn."};
const PolicyRegistration<Fifo> fifo {"fifo", "The block that was closed first."};
const PolicyRegistration<CostBenefit> cost_benefit {
    "cost_benefit", "The block with the best ratio of gain and age to cost (Kawaguchi, 1995)."};

} // namespace

} // namespace memsim::flash
