#pragma once

#include "../core/plan.hh"
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
        test::Plan<CacheEvent> plan;
        std::vector<Seen> seen;
        Timer next;
    };
    explicit AccessReporter(const Params& p) : params(p) {}
    void start() override { arm(state.next, state.plan.due()); }
    void wake() override {
        while (!port.hints.empty()) {
            state.seen.push_back({now(), port.hints.pop()});
            ++stat.hints;
        }
        arm(state.next, state.plan.send(port.events, now()));
    }
    bool pending() const override { return state.plan.pending(); }

    void read(std::uint64_t address, std::uint32_t pc = 8, std::uint16_t warp = 0,
              bool missed = false) {
        plan({address, pc, 0, warp, 0,
              missed ? CacheEventKind::read_miss : CacheEventKind::read_hit, false});
    }
    void evict(bool unused, unsigned times = 1) {
        while (times--) plan({0, 0, 0, 0, 0, CacheEventKind::eviction, unused});
    }
    CacheEvent& plan(const CacheEvent& event) {
        return state.plan.add((state.plan.size() + 1) * ns, event);
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test_zng
