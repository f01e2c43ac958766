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

/// Where a store went: to GPU memory and the endpoint, onto the stack in GPU memory, into an entry
/// that its line had, or, as the reserve was full, to the endpoint alone.
enum class StorePath : std::uint8_t { dual, stacked, merged, waited };
constexpr std::array<std::string_view, 4> names_of(StorePath) {
    return {"dual", "stacked", "merged", "waited"};
}
/// Who served a load: the reserve, the endpoint, or the one with what the other has not.
enum class LoadPath : std::uint8_t { reserve, endpoint, both };
constexpr std::array<std::string_view, 3> names_of(LoadPath) {
    return {"reserve", "endpoint", "both"};
}

/// Deterministic store (CXL-GPU, 'Deterministic Store for Precise Writes'), in front of one root
/// port.
///
/// A store is written into a line of the reserve in GPU memory, and is complete when that is done.
/// Unless another write to the endpoint has no answer, or the endpoint's load suspends writes, it
/// is sent there at the same time, and its entry is free with the answer. Otherwise the entry is on
/// the stack. The stack is emptied in the background, the newest first: the line is read from the
/// reserve and written to the endpoint. A store whose line has an entry goes into it; if it was on
/// its way to the endpoint, it is sent once more. With a full reserve a store of another line waits
/// for the endpoint's answer, also while writes are suspended.
///
/// Load of `suspend_at` and above suspends writes; each `poll` it is seen whether it has fallen. If
/// no response has told since, one line of the stack is written to learn it.
///
/// A load looks for its line in the list first, which takes `level_time` for each level of a
/// balanced tree; look-ups are pipelined. If every sector that it asks for was stored whole, it is
/// served from the reserve; if none was stored, by the endpoint; else both are read, and what was
/// stored is laid over what the endpoint has. An atomic is the endpoint's: it waits, and all behind
/// it, until its line has left the reserve.
///
/// The order of one address: requests are looked up in order and leave on both sides in the order
/// of their look-ups; local_side and mem_side keep the order of one address, as all that take
/// requests do; and while the endpoint lacks a byte its line has an entry, which no load passes.
///
/// What was stored in part of a sector is known byte by byte where the machine carries contents;
/// the timing takes such a sector as one that only the endpoint completes.
class DeterministicStore final : public Model<DeterministicStore>, public Functional {
  public:
    struct Params {
        Param<Bytes> line {
            64_B, {32_B, 128_B}, "Bytes of an entry", cited("CXL.mem: 64B"), power_of_two()};
        Param<Bytes> reserve_base {0_B, "Address of the reserve at local_side", multiple_of(line)};
        Param<Bytes> reserve {1_MiB,
                              {1_B, Bytes {std::int64_t {1} << 40}},
                              "Size of the reserve",
                              assumed("1/8 of 8MiB"),
                              multiple_of(line)};
        Param<Bytes> local_memory {
            0_B, "Size of the memory that has the reserve, which must fit; 0B: not checked"};
        Param<unsigned> entries {
            4096, {1, 1 << 20}, "Lines that the address list in SRAM can name", assumed()};
        Param<Time> level_time {
            1_ns, {0_fs, 1_us}, "Time of a look-up in one level of the tree", assumed()};
        Param<unsigned> flushes {8,
                                 {1, 4096},
                                 "Writes of the stack to the endpoint without an answer",
                                 assumed("the endpoint's bandwidth over its round trip")};
        Param<protocol::DevLoad> suspend_at {protocol::DevLoad::moderate,
                                             "Least load of the endpoint that suspends writes",
                                             assumed()};
        Param<Time> poll {
            1_us, {1_ns, 1_s}, "Time between two looks whether the load has fallen", assumed()};
        Param<Time> latency {1_fs, {1_fs, 1_us}, "Latency of answers", Change::tunable};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to this component"};
        Param<unsigned> requests {256, {2, 65536}, "Requests under way to either side"};
        Param<unsigned> reports {
            64, {1, 65536}, "Reports of the load waiting or in flight to this component"};
    };
    struct Ports {
        Responder<Mem> cpu_side {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests and hints of the host bridge"};
        Requester<Mem> mem_side {{.depth = from<&Params::requests>}, "The root port's queues"};
        Requester<Mem> local_side {{.depth = from<&Params::requests>},
                                   "The GPU's memory, for the reserve"};
        Optional<In<protocol::DeviceLoad>> telemetry {{.depth = from<&Params::reports>},
                                                      "The load that came with each response"};
    };
    struct Stats {
        Each<Counter, StorePath> stores {Unit::count, "Stores, by the way taken"};
        Each<Counter, LoadPath> loads {Unit::count, "Loads, by where they were served from"};
        Counter atomics {Unit::count, "Atomics, which the endpoint performs"};
        Counter hints {Unit::count, "Hints that were passed on"};
        Counter hints_dropped {Unit::count,
                               "Hints for which the root port had no room or takes none"};
        Counter flushes {Unit::count, "Lines of the stack written to the endpoint"};
        Counter probes {Unit::count, "Lines of the stack written to learn the load"};
        Each<Counter, protocol::DevLoad> reports {Unit::count, "Responses that reported this load"};
        Counter suspensions {Unit::count, "Times that the load suspended writes"};
        Level suspended {Unit::count, "Writes suspended: 1 or 0; the mean is the share of time"};
        Level reserve {Unit::count, "Lines of the reserve in use"};
        Level stacked {Unit::count, "Lines of the reserve that are on the stack"};
        Distribution store_latency {Unit::time, "Time from taking a store to its completion"};
        Distribution load_latency {Unit::time, "Time from taking a load to its answer"};
        Distribution flush_time {Unit::time,
                                 "Time from reading a line of the stack to the endpoint's answer"};
    };
    struct State {
        Reserve reserve;
        WriteGate gate;
        StoreJobs jobs;
        Fifo<std::uint32_t> to_write; ///< jobs whose line goes to the endpoint
        std::uint32_t writing = 0;    ///< writes to the endpoint without an answer
        Tick looked_up = 0;           ///< when the last look-up is over
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
