#pragma once

#include "core/base/clock.hh"
#include "core/declare/param.hh"
#include "device_parts/tag_policy.hh"
#include "mem/cache/lines/set_hash.hh"
#include "mem/fault.hh"
#include "protocol/mem.hh"

#include <optional>

namespace memsim::mem {

/// Treatment of writes. write_through: forwards the write and keeps valid sectors valid.
/// write_evict: forwards the write and drops the written sectors (Fermi's L1 for global data).
/// write_back: keeps the data, dirty, until the line is evicted.
enum class WritePolicy : std::uint8_t { write_through, write_evict, write_back };
constexpr std::array<std::string_view, 3> names_of(WritePolicy) {
    return {"write_through", "write_evict", "write_back"};
}

} // namespace memsim::mem

namespace memsim::mem::cache {

using namespace memsim::literals;

struct GeometryParams {
    using group = void;
    Param<Bytes> capacity {48_KiB,
                           {32_B, 1_GiB},
                           "Capacity for data",
                           cited("GPGPU-Sim, SM2_GTX480/gpgpusim.config: gpgpu_cache:dl1 64:128:6 "
                                 "where the L1 is preferred")};
    Param<Bytes> line {128_B,
                       {32_B, 512_B},
                       "Size of a line, the range of a tag",
                       cited("mt4g, sample_results, V100, A100 and H100: line size 128")};
    Param<Bytes> sector {32_B,
                         {32_B, 512_B},
                         "Size of a sector, which is fetched, valid and dirty independently",
                         cited("mt4g, sample_results, V100, A100 and H100: fetch granularity 32")};
    Param<unsigned> ways {6, {1, 65536}, "Ways of a set", assumed("48 KiB in 64 sets")};
    Param<PolicyName<device_parts::TagPolicy>> replacement {
        "lru", "Policy that selects the line to evict", usual_policy()};
    Param<PolicyName<SetHash>> set_hash {"linear", "Policy that maps lines to sets",
                                         usual_policy()};
    Param<unsigned> interleave_ways {
        0,
        {0, 65536},
        "Caches that share the addresses; 0: as distributed by the crossbar above, or one",
        from_wiring()};
    Param<unsigned> interleave_index {0,
                                      {0, 65535},
                                      "Index of this cache among those that share the addresses; "
                                      "0: as distributed by the crossbar above, or the first",
                                      from_wiring()};
    Param<Bytes> interleave_granularity {
        0_B,
        {0_B, 1_GiB},
        "Chunk of the interleaving of addresses over the caches; 0: the crossbar's, or 256B",
        from_wiring()};
    Param<unsigned> hash_rounds {
        0, {0, 4096}, "Rounds in which a hash deals addresses, as of mem.Crossbar", from_wiring()};
    static constexpr std::uint64_t usual_chunk = 256; ///< default without a crossbar
};

struct TimingParams {
    using group = void;
    Param<Time> latency {20_ns,
                         {1_fs, 1_ms},
                         "Time from the lookup to the response",
                         assumed("tens of cycles of a GPU's L1; range 10 to 40 ns"),
                         Change::tunable};
    Param<Time> miss_latency {1_fs,
                              {1_fs, 1_ms},
                              "Time from the lookup to the next level's input",
                              Change::tunable,
                              least_latency()};
    Param<Frequency> clock {1.2_GHz,
                            {1_MHz, 100_GHz},
                            "Clock of tags and banks",
                            stated("Ohm-GPU table I, ZnG table I: 1.2 GHz")};
    Param<unsigned> accesses_per_cycle {
        1, {1, 64}, "Requests looked up in a cycle", assumed("one port")};
    Param<unsigned> banks {
        1, {1, 1024}, "Banks over which lines are interleaved", assumed("one port")};
    Param<unsigned> bank_ports {
        1, {1, 64}, "Ports of a bank, each serving one access at a time", assumed("one port")};
    Param<unsigned> read_cycles {
        1, {1, 1024}, "Cycles that a read occupies its bank", stated("ZnG table I: 1")};
    Param<unsigned> write_cycles {
        1,
        {1, 1024},
        "Cycles that a write occupies its bank; the response waits for the bank",
        assumed("an SRAM; ZnG table I has 5 of STT-MRAM")};
    Param<unsigned> atomic_interval {
        1,
        {1, 1024},
        "Least cycles from an atomic to the next one that changes the same sector",
        assumed("an atomic unit as fast as its bank")};
    Param<unsigned> atomic_latency {
        0,
        {0, 4096},
        "Cycles from the lookup of an atomic to its response, in addition to those of a write",
        assumed("an atomic unit as fast as its bank")};
    Param<bool> fill_port {false, "Give fills a port of their own, so that they occupy no bank",
                           switched_off()};
};

struct WriteParams {
    using group = void;
    Param<WritePolicy> write_policy {WritePolicy::write_through, "Treatment of writes",
                                     assumed("an L1 of a GPU writes through")};
    Param<bool> write_allocate {false, "Allocate a line on a write miss",
                                assumed("an L1 of a GPU takes no line for a write")};
    Param<bool> fetch_on_write {
        true, "Fetch a partly written sector when the write allocates it, not when it is read",
        assumed("a sector is complete once it is present; GPGPU-Sim's SM7_QV100 fetches it when it "
                "is read")};
    Param<unsigned> reserved_ways {
        0, {0, 65535}, "Ways of a set reserved for written lines", switched_off()};
    Param<bool> acknowledged_writebacks {
        false,
        "Acknowledge write-backs of evicted lines. A flush then waits for the "
        "acknowledgements, which use crossbar bandwidth",
        switched_off()};
};

struct QueueParams {
    using group = void;
    static constexpr std::uint32_t most_lines = 16382;
    Param<unsigned> mshrs {32,
                           {1, most_lines},
                           "MSHRs: maximum number of outstanding misses",
                           assumed("no source gives it; range 16 to 256")};
    Param<unsigned> mshr_lines {
        1,
        {1, 512},
        "Lines of an MSHR, consecutive and aligned; a mask selects the lines that are fetched",
        assumed("an MSHR for each line")};
    Param<unsigned> targets {8, {1, 4096}, "Requests that may wait for one line", queue_places()};
    Param<unsigned> queue {
        16, {1, 65536}, "Requests waiting or in flight to this component", queue_places()};
    Param<unsigned> mem_queue {
        16, {1, 65536}, "Messages queued for the next level", queue_places()};
    Param<unsigned> outstanding {
        256, {1, 1 << 20}, "Messages to the next level without a response", queue_places()};

    std::uint32_t lines_on_their_way() const { return mshrs() * mshr_lines(); }
};

struct HintParams {
    using group = void;
    Param<unsigned> hint_ports {0, {0, 256}, "Ports for prefetch hints", from_wiring()};
    Param<unsigned> hint_queue {
        16, {1, 65536}, "Hints waiting or in flight from each sender", queue_places()};
    Param<unsigned> demand_mshrs {1,
                                  {0, 16382},
                                  "MSHRs kept free of hints",
                                  assumed("a hint alone never stalls a miss; range 0 to 16")};
};

struct WarmParams {
    using group = void;
    Param<Bytes> warm_base {0_B, "First address of the initial contents", assumed("a cold cache")};
    Param<Bytes> warm_bytes {0_B, "Size of the initial contents, valid and clean from `warm_base`",
                             assumed("a cold cache")};
};

struct PartitionParams {
    using group = void;
    Param<unsigned> partitions {0,
                                {0, 2},
                                "Partitions of the L2 that this cache is a slice of; 0: one, "
                                "without a link between partitions",
                                switched_off()};
    Param<unsigned> partition {0,
                               {0, 1},
                               "Partition of this slice; the first half of the requesters above "
                               "the crossbar belongs to partition 0",
                               from_wiring()};
    Param<Time> far_latency {100_ns,
                             {1_fs, 1_ms},
                             "Time that a request from the other partition and its response take "
                             "on the link",
                             assumed("about as long as a hit in the own partition takes"),
                             Change::tunable};
    Param<Bytes> far_width {16_B,
                            {1_B, 4_KiB},
                            "Bytes that the link carries per cycle and slice in each direction",
                            assumed("a quarter of a slice's port")};
    Param<unsigned> far_queue {
        128, {1, 65536}, "Responses that may wait or be in flight on the link", queue_places()};
};

struct Params {
    GeometryParams geometry;
    TimingParams timing;
    WriteParams writes;
    QueueParams queues;
    HintParams hints;
    WarmParams warm;
    PartitionParams partition;
    Param<unsigned> observers {
        0, {0, 16}, "Ports that report reads and evictions to observers", from_wiring()};
    Param<unsigned> control_ports {
        0, {0, 256}, "Ports for flush, invalidate and reserve commands", from_wiring()};
    Param<Stage> stage {protocol::Stage::l1,
                        "Name of the latency stage for time spent in this cache", example_value()};

    std::uint64_t line_bytes() const { return static_cast<std::uint64_t>(geometry.line->raw); }
    std::uint64_t sets() const {
        return static_cast<std::uint64_t>(geometry.capacity->raw) /
               (line_bytes() * geometry.ways());
    }
};

/// `victims`: whether the component below accepts victims.
std::optional<Fault> fault_of(const Params& p, bool victims);

/// Parameters on the path of a request, in one cache line.
struct Config {
    Config(const Params& p, bool victims);

    WritePolicy policy;
    bool allocates, fetches, fill_port, observed, managed, hinted, acknowledged, warm;
    bool victims; ///< whether the component below accepts victims and claims (protocol/victims.hh)
    std::uint32_t mshrs, ways;
    std::uint32_t demand_mshrs; ///< MSHRs kept free of hints
    std::int64_t read_cycles, write_cycles;
    bool write_back() const { return policy == WritePolicy::write_back; }
};

} // namespace memsim::mem::cache
