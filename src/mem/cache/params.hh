#pragma once

#include "core/base/clock.hh"
#include "core/declare/param.hh"
#include "parts/set_hash.hh"
#include "parts/tag_policy.hh"
#include "protocol/mem.hh"

#include <optional>

namespace memsim::mem {

/// What a write does in the cache. write_through: goes on below, and valid sectors stay valid;
/// write_evict: goes on below, and the sectors written are dropped (Fermi's L1 for global data);
/// write_back: stays here, dirty, until evicted.
enum class WritePolicy : std::uint8_t { write_through, write_evict, write_back };
constexpr std::array<std::string_view, 3> names_of(WritePolicy) {
    return {"write_through", "write_evict", "write_back"};
}

} // namespace memsim::mem

namespace memsim::mem::cache {

using namespace memsim::literals;

struct GeometryParams {
    using group = void;
    Param<Bytes> capacity {48_KiB, {32_B, 1_GiB}, "Data held", cited("GTX 480 class L1: 48 KiB")};
    Param<Bytes> line {128_B, {32_B, 512_B}, "Bytes that a tag stands for"};
    Param<Bytes> sector {
        32_B, {32_B, 512_B}, "Bytes that are fetched, valid and dirty by themselves"};
    Param<unsigned> ways {6, {1, 65536}, "Lines of a set"};
    Param<PolicyName<parts::TagPolicy>> replacement {"lru", "Which line of a set makes room"};
    Param<PolicyName<parts::SetHash>> set_hash {"linear", "The set in which a line lies"};
    Param<unsigned> interleave_ways {
        0,
        {0, 65536},
        "Caches that share the addresses; 0: as the crossbar above deals them out, or one"};
    Param<unsigned> interleave_index {
        0,
        {0, 65535},
        "Number of this cache among those that share the addresses; 0: as the crossbar above "
        "deals them out, or the first"};
    Param<Bytes> interleave_granularity {
        0_B,
        {0_B, 1_GiB},
        "Chunk in which addresses go round over the caches; 0: the crossbar's, or 256B"};
    static constexpr std::uint64_t usual_chunk = 256; ///< where nothing states one
};

struct TimingParams {
    using group = void;
    Param<Time> latency {
        20_ns, {1_fs, 1_ms}, "Time from the lookup to the answer", assumed(), Change::tunable};
    Param<Time> miss_latency {
        1_fs, {1_fs, 1_ms}, "Time from the lookup to the next level's input", Change::tunable};
    Param<Frequency> clock {1.2_GHz, {1_MHz, 100_GHz}, "Clock of tags and banks"};
    Param<unsigned> accesses_per_cycle {1, {1, 64}, "Requests looked up in a cycle"};
    Param<unsigned> banks {1, {1, 1024}, "Banks that lines go round over"};
    Param<unsigned> bank_ports {1, {1, 64}, "Accesses that a bank serves at once"};
    Param<unsigned> read_cycles {
        1, {1, 1024}, "Cycles that a read takes its bank", stated("ZnG table I: 1")};
    Param<unsigned> write_cycles {
        1,
        {1, 1024},
        "Cycles that a write takes its bank; the answer waits for the bank",
        stated("ZnG table I: 5 of STT-MRAM")};
    Param<bool> fill_port {false, "Whether fills have a port of their own and take no bank"};
};

struct WriteParams {
    using group = void;
    Param<WritePolicy> write_policy {WritePolicy::write_through, "What a write does"};
    Param<bool> write_allocate {false, "Whether a write that misses takes a line"};
    Param<bool> fetch_on_write {
        true,
        "Whether a sector that a write allocates in part is fetched at once, not when it is read",
        cited("Volta: not")};
    Param<unsigned> reserved_ways {0, {0, 65535}, "Ways of a set for lines that are written"};
    Param<bool> acknowledged_writebacks {
        false, "Whether lines written back to make room are answered, so that a flush waits for "
               "the answers, too, which cost their way"};
};

struct QueueParams {
    using group = void;
    static constexpr std::uint32_t most_lines = 16382;
    Param<unsigned> mshrs {
        32, {1, most_lines}, "MSHRs: misses that may be on their way", assumed()};
    Param<unsigned> mshr_lines {
        1,
        {1, 512},
        "Lines of an MSHR, consecutive and aligned: a miss has a mask of those that are fetched"};
    Param<unsigned> targets {8, {1, 4096}, "Requests that may wait for a line on its way"};
    Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to this component"};
    Param<unsigned> mem_queue {16, {1, 65536}, "Messages waiting to go below"};
    Param<unsigned> outstanding {256, {1, 1 << 20}, "Messages below that wait for an answer"};

    std::uint32_t lines_on_their_way() const { return mshrs() * mshr_lines(); }
};

struct HintParams {
    using group = void;
    Param<unsigned> hint_ports {0, {0, 256}, "Ports by which prefetch hints come"};
    Param<unsigned> hint_queue {16, {1, 65536}, "Hints waiting or in flight from each sender"};
    Param<unsigned> demand_mshrs {1, {0, 16382}, "MSHRs that hints leave free"};
};

struct WarmParams {
    using group = void;
    Param<Bytes> warm_base {0_B, "First address of what the cache holds at the start"};
    Param<Bytes> warm_bytes {0_B, "Bytes from `warm_base` that are valid and clean at the start"};
};

struct Params {
    GeometryParams geometry;
    TimingParams timing;
    WriteParams writes;
    QueueParams queues;
    HintParams hints;
    WarmParams warm;
    Param<unsigned> observers {0, {0, 16}, "Ports that are told of reads and evictions"};
    Param<unsigned> control_ports {
        0, {0, 256}, "Ports by which others flush, invalidate and reserve"};
    Param<Stage> stage {protocol::Stage::l1,
                        "Name of the stage that a request spends in this cache"};

    std::uint64_t line_bytes() const { return static_cast<std::uint64_t>(geometry.line->raw); }
    std::uint64_t sets() const {
        return static_cast<std::uint64_t>(geometry.capacity->raw) /
               (line_bytes() * geometry.ways());
    }
};

/// Why a cache of these parameters cannot be.
struct Fault {
    std::string parameter, why;
};
/// `victims`: whether victims are offered to what is below.
std::optional<Fault> fault_of(const Params& p, bool victims);

/// What the path of a request needs of the parameters, side by side.
struct Config {
    Config(const Params& p, bool victims);

    WritePolicy policy;
    bool allocates, fetches, fill_port, observed, managed, hinted, acknowledged, warm;
    bool victims; ///< whether what is below takes victims and claims (protocol/victims.hh)
    std::uint32_t mshrs, ways;
    std::int64_t read_cycles, write_cycles;
    bool write_back() const { return policy == WritePolicy::write_back; }
};

} // namespace memsim::mem::cache
