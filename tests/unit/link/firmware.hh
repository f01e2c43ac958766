#pragma once

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
    struct Planned {
        Tick at = 0;
        protocol::RangeOrder order;
    };
    struct State {
        std::vector<Planned> plan;
        std::uint64_t sent = 0;
        std::deque<RangeResult> results;
        Timer next;
    };
    explicit Firmware(const Params& p) : params(p) {}
    void start() override {
        if (!state.plan.empty()) arm(state.next, state.plan.front().at);
    }
    void wake() override;
    bool pending() const override { return state.sent < state.plan.size(); }

    void plan(Tick at, RangeOp op, std::uint64_t base, std::uint64_t bytes,
              std::uint16_t target = 0) {
        const auto tag = static_cast<std::uint32_t>(state.plan.size());
        state.plan.push_back({at, {base, bytes, tag, target, op}});
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test_mem
