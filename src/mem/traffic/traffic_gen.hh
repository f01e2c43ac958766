#pragma once

#include "core/kernel/component.hh"
#include "core/observe/work.hh"
#include "mem/traffic/sent_requests.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

enum class Pattern : std::uint8_t { sequential, random };
constexpr std::array<std::string_view, 2> names_of(Pattern) { return {"sequential", "random"}; }

/// Sends requests to one memory: one every `period`, or as fast as answers and the memory's queue
/// allow. A request that could not be sent at its time is sent as soon as it can be, and those
/// after it keep their own times. Random addresses are uniform over the range, aligned to the size.
/// A trace is played by workload.TracePlayer.
/// Balance: every request is answered when a run has ended by itself.
class TrafficGen final : public Model<TrafficGen>, public ReportsWork {
  public:
    struct Params {
        Param<Pattern> pattern {Pattern::random, "Order of the addresses"};
        Param<Time> period {
            0_fs, {0_fs, 1_s}, "Time from one request to the next; 0: as fast as possible"};
        Param<unsigned> outstanding {64, {1, 65536}, "Requests without an answer, at most"};
        Param<Fraction> read_share {100_pct, {0_pct, 100_pct}, "Reads among the requests"};
        Param<unsigned> size {64, {1, 1u << 20}, "Bytes of a request"};
        Param<Bytes> base {
            0_B, {0_B, Bytes {std::int64_t {1} << 62}}, "First address of the traffic"};
        Param<Bytes> range {1_GiB,
                            {1_B, Bytes {std::int64_t {1} << 62}},
                            "Bytes that are touched, from the first address on",
                            at_least(size)};
        Param<std::uint64_t> requests {
            0, {0, std::uint64_t {1} << 62}, "Number of requests; 0: without end"};
    };
    struct Ports {
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>}, "Requests"};
    };
    struct Stats {
        SentStats sent;
    };
    struct State {
        std::uint64_t sent = 0;
        std::uint64_t offset = 0; ///< of the next sequential request
        Tick due = 1;             ///< when the next request is
        Rng rng;
        SentRequests::State requests;
        Timer next;
    };

    explicit TrafficGen(const Params& p) : params(p) {}
    void init() override;
    void start() override;
    void wake() override;
    bool pending() const override;
    std::vector<Work> work() const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool more() const { return params.requests == 0 || state.sent < params.requests; }
    void send_one();
    SentRequests requests() { return {state.requests, stat.sent, sim()}; }
};

} // namespace memsim::mem
