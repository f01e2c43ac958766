#pragma once

#include "core/kernel/component.hh"
#include "core/observe/work.hh"
#include "core/state/free_list.hh"
#include "input_files/block_trace.hh"
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
/// allows, or those of a trace at their times.
///
/// Models        A request that cannot be sent at its time is sent as soon as possible; later
///               requests keep their own times. Random addresses are uniform over the range and
///               aligned to the size. A trace request larger than the maximum of a drive
///               (protocol::BlockRequest) is split into several commands at multiples of that size,
///               so that no two of them touch the same page. It is answered with its last command
///               and counted once. Latency includes the time that a request waits after it is due.
/// Guarantees    Every request is answered at the end of a complete run.
class BlockTraffic final : public Model<BlockTraffic>, public ReportsWork {
  public:
    struct Params {
        Param<BlockPattern> pattern {BlockPattern::random, "Order of the addresses"};
        Param<Time> period {0_fs,
                            {0_fs, 1_s},
                            "Time from one request to the next; 0: as fast as outstanding allows"};
        Param<unsigned> outstanding {
            16, {1, 65535}, "Maximum number of commands without a response"};
        Param<Fraction> read_share {100_pct, {0_pct, 100_pct}, "Share of reads among the requests"};
        Param<unsigned> sectors {8, {1, 1024}, "Sectors (512 B) of a request"};
        Param<unsigned> align {
            0, {0, 1u << 20}, "Alignment of random addresses in sectors; 0: the size of a request"};
        Param<std::uint64_t> base {0, {0, std::uint64_t {1} << 62}, "First sector of the traffic"};
        Param<std::uint64_t> range {1 << 20,
                                    {1, std::uint64_t {1} << 62},
                                    "Size of the address range in sectors, from the first one"};
        Param<std::uint64_t> requests {0,
                                       {0, std::uint64_t {1} << 62},
                                       "Number of requests; 0: unlimited, or all of the trace"};
        Param<Time> until {
            0_fs, {0_fs, 1_s * 3600}, "Time after which no request is sent; 0: no limit"};
        Param<std::string> trace {"", "Path of a block trace in MQSim's format (gzip, xz too)"};
        Param<Time> trace_unit {
            0_fs,
            {0_fs, 1_s},
            "Unit of the arrival times of a trace, which the file does not define: 1ns, 1us..."};
        Param<bool> from_first {true,
                                "Send the first request of the trace at once, not at its time"};
        Param<bool> fold {false,
                          "Wrap sectors of a trace beyond the range to the start of the range"};
        Param<bool> urgent {false, "Mark requests as urgent"};
        Param<Time> submission {
            50_ns, {1_fs, 1_ms}, "Latency of requests", assumed("doorbell and fetch over PCIe")};
        Param<Rate> host_rate {
            Rate {3'282'000'000},
            {1_MBps, 1000_GBps},
            "Rate of data to the drive: 4 lanes of 1 GB/s, 128 of 156 bytes payload"};
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
        Distribution latency {Unit::time, "Time from when a request was due to its response"};
        Distribution read_latency {Unit::time, "Time from when a read was due to its response"};
        Distribution write_latency {Unit::time, "Time from when a write was due to its response"};
        PerSecond bandwidth {bytes, "Bytes answered per second of simulated time"};
        PerSecond read_rate {reads, "Reads answered per second of simulated time"};
        PerSecond write_rate {writes, "Writes answered per second of simulated time"};
    };
    /// A started request without a response.
    struct Request {
        Tick due = 0;
        std::uint64_t bytes = 0;    ///< answered
        std::uint32_t commands = 0; ///< sent, without a response
        bool whole = false;         ///< all of its commands were sent
    };
    struct State {
        std::uint64_t sent = 0;   ///< complete requests
        std::uint64_t offset = 0; ///< of the next sequential request, in sectors
        Tick due = 1;             ///< time of the next request
        std::int64_t first = -1;  ///< arrival of the trace's first request
        bool ended = false;       ///< the trace has ended
        Rng rng;
        input_files::BlockTrace::Place place;
        input_files::BlockRecord record; ///< the next record of the trace
        protocol::BlockRequest rest;     ///< rest of the request being sent; empty if no sectors
        std::uint32_t sending = 0;       ///< index of that request
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
    bool is_endless() const override {
        return params.requests == 0 && params.until->raw == 0 &&
               params.pattern() != BlockPattern::trace;
    }
    void check_loaded(Loader& l) const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool more() const {
        return !state.ended && state.due != never &&
               (params.requests == 0 || state.sent < params.requests) &&
               (params.until->raw == 0 || std::max(state.due, now()) <= params.until->raw);
    }
    void answer(const protocol::BlockResponse& r);
    void read_record();
    void begin_request();
    void send_command();

    std::optional<input_files::BlockTrace> trace_;
};

} // namespace memsim::flash
