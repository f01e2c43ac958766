#pragma once

#include "core/base/clock.hh"
#include "core/machine/functional.hh"
#include "protocol/mem.hh"

namespace memsim::link {

using namespace memsim::literals;
using protocol::Mem;

/// A PCI Express link between a host and a device. Memory requests of either side enter at one end
/// and leave at the other; their responses return. The two directions are independent: `up` carries
/// the device's requests and its responses to the host, `down` the host's requests and its
/// responses to the device.
///
/// Models        A direction sends one packet at a time at the rate of generation x lanes, less the
///               encoding. A packet consists of `overhead` and, for writes and read responses, the
///               data. Consecutive requests within one aligned block of `payload` bytes share a
///               packet, so a copy in requests of 128 B fills packets of 256 B. Waiting responses
///               and requests are sent alternately. A request is sent when the receiver has space
///               (credits) and fewer than `outstanding` requests of its side wait for a response. A
///               hint that would have to wait, or that the receiver does not support, is dropped.
///               Writes are posted: the acknowledgement that the simulator returns to a waiting
///               sender uses no bandwidth.
/// Ordering      Requests of one side stay in order.
/// Not modelled  DLLPs (acknowledgements, credits: a few per cent), replay, root complex and
///               switches beyond `latency`, PCIe ordering rules between reads and writes.
class Pcie final : public Model<Pcie>, public Functional {
  public:
    struct Params {
        Param<unsigned> generation {3,
                                    {1, 6},
                                    "1 to 6: 2.5, 5, 8, 16, 32, 64 GT/s a lane",
                                    assumed("a slot of PCIe 3.0 x16")};
        Param<unsigned> lanes {
            16, {1, 32}, "Lanes of the link", power_of_two(), assumed("a slot of PCIe 3.0 x16")};
        Param<Fraction> share {100_pct,
                               {Fraction {1}, 100_pct},
                               "Share of the link's rate available to this machine: less than 100 "
                               "% if the machine is a slice of one that has the whole link",
                               assumed("the machine has the whole link")};
        Param<Bytes> payload {256_B,
                              {64_B, 4_KiB},
                              "Maximum amount of data in a packet",
                              assumed("a common host setting; range 128 to 512 B"),
                              power_of_two()};
        Param<Bytes> overhead {
            24_B,
            {8_B, 64_B},
            "Framing, sequence number, header and LCRC of a packet: 5 to 7 "
            "dwords (Intel AN 829), here 6",
            cited("Intel AN 829, section 1.1.1: 5 to 7 dwords a packet; here 6")};
        Param<Time> latency {250_ns,
                             {1_fs, 1_ms},
                             "Latency of one direction, including ports and root complex",
                             assumed("a round trip of half a microsecond; range 150 to 500 ns"),
                             Change::tunable};
        Param<unsigned> queue {64,
                               {1, 65536},
                               "Requests of one side waiting or in flight to this component",
                               queue_places()};
        Param<unsigned> outstanding {256,
                                     {1, 65536},
                                     "Requests of one side without a response of the other",
                                     cited("PCIe 3.0, section 2.2.6.2: tags of 8 bits")};
    };
    struct Ports {
        Optional<Responder<Mem>> from_host {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests from the host"};
        Optional<Requester<Mem>> to_device {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>},
            "Requests to the device"};
        Optional<Responder<Mem>> from_device {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests from the device"};
        Optional<Requester<Mem>> to_host {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>},
            "Requests to the host"};
    };
    struct Stats {
        Counter down_data {Unit::byte, "Data sent to the device"};
        Counter down_bytes {Unit::byte, "All bytes sent to the device, including overhead"};
        Counter down_packets {Unit::count, "Packets sent to the device"};
        ElapsedTime down_busy {"Time that this direction was busy"};
        Counter down_hints_dropped {
            Unit::count,
            "Hints to the device dropped because it had no space or does not accept hints"};
        Counter up_data {Unit::byte, "Data sent to the host"};
        Counter up_bytes {Unit::byte, "All bytes sent to the host, including overhead"};
        Counter up_packets {Unit::count, "Packets sent to the host"};
        ElapsedTime up_busy {"Time that this direction was busy"};
        Counter up_hints_dropped {
            Unit::count,
            "Hints to the host dropped because it had no space or does not accept hints"};
        PerSecond down_bandwidth {down_data, "Data to the device per second of simulated time"};
        PerSecond up_bandwidth {up_data, "Data to the host per second of simulated time"};
    };
    /// One direction; the message on the wire leaves it at free_at.
    struct Wire {
        Timer free;
        Tick free_at = 0;
        std::int64_t remainder = 0; ///< of bytes / rate
        bool busy = false;
        bool answers = false;                         ///< a response is on the wire
        std::uint64_t continues = ~std::uint64_t {0}; ///< next address that its packet can include
        protocol::MemRequest request;
        protocol::MemResponse answer;
    };
    struct State {
        Wire down, up;
    };

    explicit Pcie(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    bool pending() const override { return state.down.busy || state.up.busy; }
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    /// Bytes per second of one direction, less the encoding.
    static Rate rate(unsigned generation, unsigned lanes);

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    using In = Optional<Responder<Mem>>;
    using Out = Optional<Requester<Mem>>;
    struct Counters {
        Counter &data, &bytes, &packets;
        ElapsedTime& busy;
        Counter& hints_dropped;
    };
    void advance_direction(Wire& wire, In& requests, Out& out, Out& answers, In& back,
                           const Counters& count);
    template <class M>
    void start_transfer(Wire& wire, const M& message, bool answers, const Counters& count);

    WireTime wire_time_;
};

} // namespace memsim::link
