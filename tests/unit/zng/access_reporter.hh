#pragma once

#include "../flash/support.hh"
#include "../mem/driver.hh"
#include "core/kernel/component.hh"
#include "protocol/cache_event.hh"

#include <catch2/catch.hpp>

/// Shared by the tests of this folder: a sender of accesses to a prefetcher, which records its
/// hints.
namespace memsim::test_zng {

using namespace memsim::literals;
using protocol::CacheEvent;
using protocol::CacheEventKind;

using test_flash::ns;
using test_flash::us;

/// Sends the events of its plan, one per nanosecond, and records the hints that it receives.
class AccessReporter final : public Model<AccessReporter> {
  public:
    struct Params {
        Param<unsigned> depth {65536, "Hints that have room"};
    };
    struct Ports {
        Out<CacheEvent> events {{}, "Events"};
        Responder<protocol::Mem> hints {{.depth = from<&Params::depth>, .hints = true}, "Hints"};
    };
    struct Stats {
        Counter hints {Unit::count, "Hints seen"};
    };
    struct Seen {
        Tick at = 0;
        protocol::MemRequest hint;
    };
    struct State {
        std::vector<CacheEvent> plan;
        std::uint64_t sent = 0;
        std::vector<Seen> seen;
        Timer next;
    };
    explicit AccessReporter(const Params& p) : params(p) {}
    void start() override {
        if (!state.plan.empty()) arm(state.next, ns);
    }
    void wake() override {
        while (!port.hints.empty()) {
            state.seen.push_back({now(), port.hints.pop()});
            ++stat.hints;
        }
        if (state.sent < state.plan.size() && now() >= static_cast<Tick>(state.sent + 1) * ns)
            port.events.send(state.plan[state.sent++]);
        if (state.sent < state.plan.size()) arm(state.next, static_cast<Tick>(state.sent + 1) * ns);
    }
    bool pending() const override { return state.sent < state.plan.size(); }

    void read(std::uint64_t address, std::uint32_t pc = 8, std::uint16_t warp = 0,
              bool missed = false) {
        state.plan.push_back({address, pc, 0, warp, 0,
                              missed ? CacheEventKind::read_miss : CacheEventKind::read_hit,
                              false});
    }
    void evict(bool unused, unsigned times = 1) {
        while (times--) state.plan.push_back({0, 0, 0, 0, 0, CacheEventKind::eviction, unused});
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test_zng
