#pragma once

#include "core/kernel/component.hh"
#include "protocol/mem.hh"

namespace memsim::test {

using namespace memsim::literals;
using protocol::Mem;

/// Forwards one memory request in each `period`, and responses without delay.
/// (The example of docs/extending.md.)
class Throttle final : public Model<Throttle> {
  public:
    struct Params {
        Param<Time> period {
            10_ns, {1_fs, 1_ms}, "Time from one request to the next", Change::tunable};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to this component"};
        Param<unsigned> outstanding {64, {1, 65536}, "Requests without an answer, at most"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>}, "Requests"};
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>}, "Requests, spaced out"};
    };
    struct Stats {
        Counter passed {Unit::count, "Requests that passed"};
    };
    struct State {
        Tick free_at = 0; ///< when the next request may pass
        Timer next;
    };

    explicit Throttle(const Params& p) : params(p) {}
    void wake() override;

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test
