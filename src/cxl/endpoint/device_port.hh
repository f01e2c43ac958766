#pragma once

#include "core/machine/functional.hh"
#include "core/state/free_list.hh"
#include "cxl/endpoint/load_meter.hh"
#include "cxl/link/link_end.hh"
#include "protocol/mem.hh"

namespace memsim::cxl {

using protocol::Mem;

/// The port of a CXL.mem device: the device's end of a link to a root port.
///
/// Models        Messages wait in the ingress queue for the medium, whose responses become
///               completions and data responses. A MemSpecRd is sent to the medium as a hint, and
///               dropped if the medium does not accept it at once. The credit of a message returns
///               when the message moves from the receive buffer to the ingress queue. Each response
///               reports the device's load: the maximum of the medium's reported load, the
///               occupancy of the ingress queue, and the back-pressure at the egress.
/// Ordering      Messages stay in order.
/// Not modelled  Several logical devices with separate QoS; poison.
class DevicePort final : public Model<DevicePort>, public Functional, public HasLink {
  public:
    struct Params {
        LinkParams link;
        Param<unsigned> ingress {64, {1, 65536}, "Entries of the ingress queue", assumed()};
        Param<unsigned> outstanding {
            256, {1, 65536}, "Requests to the medium without a response", assumed()};
        Param<Time> window {
            800_ns,
            {1_ns, 1_ms},
            "Period over which back-pressure at the egress is measured",
            cited("CXL 3.2, table 8-379: backpressure sample interval, default 8, 800 ns")};
        Param<Fraction> moderate {
            10_pct,
            {Fraction {1}, 100_pct},
            "Blocked share of the window that counts as moderate load",
            cited("CXL 3.2, table 8-379: egress moderate percentage, default 10")};
        Param<Fraction> severe {25_pct,
                                {Fraction {1}, 100_pct},
                                "Blocked share of the window that counts as severe load",
                                cited("CXL 3.2, table 8-379: egress severe percentage, default 25"),
                                at_least(moderate)};
    };
    struct Ports {
        Out<CxlFlit> flits_out {
            {.latency = &LinkSettings<Params>::crossing, .rate = &LinkSettings<Params>::rate},
            "Flits to the host"};
        In<CxlFlit> flits_in {{.depth = &LinkSettings<Params>::unlimited},
                              "Flits from the host; credits limit their messages"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = &LinkSettings<Params>::delivery},
            "Requests and hints to the medium"};
        Optional<In<protocol::DeviceLoad>> medium_load {
            {.depth = [](const void*) { return 4u; }},
            "Loads of the medium, sent when they change"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads sent to the medium"};
        Counter writes {Unit::count, "Writes and atomics sent to the medium"};
        Counter hints {Unit::count, "MemSpecRd that the medium accepted"};
        Counter hints_dropped {Unit::count, "MemSpecRd dropped because the medium had no space"};
        Each<Counter, DevLoad> loads {Unit::count, "Responses with this DevLoad"};
        Level ingress {Unit::count, "Messages waiting for the medium or its response"};
        LinkStats link;
    };
    /// A request sent to the medium.
    struct Asked {
        bool live = false;
        std::uint16_t tag = 0; ///< of the host's message
        bool half = false;
    };
    struct State {
        LinkEndState link;
        Fifo<Message> ingress;
        std::vector<Asked> asked; ///< by tag of the medium's response
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
