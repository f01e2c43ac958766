#pragma once

#include "core/kernel/component.hh"
#include "protocol/mem.hh"

namespace memsim::test {

using namespace memsim::literals;
using protocol::Mem;

/// Sends random reads, writes and posted writes at random times and checks that each that is to be
/// answered is answered once.
class Driver final : public Model<Driver> {
  public:
    struct Params {
        Param<unsigned> count {300, "Requests to send"};
        Param<unsigned> answers {16, {1, 4096}, "Answers that may be outstanding"};
        Param<Time> gap {20_ns, "Longest pause between two requests"};
        Param<Bytes> footprint {64_KiB, "Addresses are below"};
        Param<unsigned> line {32, "Bytes of a request, and its alignment"};
        Param<bool> masks {false, "Whether some requests need a part of their sectors only"};
    };
    struct Ports {
        Requester<Mem> mem {{.depth = from<&Params::answers>, .latency = 3_ns, .rate = 32_GBps},
                            "To what is tested"};
    };
    struct Stats {
        Counter answered {Unit::count, "Answers"};
        Distribution latency {Unit::time, "From sending to the answer"};
    };
    struct State {
        std::uint32_t sent = 0;
        Tick ready_at = 0;
        std::vector<Tick> sent_at; ///< by tag; `never` when answered or posted
        Rng random;
        Timer next;
    };
    explicit Driver(const Params& p) : params(p) {}
    void start() override { arm(state.next, 0); }
    void wake() override;
    bool pending() const override { return state.sent < params.count; }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test
