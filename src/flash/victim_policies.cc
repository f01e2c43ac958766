#include "flash/victim_policy.hh"

namespace memsim::flash {

namespace {

struct Nothing {};

/// Most to gain now; of several blocks the least worn.
class Greedy final : public PolicyModel<Greedy, VictimPolicy> {
  public:
    using Params = Nothing;
    using State = Nothing;
    explicit Greedy(const Params&) {}
    bool before(const VictimBlock& a, const VictimBlock& b) const override {
        return a.valid != b.valid ? a.valid < b.valid : a.erases < b.erases;
    }
    State state;
};

/// The block closed first.
class Fifo final : public PolicyModel<Fifo, VictimPolicy> {
  public:
    using Params = Nothing;
    using State = Nothing;
    explicit Fifo(const Params&) {}
    bool before(const VictimBlock& a, const VictimBlock& b) const override { return a.age > b.age; }
    State state;
};

/// age x (1 - u) / 2u, u being the share of valid pages (Kawaguchi et al., USENIX 1995, after
/// Rosenblum and Ousterhout): what a block frees for what its copy costs, and cold data, which stay
/// as they are for longer, sooner. Compared without a division.
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
    State state;
};

const PolicyRegistration<Greedy> greedy {
    "greedy", "The block with the fewest valid pages, of several the least worn."};
const PolicyRegistration<Fifo> fifo {"fifo", "The block that was closed first."};
const PolicyRegistration<CostBenefit> cost_benefit {
    "cost_benefit", "The block with the most to gain for its cost and age (Kawaguchi, 1995)."};

} // namespace

} // namespace memsim::flash
