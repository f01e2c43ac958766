#pragma once

#include "../core/plan.hh"
#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "device_parts/sector_store.hh"
#include "protocol/device_load.hh"
#include "protocol/mem.hh"

#include <deque>

/// What tests of CXL-GPU's queues put in the place of a root port, its link and the endpoint.
namespace memsim::test_cxl_gpu {

using namespace memsim::literals;
using protocol::DevLoad;
using protocol::Mem;

/// Accepts each request on arrival and performs it after a random time. Requests keep no order,
/// like message classes of CXL.mem. Each answer reports the load, which changes randomly or by a
/// plan.
class Endpoint final : public Model<Endpoint>, public Functional {
  public:
    struct Params {
        Param<unsigned> queue {64, {1, 65536}, "Requests waiting or in flight to it"};
        Param<Time> least {100_ns, "Of the time of a request"};
        Param<Time> most {100_ns, "Of the time of a request"};
        Param<Time> busy {0_fs, "More of a write's time while the load is severe"};
        Param<unsigned> changes {0, "Of 64 answers, those with which the load changes by chance"};
        Param<Time> medium {0_fs, "Of reading a unit of 256 bytes, once; 0: all are here"};
        Param<bool> takes {true, "Whether it takes anything"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>, .hints = true}, "Requests"};
        Many<Out<protocol::DeviceLoad>> telemetry {{}, "The load, with each answer"};
    };
    struct Stats {
        Counter hints {Unit::count, "Hints"};
        Counter reads {Unit::count, "Reads"};
        Counter hits {Unit::count, "Reads whose unit was here"};
        Counter writes {Unit::count, "Writes and atomics"};
    };
    struct Seen {
        Tick at = 0;
        protocol::MemRequest request;
    };
    struct State {
        Rng random;
        device_parts::SectorStore contents;
        DevLoad load = DevLoad::light;
        HashMap<Tick> units; ///< time at which each requested one is present
        std::deque<Seen> seen;
        test::Plan<DevLoad> plan; ///< of the load
        Timer next;
    };
    explicit Endpoint(const Params& p) : params(p) {}
    void start() override { arm(state.next, state.plan.due()); }
    void wake() override;
    void functional(const PortBase&, FunctionalAccess& a) override { state.contents.functional(a); }

    void perform(const protocol::MemRequest& r);
    /// The addresses of received messages of one kind.
    std::vector<std::uint64_t> addresses(protocol::Command command) const;
    /// When it was sent such a request; never.
    Tick when(protocol::Command command, std::uint64_t address) const;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    Tick here(std::uint64_t unit);
    void tell(DevLoad load);
};

} // namespace memsim::test_cxl_gpu
