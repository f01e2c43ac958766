#pragma once

#include "core/kernel/component.hh"
#include "protocol/upcoming.hh"

namespace memsim::test {

using namespace memsim::literals;

/// Asks an SM from time to time what its warps access next, and writes down the answers.
class LookaheadAsker final : public Model<LookaheadAsker> {
  public:
    struct Params {
        Param<unsigned> count {1, "Queries to send"};
        Param<Time> period {100_ns, "From a query to the next, and to the first one"};
        Param<unsigned> operations {2, "Operations of each warp to ask for"};
        Param<unsigned> queue {2, "Answers waiting or in flight"};
    };
    struct Ports {
        Out<protocol::UpcomingQuery> queries {{}, "To the SM"};
        In<protocol::UpcomingAccesses> answers {{.depth = from<&Params::queue>}, "Its answers"};
    };
    struct Stats {};
    struct State {
        std::uint32_t sent = 0;
        std::vector<protocol::UpcomingAccesses> seen;
        Timer next;
    };
    explicit LookaheadAsker(const Params& p) : params(p) {}
    void start() override { arm(state.next, params.period()); }
    void wake() override {
        while (!port.answers.empty()) state.seen.push_back(port.answers.pop());
        if (state.sent == params.count) return;
        const Tick due = (state.sent + 1) * params.period->raw;
        if (now() < due) return arm(state.next, due);
        if (!port.queries.can_send()) return;
        port.queries.send({params.operations()});
        if (++state.sent < params.count) arm(state.next, due + params.period->raw);
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test
