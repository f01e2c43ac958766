#pragma once

#include "core/kernel/component.hh"
#include "core/observe/work.hh"
#include "mem/traffic/sent_requests.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

enum class Pattern : std::uint8_t { sequential, random };
constexpr std::array<std::string_view, 2> names_of(Pattern) { return {"sequential", "random"}; }

/// Sends requests to one memory: one every `period`, or as fast as responses and the memory's queue
/// allow. A request that cannot be sent at its time is sent as soon as possible; later requests
/// keep their own times. Random addresses are uniform over the range and aligned to the size. To
/// play a trace use workload.TracePlayer.
///
/// Guarantees    Every request is answered at the end of a complete run.
class TrafficGen final : public Model<TrafficGen>, public ReportsWork {
  public:
    struct Params {
        Param<Pattern> pattern {Pattern::random, "Order of the addresses"};
        Param<Time> period {
            0_fs, {0_fs, 1_s}, "Time from one request to the next; 0: as fast as possible"};
        Param<unsigned> outstanding {
            64, {1, 65536}, "Maximum number of requests without a response"};
        Param<Fraction> read_share {100_pct, {0_pct, 100_pct}, "Share of reads among the requests"};
        Param<unsigned> size {64, {1, 1u << 20}, "Bytes of a request"};
        Param<Bytes> base {
            0_B, {0_B, Bytes {std::int64_t {1} << 62}}, "First address of the traffic"};
        Param<Bytes> range {1_GiB,
                            {1_B, Bytes {std::int64_t {1} << 62}},
                            "Size of the address range, from the first address",
                            at_least(size)};
        Param<std::uint64_t> requests {
            0, {0, std::uint64_t {1} << 62}, "Number of requests; 0: unlimited"};
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
        Tick due = 1;             ///< time of the next request
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
    bool is_endless() const override { return params.requests == 0; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool more() const {
        return state.due != never && (params.requests == 0 || state.sent < params.requests);
    }
    void send_one();
    SentRequests requests() { return {state.requests, stat.sent, sim()}; }
};

} // namespace memsim::mem
