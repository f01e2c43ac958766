#pragma once

#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "cxl_gpu/issued_ring.hh"
#include "cxl_gpu/load_control.hh"
#include "cxl_gpu/memory_queue.hh"
#include "cxl_gpu/read_ahead.hh"
#include "protocol/device_load.hh"
#include "protocol/mem.hh"

namespace memsim::cxl_gpu {

using namespace memsim::literals;
using protocol::Mem;

/// How a request came into the memory queue.
enum class RequestPath : std::uint8_t { speculated, covered, halted, plain, store };
constexpr std::array<std::string_view, 5> names_of(RequestPath) {
    return {"speculated", "covered", "halted", "plain", "store"};
}
/// What a speculative read's two bits of length can say.
enum class SpecLength : std::uint8_t { one, two, three, four };
constexpr std::array<std::string_view, 4> names_of(SpecLength) {
    return {"256B", "512B", "768B", "1024B"};
}

/// The queue logic of a CXL root port, with speculative reads (CXL-GPU, 'Accelerating Reads with
/// Speculation').
///
/// A load enters the queue of speculative reads. The reader takes them in order: a load inside a
/// range that was read ahead, by the ring of the ranges issued last, needs nothing more; for any
/// other it puts a MemSpecRd (a Mem request that is a hint, of 1 to 4 units of 256 bytes) into the
/// memory queue, as soon as that has room. A MemSpecRd has no response, so it leaves the memory
/// queue when it is sent. Loads move on to the memory queue in order, behind the speculative reads
/// that are due: what a speculative read gains is the time that its load still waits for an entry.
/// A load or store keeps its entry until its answer. A store goes to the memory queue at once.
/// With `loads_at_once` loads also wait in the memory queue, passed by stores and speculative
/// reads.
///
/// The order of one address: see MemoryQueue. Loads of a queue that wait for a store of their line
/// are passed by others; a store waits for loads of its line in either queue, and all behind it
/// wait with it. A posted store is sent as one that is answered, so that its entry is known to be
/// free; the answer ends here.
///
/// A hint from above, of who knows what warps access next, is a speculative read of its units,
/// where the memory queue has room at once.
///
/// `read_ahead` says what is read ahead; LoadControl what the load that comes with each response
/// does to it. Not modelled: the area of the comparators; the look-up's time is the same for all
/// and part of `latency`.
class QueueLogic final : public Model<QueueLogic>, public Functional {
  public:
    struct Params {
        Param<PolicyName<ReadAhead>> read_ahead {"window", "Which bytes are read ahead for a load"};
        Param<unsigned> memory_queue {
            32, {1, 4096}, "Entries of the memory queue", stated("CXL-GPU: 32")};
        Param<unsigned> sr_queue {
            32, {1, 4096}, "Entries of the queue of speculative reads", stated("CXL-GPU: 32")};
        Param<unsigned> least_sr_queue {
            8,
            {1, 4096},
            "Entries of the SR queue that are used at the least granularity",
            assumed("the same as sr_queue: always all"),
            at_most(sr_queue)};
        Param<unsigned> loads_at_once {
            0,
            {0, 4096},
            "Loads that are sent to the endpoint and not answered; further loads wait in the "
            "memory queue, and stores and speculative reads pass them; 0: all loads of the queue",
            assumed("the endpoint takes all that its link brings")};
        Param<unsigned> ring {32, {1, 4096}, "Ranges read ahead that are remembered", assumed()};
        Param<Bytes> most {
            1024_B, {256_B, 1024_B}, "Greatest granularity", stated("CXL-GPU"), multiple_of(256_B)};
        Param<Bytes> least {256_B,
                            {256_B, 1024_B},
                            "Least granularity of speculative reads, and the first",
                            stated("CXL-GPU"),
                            multiple_of(256_B),
                            at_most(most)};
        Param<Bytes> step {256_B,
                           {256_B, 1024_B},
                           "Bytes by which the granularity grows or shrinks",
                           assumed(),
                           multiple_of(256_B)};
        Param<Time> period {
            200_ns, {1_fs, 1_ms}, "Time between two steps of the granularity", assumed()};
        Param<Time> latency {1_ns,
                             {1_fs, 1_us},
                             "Latency of the look-up, from the queues to the root port",
                             assumed(),
                             Change::tunable};
        Param<Time> answer_latency {1_fs, {1_fs, 1_us}, "Latency of answers", Change::tunable};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to this component"};
        Param<unsigned> reports {
            64, {1, 65536}, "Reports of the load waiting or in flight to this component"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>,
                                  .latency = from<&Params::answer_latency>,
                                  .hints = true},
                                 "Loads, stores and hints of the host bridge"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::memory_queue>, .latency = from<&Params::latency>},
            "The root port"};
        Optional<In<protocol::DeviceLoad>> telemetry {{.depth = from<&Params::reports>},
                                                      "The load that came with each response"};
    };
    struct Stats {
        Each<Counter, RequestPath> requests {Unit::count, "Requests that took this path"};
        Each<Counter, SpecLength> speculative_reads {Unit::count,
                                                     "Speculative reads of this length"};
        Counter hints {Unit::count, "Hints from above that became speculative reads"};
        Counter hints_dropped {Unit::count,
                               "Hints from above that were dropped: read ahead already, no room, a "
                               "halt, or nobody below who takes any"};
        Counter speculative_bytes {Unit::byte, "Bytes that speculative reads named"};
        Each<Counter, protocol::DevLoad> reports {Unit::count, "Responses that reported this load"};
        Counter halts {Unit::count, "Times that severe load halted speculative reads"};
        Level halted {Unit::count,
                      "Speculative reads halted: 1 or 0; the mean is the share of time"};
        Level sr_queue {Unit::count, "Loads in the queue of speculative reads"};
        Level memory_queue {Unit::count, "Entries of the memory queue in use"};
        Distribution sr_wait {Unit::time, "Time of a load in the queue of speculative reads"};
        Distribution lead {
            Unit::time, "Time from putting a speculative read into the memory queue to its load"};
        Distribution read_latency {Unit::time, "Time from taking a load to its answer"};
        Distribution write_latency {Unit::time, "Time from taking a store to its answer"};
    };
    struct Waiting { ///< a load in the queue of speculative reads
        protocol::MemRequest request;
        Tick since = 0;
        Tick read_at = 0;                       ///< when its speculative read was issued
        RequestPath path = RequestPath::halted; ///< until the reader has taken it
    };
    struct State {
        Policy<ReadAhead> read_ahead;
        LoadControl control;
        IssuedRing ring;
        Fifo<Waiting> sr_queue;
        MemoryQueue memory_queue;
    };

    explicit QueueLogic(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void profile();
    void answer(const protocol::MemResponse& r);
    bool take();
    bool accept(const protocol::MemRequest& r);
    bool read();
    void speculate(std::uint32_t load);
    void foresee(const protocol::MemRequest& hint);
    void issue(const SpecRead& ahead, std::uint16_t application);
    bool move_loads();
    bool send();
    void enter(const protocol::MemRequest& r, Tick since, RequestPath path);
    std::uint32_t usable() const;
    void count_levels();

    LoadControl::Rule rule_;
    std::vector<std::uint64_t> prior_, upcoming_; ///< scratch of speculate()
};

} // namespace memsim::cxl_gpu
