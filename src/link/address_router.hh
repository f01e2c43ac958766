#pragma once

#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "link/range_table.hh"
#include "parts/fan_out.hh"
#include "protocol/address_ranges.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"

namespace memsim::link {

using namespace memsim::literals;
using protocol::Mem;

/// Sends each request to the memory that has its address: local memory, the host's, an endpoint.
///
/// `ranges` says which addresses go to which port of mem_side. They must not overlap, and, unless
/// firmware is bound to `control` and may fill them, have no holes between them. Orders of firmware
/// take effect when they come in, before the requests of that tick, and are answered: done, or why
/// not. A range is not removed while requests that went to its port are without an answer.
///
/// Addresses pass as they are. A request waits for its own port only, until `buffer` wait for all
/// of them. Answers return in the order in which they come, of one tick by port. A hint is passed
/// on if its port takes it at once; otherwise it is dropped. A request whose address lies in no
/// range ends the run by a sentence.
class AddressRouter final : public Model<AddressRouter>,
                            public Functional,
                            public protocol::StatesTraffic {
  public:
    struct Params {
        Param<std::string> ranges {
            "", "First address, size and port of each range, such as '0B 1GiB 0, 1GiB 512MiB 1'"};
        Param<unsigned> entries {16, {1, 4096}, "Ranges that the router can hold"};
        Param<Time> latency {
            1_ns, {1_fs, 1_ms}, "Latency of the look-up, and of the way back", Change::tunable};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to this component"};
        Param<unsigned> buffer {16, {1, 65536}, "Requests that wait inside for their ports"};
        Param<unsigned> outstanding {256, {1, 1 << 20}, "Answers expected from a port"};
        Param<unsigned> orders {
            4, {1, 65536}, "Orders of firmware waiting or in flight to this component"};
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
        Counter hints {Unit::count, "Hints that were passed on"};
        Counter hints_dropped {Unit::count,
                               "Hints without a range, or whose port had no room or takes none"};
        Each<Counter, protocol::RangeResult> orders {Unit::count,
                                                     "Orders, by how they were answered"};
    };
    struct State {
        RangeTable ranges;
        parts::FanOut<protocol::MemRequest> waiting; ///< for their ports
    };

    explicit AddressRouter(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.waiting.held != 0; }
    void waits_on(WaitReport& report) const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::Traffic traffic(const PortBase&, unsigned hops) const override {
        const protocol::Traffic above = protocol::traffic_to(port.cpu_side, hops);
        return {{}, above.block, above.sender}; // ranges, which firmware may change
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void read_ranges();
    void check_holes() const;
    protocol::RangeResult obey(const protocol::RangeOrder& order);
    std::uint32_t port_of(const protocol::MemRequest& r) const;
    const AddressRange& range_of(std::uint64_t address) const;
};

} // namespace memsim::link
