#pragma once

#include "../core/plan.hh"
#include "core/kernel/component.hh"
#include "protocol/address_ranges.hh"

namespace memsim::test_mem {

using namespace memsim::literals;
using protocol::RangeOp;
using protocol::RangeResult;

/// Gives the orders of its plan, none before its time, and notes the answers.
class Firmware final : public Model<Firmware> {
  public:
    struct Params {
        Param<unsigned> outstanding {8, {1, 65536}, "Orders without an answer, at most"};
    };
    struct Ports {
        Requester<protocol::AddressRanges> router {{.depth = from<&Params::outstanding>}, "Orders"};
    };
    struct Stats {
        Each<Counter, RangeResult> answers {Unit::count, "Orders answered so"};
    };
    struct State {
        test::Plan<protocol::RangeOrder> plan;
        std::deque<RangeResult> results;
        Timer next;
    };
    explicit Firmware(const Params& p) : params(p) {}
    void start() override { arm(state.next, state.plan.due()); }
    void wake() override;
    bool pending() const override { return state.plan.pending(); }

    void plan(Tick at, RangeOp op, std::uint64_t base, std::uint64_t bytes,
              std::uint16_t target = 0) {
        state.plan.add(at, {base, bytes, state.plan.size(), target, op});
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test_mem
