#pragma once

#include "core/component.hh"
#include "parts/cycle_slots.hh"
#include "parts/interleave.hh"
#include "parts/mshr.hh"
#include "parts/tag_array.hh"
#include "protocol/mem.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

/// What a write does in the cache. write_through: goes on below, and valid sectors stay valid;
/// write_evict: goes on below, and the sectors written are dropped (Fermi's L1 for global data);
/// write_back: stays here, dirty, until evicted.
enum class WritePolicy : std::uint8_t { write_through, write_evict, write_back };
constexpr std::array<std::string_view, 3> names_of(WritePolicy) {
    return {"write_through", "write_evict", "write_back"};
}

/// Why the first request of the queue cannot be served.
enum class CacheStall : std::uint8_t { none, mshrs, targets, mem_side, set };

/// One bank of a sectored, non-blocking cache: an L1, or a slice of an L2.
///
/// Requests are looked up in order, `accesses_per_cycle` a cycle. A hit is answered `latency`
/// later. A miss takes the victim's place at once (allocate on miss), writes its dirty sectors
/// back, sends a fetch for exactly its missing sectors, and waits in an MSHR; requests that find
/// their sectors on the way merge there. While a fetch is out later requests go on (hit under miss,
/// miss under miss); one that finds no MSHR, no target, no room below, or a set whose lines are all
/// being filled holds up those behind it. A fill answers all that it serves at once, `latency`
/// later: the array's write of a fill and the width of the data port are not modelled (the
/// crossbar's ports are). What goes below leaves in order through one queue, so no fetch overtakes
/// the write-back of its line; fills are always taken, so queues below cannot lock with it.
///
/// Atomics are performed by a write-back cache and passed on by the others, which drop their copy.
/// A write of whole sectors needs no fetch; one of a part of a sector fetches it first where the
/// cache is write-back. `invalidate` empties the cache of all that is clean.
/// Precondition: a request lies within one line. Not modelled: contents (a content store would
/// be told of fills, writes and evictions in fill(), write() and evict()), ECC, hashing of sets.
class Cache final : public Model<Cache> {
  public:
    struct Params {
        Param<Bytes> capacity {48_KiB, {32_B, 1_GiB}, "Data held (GTX 480 class L1: 48 KiB)"};
        Param<Bytes> line {128_B, {32_B, 4_KiB}, "What a tag stands for"};
        Param<Bytes> sector {32_B, {32_B, 4_KiB}, "What is fetched, valid and dirty by itself"};
        Param<unsigned> ways {6, {1, 65536}, "Lines of a set"};
        Param<parts::Replacement> replacement {parts::Replacement::lru, "Which line makes room"};
        Param<Time> latency {
            20_ns, {1_fs, 1_ms}, "From the lookup to the answer (assumption)", Change::tunable};
        Param<Time> miss_latency {
            1_fs, {1_fs, 1_ms}, "From the lookup to the next level's input", Change::tunable};
        Param<Frequency> clock {1.2_GHz, {1_MHz, 100_GHz}, "Clock of the tag port"};
        Param<unsigned> accesses_per_cycle {1, {1, 64}, "Requests looked up in a cycle"};
        Param<unsigned> mshrs {32, {1, 65536}, "Lines that may be on their way (assumption)"};
        Param<unsigned> targets {8, {1, 4096}, "Requests that may wait for one of them"};
        Param<WritePolicy> write_policy {WritePolicy::write_through, "What a write does"};
        Param<bool> write_allocate {false, "Whether a write that misses takes a line"};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to it"};
        Param<unsigned> mem_queue {16, {1, 65536}, "Messages waiting to go below"};
        Param<unsigned> outstanding {256, {1, 1 << 20}, "Messages below that wait for an answer"};
        Param<unsigned> interleave_ways {
            1, {1, 65536}, "Caches that share the addresses; this one sees every n-th chunk"};
        Param<Bytes> interleave_granularity {
            256_B, {1_B, 1_GiB}, "Chunk of that sharing: equal to the crossbar's"};
        Param<protocol::Stage> stage {protocol::Stage::l1, "Stage that a request's time here is"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>, .latency = from<&Params::latency>},
                                 "Requests from above"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::miss_latency>},
            "Fetches, write-backs and what is passed on"};
    };
    struct Stats {
        Counter accesses {Unit::count, "Reads, writes and atomics looked up or passed on"};
        Counter reads {Unit::count, "Reads among them"};
        Counter writes {Unit::count, "Writes among them"};
        Counter atomics {Unit::count, "Atomics among them"};
        Counter bytes {Unit::byte, "Bytes that they ask for"};
        Counter hits {Unit::count, "Accesses that found all their sectors"};
        Counter read_hits {Unit::count, "Reads among the hits"};
        Counter write_hits {Unit::count, "Writes among the hits"};
        Counter misses {Unit::count, "Accesses that did not find all their sectors, merged or not"};
        Counter merged {Unit::count, "Misses whose missing sectors were all on their way"};
        Counter sector_misses {Unit::count, "Misses that found their line without some sectors"};
        Counter sectors {Unit::count, "Sectors that accesses touch"};
        Counter read_sectors {Unit::count, "Those of reads"};
        Counter missed_sectors {Unit::count,
                                "Sectors needed that were neither here nor on their way"};
        Counter missed_read_sectors {Unit::count, "Those of reads"};
        Counter pending_sectors {Unit::count, "Sectors needed that were on their way"};
        Counter pending_read_sectors {Unit::count, "Those of reads"};
        Ratio miss_rate {misses, accesses, "Misses for each access"};
        Counter fetches {Unit::count, "Reads sent below"};
        Counter fetched_bytes {Unit::byte, "Bytes that they ask for"};
        Counter passed_on {Unit::count, "Writes and atomics passed on"};
        Counter evictions {Unit::count, "Lines that made room for another"};
        Counter writebacks {Unit::count, "Writes of dirty sectors sent below"};
        Counter written_back_bytes {Unit::byte, "Bytes in them"};
        Counter invalidations {Unit::count, "Times the cache was emptied of clean lines"};
        Counter stalled_by_mshrs {Unit::count, "Requests held up because no MSHR was free"};
        Counter stalled_by_targets {Unit::count, "Requests held up by an MSHR full of targets"};
        Counter stalled_by_mem_side {Unit::count, "Requests held up by the queue going below"};
        Counter stalled_by_set {Unit::count, "Requests held up as all lines were being filled"};
        Counter stall_time {Unit::time, "Time that the first request was held up"};
        Level mshrs_used {Unit::count, "MSHRs in use"};
        Distribution miss_latency {Unit::time, "From a miss to the last of its sectors"};
    };
    struct Target {
        protocol::MemRequest request;
        parts::SectorMask sectors = 0;
        bool fetched = false; ///< its stamps went below with the fetch
    };
    struct PassedOn {
        std::uint32_t tag = 0;
        std::uint16_t source = 0;
    };
    struct State {
        parts::TagArray tags;
        parts::MshrTable<Target> mshrs;
        parts::CycleSlots slots;
        Fifo<protocol::MemRequest> below; ///< waiting to go
        std::vector<PassedOn> passed_on;  ///< whose answers are expected
        std::vector<std::uint32_t> free_passed_on;
        std::uint64_t owed = 0;     ///< answers not yet given
        std::uint64_t fetching = 0; ///< bytes asked for below and not yet here
        CacheStall stall = CacheStall::none;
        Tick stalled_since = 0;
        Timer next_cycle;
    };

    explicit Cache(const Params& p) : params(p), clock_(p.clock()) {}
    void init() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    bool pending() const override { return state.owed != 0 || !state.below.empty(); }
    std::optional<std::string> imbalance() const override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    /// A request's place in the cache.
    struct Place {
        const protocol::MemRequest& request;
        std::uint64_t number; ///< of the line: its tag
        std::uint64_t set;
        std::uint32_t line; ///< index in the tags, or none
        parts::SectorMask touched;
        parts::SectorMask whole; ///< touched from end to end
        parts::SectorMask valid; ///< in its line
        bool found() const { return line != parts::TagArray::none; }
        bool hit() const { return (touched & ~valid) == 0; }
    };
    static constexpr CacheStall served = CacheStall::none;

    struct Touched {
        parts::SectorMask any, whole;
    };
    static constexpr unsigned mask_bits = std::countr_zero(protocol::sector_bytes);

    Place locate(const protocol::MemRequest& r) const;
    parts::SectorMask span(std::uint64_t address, std::uint32_t bytes) const;
    template <class M>
    Touched sectors(const M& m) const;
    std::uint32_t messages(parts::SectorMask m) const;
    template <class F>
    void for_each_message(parts::SectorMask m, F&& f) const;
    void aim(protocol::MemRequest& r, std::uint64_t line, unsigned first,
             parts::SectorMask m) const;
    // Each serves the request or says, having changed nothing, why it cannot be.
    CacheStall serve(const protocol::MemRequest& r);
    CacheStall read(const Place& p);
    CacheStall write(const Place& p);
    CacheStall miss(const Place& p);
    CacheStall pass_on(const Place& p);
    CacheStall invalidate(const protocol::MemRequest& r);

    void fill(const protocol::MemResponse& r);
    void evict(std::uint32_t line);
    void answer(const protocol::MemRequest& r, bool mark);
    void count(const Place& p);
    void count_missing(const protocol::MemRequest& r, parts::SectorMask missed,
                       parts::SectorMask pending);
    void note(CacheStall cause);
    bool room_below(std::uint32_t messages) const {
        return state.below.size() + messages <= params.mem_queue();
    }
    void queue_below(const protocol::MemRequest& r);
    void send_below(const protocol::MemRequest& r);
    bool write_back() const { return params.write_policy() == WritePolicy::write_back; }

    Clock clock_;
    unsigned line_bits_ = 0, sector_bits_ = 0;
    unsigned window_ = 0; ///< sectors that a message's mask can span
    parts::Interleave interleave_;
    parts::Divider sets_;
};

} // namespace memsim::mem
