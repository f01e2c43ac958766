#pragma once

#include "core/base/text.hh"
#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "device_parts/fan_out.hh"
#include "link/range_table.hh"
#include "protocol/address_ranges.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"

namespace memsim::link {

using namespace memsim::literals;
using protocol::Mem;

/// Sends each request to the memory that contains its address: local memory, the host's, or an
/// endpoint.
///
/// Models        `ranges` assigns addresses to the ports of mem_side. Addresses are forwarded
///               unchanged. A request waits only for its own port, until `buffer` requests wait for
///               all ports. A hint is forwarded if its port accepts it at once; otherwise it is
///               dropped. A request outside of all ranges ends the run with an error.
///
/// Orders of firmware take effect on arrival, before the requests of the same tick, and are
/// answered with a result. A range is not removed while requests to its port are outstanding.
///
/// Ordering      Responses return in order of arrival; those of the same tick by port.
/// Requires      Ranges do not overlap. Without firmware at `control` they have no holes between
///               them.
class AddressRouter final : public Model<AddressRouter>,
                            public Functional,
                            public protocol::StatesTraffic {
  public:
    struct Params {
        Param<std::string> ranges {
            "", "First address, size and port of each range, such as '0B 1GiB 0, 1GiB 512MiB 1'",
            from_wiring()};
        Param<unsigned> entries {16, {1, 4096}, "Ranges that the router can hold", queue_places()};
        Param<Time> latency {1_ns,
                             {1_fs, 1_ms},
                             "Latency of the lookup, and of responses",
                             Change::tunable,
                             assumed("a cycle of 1 GHz")};
        Param<unsigned> queue {
            16, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
        Param<unsigned> buffer {16, {1, 65536}, "Requests buffered for the ports", queue_places()};
        Param<unsigned> outstanding {
            256, {1, 1 << 20}, "Outstanding responses of a port", queue_places()};
        Param<unsigned> orders {4,
                                {1, 65536},
                                "Orders of firmware waiting or in flight to this component",
                                queue_places()};
        Param<std::string> names {
            "",
            "A name for each range, in the order of addresses and separated by commas; the bytes "
            "of these ranges are counted. Empty: none is counted",
            from_wiring()};

        unsigned named() const { return static_cast<unsigned>(elements_of(names()).size()); }
    };
    struct Ports {
        Responder<Mem> cpu_side {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests"};
        Many<Requester<Mem>> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>},
            "Memories, by the numbers that the ranges name"};
        Optional<Responder<protocol::AddressRanges>> control {{.depth = from<&Params::orders>},
                                                              "Firmware that programs ranges"};
    };
    struct Stats {
        Each<Counter> requests {bound<&Ports::mem_side>, Unit::count, "Requests sent to this port"};
        Counter hints {Unit::count, "Hints forwarded"};
        Counter hints_dropped {
            Unit::count,
            "Hints outside of all ranges, or whose port had no space or does not accept hints"};
        Each<Counter, protocol::RangeResult> orders {Unit::count, "Orders, by result"};
        Each<Counter> bytes {
            +[](const void* p) { return static_cast<const Params*>(p)->named(); }, Unit::byte,
            "Bytes of reads, writes and atomics of a range, by its place in `names`"};
    };
    struct State {
        RangeTable ranges;
        device_parts::FanOut<protocol::MemRequest> waiting; ///< for the ports
    };

    explicit AddressRouter(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.waiting.held != 0; }
    void waits_on(WaitReport& report) const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::Traffic traffic(const PortBase&, unsigned hops) const override {
        const protocol::Traffic above = protocol::traffic_to(port.cpu_side, hops);
        return {{}, above.block, above.sender}; // firmware may change the ranges
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void read_ranges();
    void check_holes() const;
    void check_names() const;
    void count(const protocol::MemRequest& r);
    protocol::RangeResult obey(const protocol::RangeOrder& order);
    std::uint32_t port_of(const protocol::MemRequest& r) const;
    const AddressRange& range_of(std::uint64_t address) const;

    bool counts_ = false; ///< ranges have names
};

} // namespace memsim::link
