#pragma once

#include "core/kernel/component.hh"
#include "core/machine/functional.hh"
#include "cxl_gpu/reserve.hh"
#include "cxl_gpu/store_jobs.hh"
#include "cxl_gpu/write_gate.hh"
#include "protocol/mem.hh"

namespace memsim::cxl_gpu {

using namespace memsim::literals;
using protocol::Mem;

/// The path of a store: to GPU memory and the endpoint, onto the stack in GPU memory, into an
/// existing entry of its line, or, because the reserve was full, to the endpoint alone.
enum class StorePath : std::uint8_t { dual, stacked, merged, waited };
constexpr std::array<std::string_view, 4> names_of(StorePath) {
    return {"dual", "stacked", "merged", "waited"};
}
/// The source of a load: the reserve, the endpoint, or both combined.
enum class LoadPath : std::uint8_t { reserve, endpoint, both };
constexpr std::array<std::string_view, 3> names_of(LoadPath) {
    return {"reserve", "endpoint", "both"};
}

/// Deterministic store in front of a root port (CXL-GPU, 'Deterministic Store for Precise Writes').
///
/// Models        a store is written to a line of the reserve in GPU memory and completes when that
///               write is done. It is sent to the endpoint at the same time, unless another write
///               to the endpoint is outstanding or the endpoint's load suspends writes; its entry
///               is free when the endpoint answers. Otherwise the entry is pushed onto a stack,
///               which is emptied in the background, newest first: the line is read from the
///               reserve and written to the endpoint. A store to a line with an entry is merged
///               into it; a line already in transit to the endpoint is sent again. If the reserve
///               is full, a store to another line waits for the endpoint's answer, even while
///               writes are suspended.
///               Load of `suspend_at` or more suspends writes. Every `poll` the load is checked; if
///               no response has reported it since the last check, one line of the stack is written
///               to learn it.
///               A load first searches the list of lines, which takes `level_time` per level of a
///               balanced tree; searches are pipelined. It is served from the reserve if all
///               requested sectors were stored as a whole, and from the endpoint if none was
///               stored. Otherwise both are read and the stored bytes overlay the endpoint's.
///               Atomics are performed by the endpoint: an atomic, and all later requests, wait
///               until its line has left the reserve.
/// Ordering      Requests are searched in order and leave on both sides in that order. local_side
///               and mem_side keep the order of one address. While the endpoint lacks a byte, its
///               line has an entry, which no load bypasses.
/// Not modelled  Timing of partly stored sectors by byte: such a sector counts as one that only the
///               endpoint completes. If the machine carries contents, its stored bytes are tracked
///               individually.
class DeterministicStore final : public Model<DeterministicStore>, public Functional {
  public:
    struct Params {
        Param<Bytes> line {
            64_B, {32_B, 128_B}, "Bytes of an entry", cited("CXL 3.2, ch. 3.3"), power_of_two()};
        Param<Bytes> reserve_base {0_B, "Start address of the reserve at local_side",
                                   multiple_of(line), example_value()};
        Param<Bytes> reserve {1_MiB,
                              {1_B, Bytes {std::int64_t {1} << 40}},
                              "Size of the reserve",
                              assumed("1/8 of 8MiB"),
                              multiple_of(line)};
        Param<Bytes> local_memory {
            0_B, "Size of the memory that must contain the reserve (0B: not checked)",
            example_value()};
        Param<unsigned> entries {
            4096, {1, 1 << 20}, "Lines that the address list in SRAM can hold", assumed()};
        Param<Time> level_time {1_ns, {0_fs, 1_us}, "Search time per level of the tree", assumed()};
        Param<unsigned> flushes {8,
                                 {1, 4096},
                                 "Outstanding writes of the stack to the endpoint",
                                 assumed("the endpoint's bandwidth over its round trip")};
        Param<protocol::DevLoad> suspend_at {protocol::DevLoad::moderate,
                                             "Lowest load of the endpoint that suspends writes",
                                             assumed()};
        Param<Time> poll {
            1_us, {1_ns, 1_s}, "Time between checks whether the load has fallen", assumed()};
        Param<Time> latency {
            1_fs, {1_fs, 1_us}, "Latency of answers", Change::tunable, least_latency()};
        Param<unsigned> queue {
            16, {1, 65536}, "Requests queued or in flight to this component", queue_places()};
        Param<unsigned> requests {
            256, {2, 65536}, "Outstanding requests to both sides", queue_places()};
        Param<unsigned> reports {
            64, {1, 65536}, "Load reports queued or in flight to this component", queue_places()};
    };
    struct Ports {
        Responder<Mem> cpu_side {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests and hints from the host bridge"};
        Requester<Mem> mem_side {{.depth = from<&Params::requests>}, "The root port's queues"};
        Requester<Mem> local_side {{.depth = from<&Params::requests>},
                                   "The GPU's memory, for the reserve"};
        Optional<In<protocol::DeviceLoad>> telemetry {{.depth = from<&Params::reports>},
                                                      "Load reported with each response"};
    };
    struct Stats {
        Each<Counter, StorePath> stores {Unit::count, "Stores by path"};
        Each<Counter, LoadPath> loads {Unit::count, "Loads by source"};
        Counter atomics {Unit::count, "Atomics, which the endpoint performs"};
        Counter hints {Unit::count, "Hints forwarded"};
        Counter hints_dropped {Unit::count,
                               "Hints dropped because the root port had no room or accepts none"};
        Counter flushes {Unit::count, "Lines of the stack written to the endpoint"};
        Counter probes {Unit::count, "Lines of the stack written to learn the load"};
        Each<Counter, protocol::DevLoad> reports {Unit::count, "Responses that reported this load"};
        Counter suspensions {Unit::count, "Times that the load suspended writes"};
        Level suspended {Unit::count, "Writes suspended (1 or 0; the mean is the share of time)"};
        Level reserve {Unit::count, "Lines of the reserve in use"};
        Level stacked {Unit::count, "Lines of the reserve that are on the stack"};
        Distribution store_latency {Unit::time, "Time from a store's acceptance to its completion"};
        Distribution load_latency {Unit::time, "Time from a load's acceptance to its answer"};
        Distribution flush_time {Unit::time,
                                 "Time from reading a line of the stack to the endpoint's answer"};
    };
    struct State {
        Reserve reserve;
        WriteGate gate;
        StoreJobs jobs;
        Fifo<std::uint32_t> to_write; ///< jobs with a line for the endpoint
        std::uint32_t writing = 0;    ///< outstanding writes to the endpoint
        Tick looked_up = 0;           ///< end of the last search
        Timer poll;
    };

    explicit DeterministicStore(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    bool pending() const override { return state.reserve.size() != 0; }
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    std::vector<MemoryUse> memory_uses() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    using Kind = StoreJobs::Kind;
    using Job = StoreJobs::Job;

    void hear();
    bool accept(const protocol::MemRequest& r);
    bool load(const protocol::MemRequest& r);
    bool store(const protocol::MemRequest& r);
    bool through(const protocol::MemRequest& r);
    bool atomic(const protocol::MemRequest& r);
    bool flush();
    void start_flush();
    bool write_lines();
    void come_back(const protocol::MemResponse& r, bool reserved);

    void look_up(const protocol::MemRequest& r);
    void send(Requester<Mem>& side, protocol::MemRequest r, std::uint32_t tag);
    std::uint64_t line_of(std::uint64_t address) const { return address / line_; }
    std::uint32_t first_sector(const protocol::MemRequest& r) const;
    std::uint64_t place(std::uint32_t entry) const;
    protocol::MemRequest at(std::uint32_t entry, protocol::MemRequest r) const;

    std::uint64_t line_ = 0;
};

} // namespace memsim::cxl_gpu
