#pragma once

#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "cxl/hdm/address_plan.hh"
#include "device_parts/fan_out.hh"
#include "protocol/mem.hh"

namespace memsim::cxl {

using namespace memsim::literals;
using protocol::Mem;

/// A CXL host bridge: sends each request to the root port selected by its HDM decoders, by address
/// and interleaving. Firmware programs the decoders through `config`; requests wait until it sets
/// their global enable.
///
/// Models        Addresses are forwarded unchanged, because endpoints decode them, too. A request
///               waits only for its own port, until `buffer` requests wait for all ports. A hint is
///               forwarded if its port accepts it at once; otherwise it is dropped. A request
///               outside of all ranges, or across the edge of a chunk, ends the run with an error.
/// Ordering      Responses return in order of arrival; those of the same tick by port.
/// Not modelled  Changes of decoders during a run, ports without a device.
class HostBridge final : public Model<HostBridge>, public Functional, public HasRootPorts {
  public:
    struct Params {
        Param<unsigned> decoders {
            4, {1, 32}, "HDM decoders", assumed("a usual number; CXL 3.1 allows 1 to 32")};
        Param<Time> latency {1_ns,
                             {1_fs, 1_us},
                             "Latency of the lookup, and of responses",
                             assumed("a cycle at 1 GHz"),
                             Change::tunable};
        Param<unsigned> queue {
            16, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
        Param<unsigned> buffer {16, {1, 65536}, "Requests buffered for the ports", queue_places()};
        Param<unsigned> outstanding {
            256, {1, 1 << 20}, "Outstanding responses of a port", queue_places()};
        Param<unsigned> accesses {4,
                                  {1, 65536},
                                  "Register accesses waiting or in flight to this component",
                                  queue_places()};
    };
    struct Ports {
        Responder<Mem> cpu_side {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests"};
        Many<Requester<Mem>> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>},
            "Root ports, by the numbers that the decoders name"};
        Responder<CxlConfig> config {
            {.depth = from<&Params::accesses>, .needs = needs<PlansAddresses>},
            "Firmware, which programs the decoders"};
    };
    struct Stats {
        Each<Counter> requests {bound<&Ports::mem_side>, Unit::count, "Requests sent to this port"};
        Counter hints {Unit::count, "Hints forwarded"};
        Counter hints_dropped {Unit::count,
                               "Hints outside of all ranges, or whose port had no space"};
    };
    struct State {
        HdmCapability hdm;
        device_parts::FanOut<protocol::MemRequest> waiting; ///< for the ports
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
