#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "cxl/endpoint/load_meter.hh"
#include "cxl/link/link_end.hh"
#include "protocol/mem.hh"

namespace memsim::cxl {

using protocol::Mem;

/// The port of a CXL.mem device: the other end of a root port's link. Messages wait in the ingress
/// queue, in their order, for the medium; its answers become completions and data responses. A
/// MemSpecRd is a hint to the medium, dropped if that does not take it at once. A message's credit
/// goes back when it has left the receive buffer for the ingress queue.
/// Each response says the device's load: the highest of what the medium says, of the ingress
/// queue's occupancy and of the back-pressure at the egress.
/// Not modelled: several logical devices, QoS of each, poison.
class DevicePort final : public Model<DevicePort>, public Functional, public HasLink {
  public:
    struct Params {
        LinkParams link;
        Param<unsigned> ingress {64, {1, 65536}, "Places of the ingress queue", assumed()};
        Param<unsigned> outstanding {
            256, {1, 65536}, "Requests that the medium has not answered", assumed()};
        Param<Time> window {800_ns,
                            {1_ns, 1_ms},
                            "Time over which back-pressure at the egress is measured",
                            cited("CXL 3.1")};
        Param<Fraction> moderate {10_pct,
                                  {Fraction {1}, 100_pct},
                                  "Share of the window blocked that is a moderate load",
                                  cited("CXL 3.1's default")};
        Param<Fraction> severe {25_pct,
                                {Fraction {1}, 100_pct},
                                "Share of the window blocked that is a severe load",
                                cited("CXL 3.1's default"),
                                at_least(moderate)};
    };
    struct Ports {
        Out<protocol::CxlFlit> flits_out {
            {.latency = &LinkSettings<Params>::crossing, .rate = &LinkSettings<Params>::rate},
            "Flits to the host"};
        In<protocol::CxlFlit> flits_in {{.depth = &LinkSettings<Params>::unlimited},
                                        "Flits of the host; credits limit their messages"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = &LinkSettings<Params>::delivery},
            "Requests and hints to the medium"};
        Optional<In<protocol::DeviceLoad>> medium_load {{.depth = [](const void*) { return 4u; }},
                                                        "Loads of the medium, as they change"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads sent to the medium"};
        Counter writes {Unit::count, "Writes and atomics sent to the medium"};
        Counter hints {Unit::count, "MemSpecRd that the medium has taken"};
        Counter hints_dropped {Unit::count, "MemSpecRd dropped: the medium had no room"};
        Each<Counter, DevLoad> loads {Unit::count, "Responses with this DevLoad"};
        Level ingress {Unit::count, "Messages that wait for the medium or its answer"};
        LinkStats link;
    };
    /// What the medium has been asked.
    struct Asked {
        bool live = false;
        std::uint16_t tag = 0; ///< of the host
        bool half = false;
    };
    struct State {
        LinkEndState link;
        Fifo<Message> ingress;
        std::vector<Asked> asked; ///< by the tag of the medium's answer
        FreeList free_tags;
        DevLoad medium = DevLoad::light;
        EgressPressure egress;
    };

    explicit DevicePort(const Params& p) : params(p) {}
    void init() override;
    void start() override { arm(state.link.alarm, 0); }
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    std::optional<std::string> imbalance() const override;
    void check_loaded(Loader& l) const override { link_->check_loaded(l); }
    void functional(const PortBase& at, FunctionalAccess& access) override;
    const LinkParams& link_params() const override { return params.link; }
    bool is_device() const override { return true; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void fill_ingress();
    bool send_requests();
    void take_answers();
    DevLoad load() const;

    std::optional<LinkEnd> link_;
};

} // namespace memsim::cxl
