#pragma once

#include "core/base/clock.hh"
#include "core/machine/functional.hh"
#include "protocol/mem.hh"

namespace memsim::link {

using namespace memsim::literals;
using protocol::Mem;

/// A PCI Express link between a host and a device. Memory requests of either side come in at one
/// end and leave at the other, their answers go back. The two directions share nothing: `up`
/// carries the device's requests and its answers to the host, `down` the host's and its answers to
/// the device.
///
/// A direction sends one packet at a time at generation x lanes, encoding subtracted. What crosses
/// is the packet's `overhead` and, for writes and answers to reads, the data. Neighbouring requests
/// that lie in one aligned block of `payload` bytes and follow each other share a packet, so a copy
/// in requests of 128 B fills packets of 256 B. Where answers and requests both wait they take
/// turns. A request is put on the wire when the receiving side has room for it (credits) and fewer
/// than `outstanding` of its side wait for an answer there; a hint that would have to wait for that
/// is dropped, and so is one for whom takes none. Writes are posted: the acknowledgement
/// that comes back to a sender who waits is the simulator's and takes no bandwidth.
/// Not modelled: DLLPs (acknowledgements, credits: a few per cent), replay, root complex and
/// switches beyond `latency`, ordering rules between reads and writes of one side (they stay in
/// order).
class Pcie final : public Model<Pcie>, public Functional {
  public:
    struct Params {
        Param<unsigned> generation {3, {1, 6}, "1 to 6: 2.5, 5, 8, 16, 32, 64 GT/s a lane"};
        Param<unsigned> lanes {16, {1, 32}, "Lanes of the link", power_of_two()};
        Param<Fraction> share {
            100_pct,
            {Fraction {1}, 100_pct},
            "Share of the link's rate that is this machine's: less where the machine "
            "is a slice of one that has the whole link"};
        Param<Bytes> payload {
            256_B, {64_B, 4_KiB}, "Data of a packet at most", assumed("256 B"), power_of_two()};
        Param<Bytes> overhead {24_B,
                               {8_B, 64_B},
                               "Framing, sequence number, header and LCRC of a packet: 5 to 7 "
                               "dwords (Intel AN 829), here 6"};
        Param<Time> latency {250_ns,
                             {1_fs, 1_ms},
                             "Latency of one direction, ports and root complex included",
                             assumed("a round trip of half a microsecond"),
                             Change::tunable};
        Param<unsigned> queue {
            64, {1, 65536}, "Requests waiting or in flight to this component, of a side"};
        Param<unsigned> outstanding {256,
                                     {1, 65536},
                                     "Requests of a side that the other has not answered",
                                     cited("8-bit tags")};
    };
    struct Ports {
        Optional<Responder<Mem>> from_host {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests of the host"};
        Optional<Requester<Mem>> to_device {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>},
            "Requests that leave the link for the device"};
        Optional<Responder<Mem>> from_device {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests of the device"};
        Optional<Requester<Mem>> to_host {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>},
            "Requests that leave the link for the host"};
    };
    struct Stats {
        Counter down_data {Unit::byte, "Data that crossed to the device"};
        Counter down_bytes {Unit::byte, "All bytes that crossed to the device, overhead included"};
        Counter down_packets {Unit::count, "Packets that crossed to the device"};
        ElapsedTime down_busy {"Time that this direction was taken"};
        Counter down_hints_dropped {Unit::count,
                                    "Hints to the device dropped: it had no room, or takes none"};
        Counter up_data {Unit::byte, "Data that crossed to the host"};
        Counter up_bytes {Unit::byte, "All bytes that crossed to the host, overhead included"};
        Counter up_packets {Unit::count, "Packets that crossed to the host"};
        ElapsedTime up_busy {"Time that this direction was taken"};
        Counter up_hints_dropped {Unit::count,
                                  "Hints to the host dropped: it had no room, or takes none"};
        PerSecond down_bandwidth {down_data, "Data to the device a second of simulated time"};
        PerSecond up_bandwidth {up_data, "Data to the host a second of simulated time"};
    };
    /// One direction: what is on the wire leaves it at free_at.
    struct Wire {
        Timer free;
        Tick free_at = 0;
        std::int64_t remainder = 0; ///< of bytes / rate
        bool busy = false;
        bool answers = false;                         ///< what is on the wire is an answer
        std::uint64_t continues = ~std::uint64_t {0}; ///< address at which its packet could go on
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

    /// Bytes a second of a direction, encoding subtracted.
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
    void run(Wire& wire, In& requests, Out& out, Out& answers, In& back, const Counters& count);
    template <class M>
    void put(Wire& wire, const M& message, bool answers, const Counters& count);

    WireTime wire_time_;
};

} // namespace memsim::link
