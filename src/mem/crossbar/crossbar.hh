#pragma once

#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "device_parts/hashed_interleave/hashed_interleave.hh"
#include "mem/crossbar/switch.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

/// A crossbar between requesters and the slices that share their addresses, with independent
/// switches for requests and responses.
///
/// Models        Every input and output port carries `width` bytes and at most one message per
///               cycle in each direction: a message occupies it for ceil(bytes / width) cycles. At
///               clock edges each output selects an input by `arbitration`. A message arrives with
///               its last byte, `latency` or `response_latency` after it left. Messages wait in
///               virtual output queues: a busy or blocked output delays messages to other outputs
///               only if an input's buffer is full. This avoids the head-of-line blocking that
///               limits input queues to 59 % under uniform traffic (Karol, Hluchyj, Morgan 1987).
///               An input may feed several outputs in one cycle from its buffer. Hints wait like
///               requests, but are dropped if the input's buffer is full or the slice does not
///               accept hints. With `of_a_pair`, a request waits at its input, with those
///               behind it, while so many of its input to its output have no response.
///               With `groups`, consecutive requesters share links, in levels (SharedLinks): a
///               request waits at its input, and a response at its output, for their links. With
///               `spread`, the latency of requests depends on the group and the slice: groups lie
///               on a line, slices in two rows along it, and requests between the ends of the line
///               take up to `spread` more or less than `latency`. The mean over the slices is
///               `latency` for each group if the number of slices is even.
/// Ordering      Messages from one input to one output stay in order.
/// Requires      `source` holds the return path in mixed radix, so that crossbars can be chained:
///               source = source above x inputs + input. It must fit in 16 bits.
class Crossbar final : public Model<Crossbar>, public Functional, public protocol::StatesTraffic {
  public:
    struct Params {
        Param<unsigned> inputs {1, {1, 256}, "Requesters", from_wiring()};
        Param<unsigned> outputs {1, {1, 256}, "Slices that share the addresses", from_wiring()};
        Param<Bytes> granularity {256_B,
                                  {1_B, 1_GiB},
                                  "Chunk of the interleaving of addresses over the outputs",
                                  assumed("two lines; range 128 B to 4 KiB")};
        Param<unsigned> hash_rounds {
            0,
            {0, 4096},
            "Rounds over the outputs that a hash deals at a time: with one, strides use all "
            "outputs, with more, also the outputs' loads differ for a time; 0: in turn",
            assumed("addresses are distributed in turn")};
        Param<Frequency> clock {1.2_GHz,
                                {1_MHz, 100_GHz},
                                "Clock of arbitration and wires",
                                stated("Ohm-GPU table I, ZnG table I: 1.2 GHz")};
        Param<device_parts::Arbitration> arbitration {device_parts::Arbitration::round_robin,
                                                      "Policy by which an output selects an input",
                                                      usual_policy()};
        Param<Bytes> width {32_B,
                            {1_B, 4_KiB},
                            "Bytes that a port carries per cycle in each direction",
                            cited("MacSim, params_gtx580: link_width 32")};
        Param<Time> latency {5_ns,
                             {1_fs, 1_ms},
                             "Time from the grant to the arrival at the other side",
                             assumed("6 cycles of 1.2 GHz; range 2 to 20 ns"),
                             Change::tunable};
        Param<Time> response_latency {0_fs,
                                      {0_fs, 1_ms},
                                      "Time from a response's grant to its arrival at the "
                                      "requester; 0: as latency",
                                      Change::tunable,
                                      derived_from("latency")};
        Param<unsigned> queue {
            16, {1, 65536}, "Requests waiting or in flight to an input", queue_places()};
        Param<unsigned> buffer {
            16, {1, 65536}, "Messages that an input buffers for its outputs", queue_places()};
        Param<unsigned> outstanding {
            256, {1, 1 << 20}, "Outstanding responses of a slice", queue_places()};
        Param<unsigned> of_a_pair {0,
                                   {0, 65535},
                                   "Requests of a requester to a slice that may wait for a "
                                   "response; 0: any number",
                                   switched_off()};
        Param<std::string> groups {
            "",
            "Levels of groups of consecutive requesters that share links, from the smallest "
            "groups: requesters of a group, and the rates of its links for requests and for "
            "responses in ports, such as '2 1.5 2, 14 14 14'. Empty: none",
            switched_off()};
        Param<Time> spread {0_fs,
                            {0_fs, 1_ms},
                            "Most by which the latency of requests differs from `latency` "
                            "between a group of the last level and a slice",
                            switched_off()};
        Param<Time> pair_time {0_fs,
                               {0_fs, 1_ms},
                               "Mean time that a request waits for its response where latencies "
                               "have a spread. Pairs that take longer or less may have as many "
                               "more or fewer requests than of_a_pair, so that all have one rate; "
                               "0: all have of_a_pair",
                               switched_off()};
    };
    static unsigned limited_inputs(const void* params) {
        const auto& p = *static_cast<const Params*>(params);
        return p.of_a_pair() ? p.inputs() : 0;
    }
    static unsigned request_links(const void* params);
    static unsigned response_links(const void* params);
    static Rate wire(const void* params) {
        const auto& p = *static_cast<const Params*>(params);
        return {p.width->raw * p.clock->raw};
    }
    /// With a spread, requests overtake each other on their way to a slice: the crossbar adds the
    /// time of their bytes itself.
    static Rate request_wire(const void* params) {
        return static_cast<const Params*>(params)->spread->raw ? Rate {0} : wire(params);
    }
    static Time least_latency_of_requests(const void* params) {
        const auto& p = *static_cast<const Params*>(params);
        return {std::max(p.latency->raw - p.spread->raw, Tick {1})};
    }
    static Time of_responses(const void* params) {
        const auto& p = *static_cast<const Params*>(params);
        return p.response_latency->raw ? p.response_latency() : p.latency();
    }
    struct Ports {
        Many<Responder<Mem>> cpu_side {from<&Params::inputs>,
                                       {.depth = from<&Params::queue>,
                                        .latency = &of_responses,
                                        .rate = &wire,
                                        .clock = from<&Params::clock>,
                                        .hints = true},
                                       "Requesters"};
        Many<Requester<Mem>> mem_side {from<&Params::outputs>,
                                       {.depth = from<&Params::outstanding>,
                                        .latency = &least_latency_of_requests,
                                        .rate = &request_wire,
                                        .clock = from<&Params::clock>},
                                       "Slices"};
    };
    struct Stats {
        Counter requests {Unit::count, "Requests sent to a slice, including hints"};
        Counter hints_dropped {
            Unit::count,
            "Hints dropped because the buffer was full or the slice does not accept hints"};
        Counter request_bytes {Unit::byte, "Bytes of requests sent to a slice, including headers"};
        Counter responses {Unit::count, "Responses sent to a requester"};
        Counter response_bytes {Unit::byte,
                                "Bytes of responses sent to a requester, including headers"};
        PerSecond request_bandwidth {request_bytes, "Bytes of requests per second"};
        PerSecond response_bandwidth {response_bytes, "Bytes of responses per second"};
        Each<Counter> slice_requests {from<&Params::outputs>, Unit::count,
                                      "Requests sent to this slice"};
        Each<BookedCycles> slice_busy {from<&Params::outputs>, Unit::cycle,
                                       "Cycles that requests occupied the port to this slice"};
        Each<Counter> slice_stalls {from<&Params::outputs>, Unit::count,
                                    "Times that a request was blocked by a full slice"};
        Each<BookedCycles> requester_busy {from<&Params::inputs>, Unit::cycle,
                                           "Cycles that responses occupied this port"};
        Each<Counter> requester_stalls {from<&Params::inputs>, Unit::count,
                                        "Times that a response was blocked at this port"};
        Each<Counter> pair_stalls {&limited_inputs, Unit::count,
                                   "Times that requests of this requester were stalled because "
                                   "too many to their slice waited for a response"};
        Each<Counter> request_link_cycles {&request_links, Unit::cycle,
                                           "Requests that have entered a shared link, in cycles of "
                                           "a port, by link, level by level"};
        Each<Counter> request_link_stalls {
            &request_links, Unit::count,
            "Times that a shared link delayed requests, by link, level by level"};
        Each<Counter> response_link_cycles {&response_links, Unit::cycle,
                                            "Responses that have entered a shared link, in cycles "
                                            "of a port, by link, level by level"};
        Each<Counter> response_link_stalls {
            &response_links, Unit::count,
            "Times that a shared link delayed responses, by link, level by level"};
    };
    struct State {
        Switch<protocol::MemRequest> requests;
        Switch<protocol::MemResponse> responses;
        std::vector<std::uint16_t> of_a_pair; ///< by input and output; empty without a limit
        std::vector<std::uint8_t> held_back;  ///< inputs whose first request waits for a response
        Timer next;
    };

    explicit Crossbar(const Params& p) : params(p), edges_(p.clock()) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.requests.held + state.responses.held != 0; }
    void check_loaded(Loader& l) const override;
    void waits_on(WaitReport& report) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;
    protocol::Traffic traffic(const PortBase& mine, unsigned hops) const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    std::int64_t move_requests(std::int64_t cycle);
    std::int64_t move_responses(std::int64_t cycle);
    bool admits(const protocol::MemRequest& r, std::uint32_t input, std::uint32_t output);
    bool drop_hints(Responder<Mem>& in, std::uint32_t input);
    void lay_out(const std::vector<GroupLevel>& levels);
    Tick send(const protocol::MemRequest& r, std::uint32_t output);

    EdgeFinder edges_;
    device_parts::HashedInterleave interleave_;
    device_parts::Divider width_;
    SharedLinks request_links_, response_links_;
    std::vector<std::uint32_t> group_of_; ///< by input; empty without a spread
    std::vector<Tick> further_; ///< by group and output: latency beyond that of the nearest
    std::vector<std::uint16_t> of_a_pair_; ///< the same: limits; empty: params.of_a_pair
    WireTime wire_;
};

} // namespace memsim::mem
