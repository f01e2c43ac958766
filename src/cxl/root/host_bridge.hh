#pragma once

#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "cxl/hdm/address_plan.hh"
#include "parts/fan_out.hh"
#include "protocol/mem.hh"

namespace memsim::cxl {

using namespace memsim::literals;
using protocol::Mem;

/// A CXL host bridge: sends each request to the root port that its HDM decoders name, by address
/// and interleaving. Firmware programs them through `config`; until it lets requests in by their
/// global enable, these wait where they came in.
///
/// Addresses pass as they are: endpoints decode them, too. A request waits for its own port only,
/// until `buffer` wait for all of them. Answers return in the order in which they come, of one tick
/// by port. A hint is passed on if its port takes it at once; otherwise it is dropped. A request
/// outside of all ranges, or across the edge of a chunk, ends the run by a sentence.
/// Not modelled: decoders that are changed during a run, ports without a device.
class HostBridge final : public Model<HostBridge>, public Functional, public HasRootPorts {
  public:
    struct Params {
        Param<unsigned> decoders {4, {1, 32}, "HDM decoders", cited("CXL 3.1: 1 to 32")};
        Param<Time> latency {1_ns,
                             {1_fs, 1_us},
                             "Latency of the look-up, and of the way back",
                             assumed("a cycle at 1 GHz"),
                             Change::tunable};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to this component"};
        Param<unsigned> buffer {16, {1, 65536}, "Requests that wait inside for their ports"};
        Param<unsigned> outstanding {256, {1, 1 << 20}, "Answers expected from a port"};
        Param<unsigned> accesses {
            4, {1, 65536}, "Register accesses waiting or in flight to this component"};
    };
    struct Ports {
        Responder<Mem> cpu_side {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests"};
        Many<Requester<Mem>> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>},
            "Root ports, by the numbers that the decoders name"};
        Responder<protocol::CxlConfig> config {
            {.depth = from<&Params::accesses>, .needs = needs<PlansAddresses>},
            "Firmware that programs the decoders"};
    };
    struct Stats {
        Each<Counter> requests {bound<&Ports::mem_side>, Unit::count, "Requests sent to this port"};
        Counter hints {Unit::count, "Hints that were passed on"};
        Counter hints_dropped {Unit::count,
                               "Hints outside of all ranges, or whose port had no room"};
    };
    struct State {
        HdmCapability hdm;
        parts::FanOut<protocol::MemRequest> waiting; ///< for their ports
    };

    explicit HostBridge(const Params& p) : params(p) {}
    unsigned root_ports() const override { return port.mem_side.size(); }
    unsigned hdm_decoders() const override { return params.decoders(); }
    void init() override;
    void wake() override;
    bool pending() const override { return state.waiting.held != 0; }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override { state.hdm.check_loaded(l, port.mem_side.size()); }
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void answer_config();
    std::uint32_t port_of(const protocol::MemRequest& r) const;

    const PlansAddresses* firmware_ = nullptr;
};

} // namespace memsim::cxl
