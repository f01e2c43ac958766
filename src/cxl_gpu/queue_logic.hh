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

/// How a request entered the memory queue.
enum class RequestPath : std::uint8_t { speculated, covered, halted, plain, store };
constexpr std::array<std::string_view, 5> names_of(RequestPath) {
    return {"speculated", "covered", "halted", "plain", "store"};
}
/// The lengths of speculative reads: those that two bits encode, and one line.
enum class SpecLength : std::uint8_t { one, two, three, four, line };
constexpr std::array<std::string_view, 5> names_of(SpecLength) {
    return {"256B", "512B", "768B", "1024B", "64B"};
}

/// The queue logic of a CXL root port, with speculative reads (CXL-GPU, 'Accelerating Reads with
/// Speculation').
///
/// Models        two queues. A load enters the queue of speculative reads (SR queue). The reader
///               processes it in order: if a recently issued range covers the load, nothing is
///               sent. Otherwise it adds a MemSpecRd (a Mem hint for 1 to 4 units of 256 bytes, or
///               for a line) to the memory queue as soon as there is room. A MemSpecRd has no
///               response and leaves the memory queue when it is sent. Loads move to the memory
///               queue in order, behind their speculative reads. A speculative read thus gains the
///               time for which its load waits for an entry. With `loads_at_once` loads also wait
///               in the memory queue, and stores and speculative reads overtake them. A load or
///               store keeps its entry until its answer. Stores enter the memory queue directly. A
///               hint from the GPU becomes a speculative read of its units if the memory queue has
///               room. `read_ahead` chooses the bytes to read ahead; LoadControl adapts them to the
///               load that responses report. A posted store is sent as an answered one, so that its
///               entry can be freed; the answer ends here.
/// Ordering      One address: see MemoryQueue. Loads that wait for a store to their line are
///               overtaken by others. A store waits for loads of its line in both queues, and later
///               requests wait behind it.
/// Not modelled  The area of the comparators. The look-up takes the same time for all requests, as
///               part of `latency`.
class QueueLogic final : public Model<QueueLogic>, public Functional {
  public:
    struct Params {
        Param<PolicyName<ReadAhead>> read_ahead {"window",
                                                 "Choice of the bytes to read ahead for a load",
                                                 stated("CXL-GPU, evaluation: cxl-sr")};
        Param<unsigned> memory_queue {
            32, {1, 4096}, "Entries of the memory queue", stated("CXL-GPU: 32")};
        Param<unsigned> sr_queue {
            32, {1, 4096}, "Entries of the queue of speculative reads", stated("CXL-GPU: 32")};
        Param<unsigned> least_sr_queue {8,
                                        {1, 4096},
                                        "Entries of the SR queue used at the smallest granularity",
                                        assumed("equal to sr_queue: always all"),
                                        at_most(sr_queue)};
        Param<unsigned> loads_at_once {
            0,
            {0, 4096},
            "Loads that are sent to the endpoint and not answered; further loads wait in the "
            "memory queue, and stores and speculative reads overtake them; 0: no limit",
            assumed("the endpoint accepts all that its link delivers")};
        Param<unsigned> ring {
            32, {1, 4096}, "Issued ranges that are remembered", assumed("as the queues")};
        Param<Bytes> most {1024_B,
                           {256_B, 1024_B},
                           "Largest granularity of speculative reads",
                           stated("CXL-GPU"),
                           multiple_of(256_B)};
        Param<Bytes> least {256_B,
                            {256_B, 1024_B},
                            "Smallest granularity of speculative reads, and the initial one",
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
                             assumed("a cycle of the GPU"),
                             Change::tunable};
        Param<Time> answer_latency {
            1_fs, {1_fs, 1_us}, "Latency of answers", Change::tunable, least_latency()};
        Param<unsigned> queue {
            16, {1, 65536}, "Requests queued or in flight to this component", queue_places()};
        Param<unsigned> reports {
            64, {1, 65536}, "Load reports queued or in flight to this component", queue_places()};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>,
                                  .latency = from<&Params::answer_latency>,
                                  .hints = true},
                                 "Loads, stores and hints from the host bridge"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::memory_queue>, .latency = from<&Params::latency>},
            "The root port"};
        Optional<In<protocol::DeviceLoad>> telemetry {{.depth = from<&Params::reports>},
                                                      "Load reported with each response"};
    };
    struct Stats {
        Each<Counter, RequestPath> requests {Unit::count,
                                             "Requests by their path into the memory queue"};
        Each<Counter, SpecLength> speculative_reads {Unit::count,
                                                     "Speculative reads by length in units"};
        Counter hints {Unit::count, "Hints that became speculative reads"};
        Counter hints_dropped {Unit::count,
                               "Hints dropped: bytes read ahead already, no room, speculative "
                               "reads halted, or none accepted by the root port"};
        Counter speculative_bytes {Unit::byte, "Bytes named by speculative reads"};
        Each<Counter, protocol::DevLoad> reports {Unit::count, "Responses that reported this load"};
        Counter halts {Unit::count, "Times that severe load halted speculative reads"};
        Level halted {Unit::count,
                      "Speculative reads halted (1 or 0; the mean is the share of time)"};
        Level sr_queue {Unit::count, "Loads in the queue of speculative reads"};
        Level memory_queue {Unit::count, "Entries of the memory queue in use"};
        Distribution sr_wait {Unit::time, "Time of a load in the queue of speculative reads"};
        Distribution lead {
            Unit::time,
            "Time from a speculative read's entry into the memory queue to that of its load"};
        Distribution read_latency {Unit::time, "Time from a load's acceptance to its answer"};
        Distribution write_latency {Unit::time, "Time from a store's acceptance to its answer"};
    };
    struct Waiting { ///< a load in the queue of speculative reads
        protocol::MemRequest request;
        Tick since = 0;
        Tick read_at = 0;                       ///< time at which its speculative read was issued
        RequestPath path = RequestPath::halted; ///< until the reader has processed it
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
    bool take_requests();
    bool accept(const protocol::MemRequest& r);
    bool issue_speculative_reads();
    void speculate(std::uint32_t load);
    void accept_hint(const protocol::MemRequest& hint);
    void issue(const SpecRead& ahead, std::uint16_t application);
    bool move_loads();
    bool send();
    void enqueue(const protocol::MemRequest& r, Tick since, RequestPath path);
    std::uint32_t usable() const;
    void count_levels();

    LoadControl::Rule rule_;
    std::vector<std::uint64_t> prior_, upcoming_; ///< scratch space of speculate()
};

} // namespace memsim::cxl_gpu
