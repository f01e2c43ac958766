#pragma once

#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "parts/interleave.hh"
#include "parts/virtual_queues.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

/// A crossbar between requesters and the slices that share their addresses: one switch for
/// requests, another for responses, with nothing in common.
///
/// Every port, input and output, carries `width` bytes a cycle each way and one message a cycle: a
/// message holds it for ceil(bytes / width) cycles. Each output takes from its inputs as
/// `arbitration` says, at edges of the clock; a message is at the other side when its last byte is,
/// `latency` after it left. Messages wait in virtual output queues, so a busy or blocked output
/// does not hold up those for others (none of the head-of-line blocking that limits input queues to
/// 59 % under uniform traffic: Karol, Hluchyj, Morgan 1987) - until an input's buffer is full. An
/// input may feed several outputs in one cycle from its buffer. A hint waits as a request does, but
/// one that finds its input's buffer full, or whose slice takes none, is dropped there.
///
/// The way back is packed into `source`, mixed radix, so that crossbars can stand behind each
/// other: source = source above x inputs + input. Messages of one input to one output stay in
/// order.
class Crossbar final : public Model<Crossbar>, public Functional, public protocol::StatesTraffic {
  public:
    struct Params {
        Param<unsigned> inputs {1, {1, 256}, "Requesters"};
        Param<unsigned> outputs {1, {1, 256}, "Slices that share the addresses"};
        Param<Bytes> granularity {
            256_B, {1_B, 1_GiB}, "Chunk in which addresses go round over the outputs", assumed()};
        Param<Frequency> clock {1.2_GHz, {1_MHz, 100_GHz}, "Clock of arbitration and wires"};
        Param<parts::Arbitration> arbitration {parts::Arbitration::round_robin,
                                               "Which input an output takes from"};
        Param<Bytes> width {32_B,
                            {1_B, 4_KiB},
                            "Bytes that a port carries in a cycle, each way",
                            cited("GTX 480 class: 32 B")};
        Param<Time> latency {5_ns,
                             {1_fs, 1_ms},
                             "Time from the grant to the other side",
                             assumed(),
                             Change::tunable};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to an input"};
        Param<unsigned> buffer {16, {1, 65536}, "Messages that an input holds for its outputs"};
        Param<unsigned> outstanding {256, {1, 1 << 20}, "Answers expected from a slice"};
    };
    static Rate wire(const void* params) {
        const auto& p = *static_cast<const Params*>(params);
        return {p.width->raw * p.clock->raw};
    }
    struct Ports {
        Many<Responder<Mem>> cpu_side {from<&Params::inputs>,
                                       {.depth = from<&Params::queue>,
                                        .latency = from<&Params::latency>,
                                        .rate = &wire,
                                        .clock = from<&Params::clock>,
                                        .hints = true},
                                       "Requesters"};
        Many<Requester<Mem>> mem_side {from<&Params::outputs>,
                                       {.depth = from<&Params::outstanding>,
                                        .latency = from<&Params::latency>,
                                        .rate = &wire,
                                        .clock = from<&Params::clock>},
                                       "Slices"};
    };
    struct Stats {
        Counter requests {Unit::count, "Requests that left for a slice, hints included"};
        Counter hints_dropped {Unit::count,
                               "Hints dropped: the buffer was full, or the slice takes none"};
        Counter request_bytes {Unit::byte,
                               "Bytes of requests that left for a slice, headers included"};
        Counter responses {Unit::count, "Responses that left for a requester"};
        Counter response_bytes {Unit::byte,
                                "Bytes of responses that left for a requester, headers included"};
        PerSecond request_bandwidth {request_bytes, "Bytes of requests a second"};
        PerSecond response_bandwidth {response_bytes, "Bytes of responses a second"};
        Each<Counter> slice_requests {from<&Params::outputs>, Unit::count,
                                      "Requests that left for this slice"};
        Each<BookedCycles> slice_busy {from<&Params::outputs>, Unit::cycle,
                                       "Cycles that requests held the port to this slice"};
        Each<Counter> slice_stalls {from<&Params::outputs>, Unit::count,
                                    "Times that requests found the slice full"};
        Each<BookedCycles> requester_busy {from<&Params::inputs>, Unit::cycle,
                                           "Cycles that responses held this port"};
        Each<Counter> requester_stalls {from<&Params::inputs>, Unit::count,
                                        "Times that responses found this port blocked"};
    };
    /// One direction.
    template <class M>
    struct Switch {
        parts::VirtualQueues<M> queues;
        std::vector<std::int64_t> input_free; ///< the first cycle in which it is
        std::vector<std::int64_t> output_free;
        std::vector<std::uint8_t> blocked; ///< outputs whose next message has found no room
        std::uint64_t held = 0;            ///< messages inside
        std::uint64_t bytes_held = 0;
    };
    struct State {
        Switch<protocol::MemRequest> requests;
        Switch<protocol::MemResponse> responses;
        Timer next;
    };

    explicit Crossbar(const Params& p) : params(p), edges_(p.clock()) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.requests.held + state.responses.held != 0; }
    void waits_on(WaitReport& report) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::Traffic traffic(const PortBase& mine, unsigned hops) const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    static constexpr std::int64_t no_cycle = std::numeric_limits<std::int64_t>::max();

    /// Moves what can be moved in the present cycle; returns the next in which something may be.
    template <class M, class From, class To, class Route, class Sent>
    std::int64_t move(std::int64_t cycle, Switch<M>& s, From& from, To& to, Route&& route,
                      Sent&& sent, Each<BookedCycles>& busy, Each<Counter>& stalls);
    void drop_hints(Responder<Mem>& in, std::uint32_t input);
    std::int64_t cycles(std::uint32_t bytes) const {
        return static_cast<std::int64_t>(width_.quotient(bytes + width_.value() - 1));
    }

    EdgeFinder edges_;
    parts::Interleave interleave_;
    parts::Divider width_;
};

} // namespace memsim::mem
