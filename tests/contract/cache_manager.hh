#pragma once

#include "core/kernel/component.hh"
#include "protocol/mem.hh"

namespace memsim::test {

using namespace memsim::literals;

/// Hints, flushes, invalidations and reservations at random times, for a cache.
class CacheManager final : public Model<CacheManager> {
  public:
    struct Params {
        Param<unsigned> count {60, "Commands and hints to send"};
        Param<Time> gap {80_ns, "Longest pause between two"};
        Param<unsigned> ways {2, "Most that it reserves"};
    };
    struct Ports {
        Requester<protocol::Mem> control {{.depth = [](const void*) { return 4u; }}, "Commands"};
        Requester<protocol::Mem> hints {{.depth = [](const void*) { return 1u; }}, "Hints"};
    };
    struct Stats {
        Counter answered {Unit::count, "Commands answered"};
        Counter lost {Unit::count, "Hints that found no room"};
    };
    struct State {
        std::uint32_t sent = 0;
        Tick ready_at = 0;
        Rng random;
        Timer next;
    };
    explicit CacheManager(const Params& p) : params(p) {}
    void start() override { arm(state.next, 0); }
    void wake() override;
    bool pending() const override { return state.sent < params.count(); }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test
