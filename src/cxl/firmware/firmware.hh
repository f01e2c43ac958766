#pragma once

#include "core/kernel/component.hh"
#include "cxl/hdm/address_plan.hh"
#include "cxl/hdm/registers.hh"
#include "protocol/address_ranges.hh"

#include <optional>

namespace memsim::cxl {

using namespace memsim::literals;

/// The start-up firmware of a CXL root complex. Starting at time 0 it reads the number of endpoints
/// and their memory sizes and waits until the memories are active. It assigns host addresses
/// (AddressPlan) and writes and commits the HDM decoders of endpoints and host bridge. Then it
/// enables requests, and adds the range to the system bus's address router, if connected.
///
/// Models        Register accesses execute one after another, with `latency` each. `endpoints[i]`
///               is the device behind port i of the host bridge.
/// Requires      Ranges do not overlap, map all memory, and fit into the window; interleave sets
///               match a decoder. Violations are refused before time 0.
/// Not modelled  PCIe enumeration of buses, sizing of BARs, hot plug.
class Firmware final : public Model<Firmware>, public PlansAddresses {
  public:
    struct Params {
        Param<Bytes> window_base {0_B,
                                  {0_B, Bytes {std::int64_t {1} << 62}},
                                  "First host address of the window",
                                  example_value()};
        Param<Bytes> window {Bytes {std::int64_t {1} << 40},
                             {256_B, Bytes {std::int64_t {1} << 62}},
                             "Size of the window of host addresses for endpoints",
                             example_value()};
        Param<unsigned> ways {
            1,
            {1, 16},
            "Consecutive ports that form one interleave set; 1: one range for each port",
            from_wiring()};
        Param<Bytes> granularity {
            256_B,
            {256_B, 16_KiB},
            "Chunk of the interleaving over the ports of a set",
            power_of_two(),
            cited("CXL 3.0, section 8.2.5.19.7: the least granularity of an interleave set")};
        Param<std::string> ranges {
            "",
            "First address, granularity and ports of each range, such as '0B 256B 0 1, 1GiB "
            "4KiB 2'; empty: consecutive from the window's base, by `ways`",
            assumed("endpoints lie side by side")};
        Param<unsigned> router_target {
            0, {0, 65535}, "Port of the router that is connected to the bridge", from_wiring()};
        Param<Time> latency {
            1_ns,
            {1_fs, 1_ms},
            "Latency of a register access",
            assumed("boot is over before programs begin; over PCIe it is about 1 us")};
        Param<unsigned> outstanding {
            1, {1, 1}, "Outstanding register accesses", assumed("firmware waits for each access")};
    };
    struct Ports {
        Requester<CxlConfig> bridge {{.depth = from<&Params::outstanding>,
                                      .latency = from<&Params::latency>,
                                      .needs = needs<HasRootPorts>},
                                     "The host bridge's registers"};
        Many<Requester<CxlConfig>> endpoints {
            {.depth = from<&Params::outstanding>,
             .latency = from<&Params::latency>,
             .needs = needs<HasCapacity>},
            "The registers of the endpoint behind each port of the bridge"};
        Optional<Requester<protocol::AddressRanges>> router {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>},
            "The system bus's address router"};
    };
    struct Stats {
        Counter reads {Unit::count, "Registers read"};
        Counter writes {Unit::count, "Registers written"};
        Counter mapped {Unit::byte, "Memory of endpoints mapped to host addresses"};
        Level done {Unit::count, "Whether firmware has configured the machine (0 or 1)"};
    };
    struct State {
        std::uint32_t step = 0;
        std::deque<std::uint64_t> sizes; ///< of the endpoints that have responded
        bool waiting = false;            ///< for the response to a step
        bool done = false;
        Timer begin;
    };

    explicit Firmware(const Params& p) : params(p) {}
    void init() override;
    void start() override { arm(state.begin, 0); }
    void wake() override;
    bool pending() const override { return !state.done; }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;

    const AddressPlan& plan() const override { return *plan_; }
    std::uint32_t port_of(const PortBase& mine) const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    /// An access to a register of an endpoint; the bridge is numbered after the endpoints.
    struct Step {
        std::uint32_t device = 0;
        CxlConfigRequest access;
    };

    std::vector<Step> steps() const;
    void enumerate(std::vector<Step>& all) const;
    void configure(std::vector<Step>& all, const AddressPlan& plan) const;
    AddressPlan plan_for(const std::vector<std::uint64_t>& sizes) const;
    Requester<CxlConfig>& registers(std::uint32_t device) {
        return device < port.endpoints.size() ? port.endpoints[device] : port.bridge;
    }
    bool accepted(const Step& step, std::uint64_t value);
    void map_window();

    std::optional<AddressPlan> plan_; ///< from the sizes that the endpoints will report
};

} // namespace memsim::cxl
