#pragma once

#include "core/kernel/component.hh"
#include "core/observe/work.hh"
#include "core/state/free_list.hh"
#include "files/block_trace.hh"
#include "protocol/block_io.hh"

#include <optional>

namespace memsim::flash {

using namespace memsim::literals;
using protocol::BlockIo;

enum class BlockPattern : std::uint8_t { sequential, random, trace };
constexpr std::array<std::string_view, 3> names_of(BlockPattern) {
    return {"sequential", "random", "trace"};
}

/// Sends block requests to one queue of a drive: one every `period`, or as many as `outstanding`
/// allows, or those of a trace at their times. A request that could not be sent at its time is sent
/// as soon as it can be, and those after it keep their own times. Random addresses are uniform over
/// the range, aligned to the size.
/// A request of a trace that is larger than a drive takes at once (protocol::BlockRequest) is sent
/// as several commands, cut at multiples of that size, so that no page is touched by two of them;
/// it is answered with the last of them and counted once.
/// Latency is counted from the time when a request was due: what waits for the queue has waited.
/// Balance: every request is answered when a run has ended by itself.
class BlockTraffic final : public Model<BlockTraffic>, public ReportsWork {
  public:
    struct Params {
        Param<BlockPattern> pattern {BlockPattern::random, "Order of the addresses"};
        Param<Time> period {0_fs,
                            {0_fs, 1_s},
                            "Time from one request to the next; 0: as fast as outstanding allows"};
        Param<unsigned> outstanding {16, {1, 65535}, "Commands without an answer, at most"};
        Param<Fraction> read_share {100_pct, {0_pct, 100_pct}, "Reads among the requests"};
        Param<unsigned> sectors {8, {1, 1024}, "Sectors (512 B) of a request"};
        Param<unsigned> align {
            0,
            {0, 1u << 20},
            "Random addresses are multiples of so many sectors; 0: of a request's"};
        Param<std::uint64_t> base {0, {0, std::uint64_t {1} << 62}, "First sector of the traffic"};
        Param<std::uint64_t> range {1 << 20,
                                    {1, std::uint64_t {1} << 62},
                                    "Sectors that are touched, from the first one on"};
        Param<std::uint64_t> requests {0,
                                       {0, std::uint64_t {1} << 62},
                                       "Number of requests; 0: without end, or all of the trace"};
        Param<Time> until {0_fs, {0_fs, 1_s * 3600}, "No request is sent after that; 0: no limit"};
        Param<std::string> trace {"", "Path of a block trace in MQSim's format (gzip, xz too)"};
        Param<Time> trace_unit {
            0_fs,
            {0_fs, 1_s},
            "Unit of time in which a trace states arrivals, where the file does not: 1ns, 1us..."};
        Param<bool> from_first {true, "The trace's first request comes at once, not at its time"};
        Param<bool> fold {false, "A trace's sectors beyond the range begin again at its start"};
        Param<bool> urgent {false, "Requests go before those that are not"};
        Param<Time> submission {
            50_ns, {1_fs, 1_ms}, "Latency of requests", assumed("doorbell and fetch over PCIe")};
        Param<Rate> host_rate {Rate {3'282'000'000},
                               {1_MBps, 1000_GBps},
                               "Data to the drive: 4 lanes of 1 GB/s, 128 of 156 bytes payload"};
    };
    struct Ports {
        Requester<BlockIo> drive {{.depth = from<&Params::outstanding>,
                                   .latency = from<&Params::submission>,
                                   .rate = from<&Params::host_rate>},
                                  "Requests"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads answered"};
        Counter writes {Unit::count, "Writes answered"};
        Counter bytes {Unit::byte, "Bytes of reads and writes answered"};
        Distribution latency {Unit::time, "Time from when a request was due to its answer"};
        Distribution read_latency {Unit::time, "Time from when a read was due to its answer"};
        Distribution write_latency {Unit::time, "Time from when a write was due to its answer"};
        PerSecond bandwidth {bytes, "Bytes answered a second of simulated time"};
        PerSecond read_rate {reads, "Reads answered a second of simulated time"};
        PerSecond write_rate {writes, "Writes answered a second of simulated time"};
    };
    /// One that was begun and is not answered.
    struct Request {
        Tick due = 0;
        std::uint64_t bytes = 0;    ///< answered
        std::uint32_t commands = 0; ///< sent, not answered
        bool whole = false;         ///< all of its commands are sent
    };
    struct State {
        std::uint64_t sent = 0;   ///< requests, whole
        std::uint64_t offset = 0; ///< of the next sequential request, in sectors
        Tick due = 1;             ///< when the next request is
        std::int64_t first = -1;  ///< arrival of the trace's first request
        bool ended = false;       ///< the trace has
        Rng rng;
        files::BlockTrace::Place place;
        files::BlockRecord record;   ///< the next of the trace
        protocol::BlockRequest rest; ///< of the request that is being sent; no sectors: none is
        std::uint32_t sending = 0;   ///< its place
        std::vector<Request> requests;
        FreeList free_requests;
        std::vector<std::uint32_t> request_of; ///< by tag
        FreeList free_tags;
        Timer next;
    };

    explicit BlockTraffic(const Params& p) : params(p) {}
    void init() override;
    std::vector<std::string> inputs() const override;
    void start() override;
    void wake() override;
    bool pending() const override;
    std::vector<Work> work() const override;
    void check_loaded(Loader& l) const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool more() const {
        return !state.ended && (params.requests == 0 || state.sent < params.requests) &&
               (params.until->raw == 0 || std::max(state.due, now()) <= params.until->raw);
    }
    void answer(const protocol::BlockResponse& r);
    void read_record();
    void begin_request();
    void send_command();

    std::optional<files::BlockTrace> trace_;
};

} // namespace memsim::flash
