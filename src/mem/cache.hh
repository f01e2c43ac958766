#pragma once

#include "core/free_list.hh"
#include "core/functional.hh"
#include "mem/cache_contents.hh"
#include "parts/cycle_slots.hh"
#include "parts/interleave.hh"
#include "parts/mshr.hh"
#include "parts/set_index.hh"
#include "parts/tag_array.hh"
#include "protocol/cache_event.hh"
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
enum class CacheStall : std::uint8_t { none, mshrs, targets, mem_side, set, bank, flush };

/// A sectored, non-blocking cache: an L1, or a slice of an L2.
///
/// Requests are looked up in order, `accesses_per_cycle` a cycle, each in the bank of its line,
/// which it takes for `read_cycles` or `write_cycles`. A hit is answered `latency` later. A miss
/// takes the victim's place at once (allocate on miss), writes its dirty sectors back, sends one
/// fetch of exactly its missing sectors, and waits in an MSHR; requests that find their sectors on
/// the way merge there. While a fetch is out later requests go on (hit under miss, miss under
/// miss); one that finds its bank busy, no MSHR, no target, no room below, or a set whose lines are
/// all being filled holds up those behind it. A fill is taken when it comes, occupies its bank for
/// a write (unless there is a `fill_port`), and answers at once, `latency` later, all that it
/// serves. What goes below leaves in order through one queue, so no fetch overtakes the write-back
/// of its line; fills are always taken, so queues below cannot lock with it.
///
/// Atomics are performed by a write-back cache and passed on by the others, which drop their copy.
/// Reserved ways hold lines that were written, whatever the policy, until they are evicted or
/// flushed. Hints fetch what is missing if there is room, and are dropped if not.
/// Precondition: a request lies within one line. Not modelled: ECC, the width of the data ports.
/// Equations: docs/models/caches.md.
class Cache final : public Model<Cache>, public Functional {
  public:
    struct Params {
        Param<Bytes> capacity {48_KiB, {32_B, 1_GiB}, "Data held (GTX 480 class L1: 48 KiB)"};
        Param<Bytes> line {128_B, {32_B, 512_B}, "What a tag stands for"};
        Param<Bytes> sector {32_B, {32_B, 512_B}, "What is fetched, valid and dirty by itself"};
        Param<unsigned> ways {6, {1, 65536}, "Lines of a set"};
        Param<parts::Replacement> replacement {parts::Replacement::lru, "Which line makes room"};
        Param<parts::SetHash> set_hash {
            parts::SetHash::none, "How a line finds its set (xor_fold: Gonzalez et al., ICS 1997)"};
        Param<Time> latency {
            20_ns, {1_fs, 1_ms}, "From the lookup to the answer (assumption)", Change::tunable};
        Param<Time> miss_latency {
            1_fs, {1_fs, 1_ms}, "From the lookup to the next level's input", Change::tunable};
        Param<Frequency> clock {1.2_GHz, {1_MHz, 100_GHz}, "Clock of tags and banks"};
        Param<unsigned> accesses_per_cycle {1, {1, 64}, "Requests looked up in a cycle"};
        Param<unsigned> banks {1, {1, 1024}, "Lines go round over them"};
        Param<unsigned> bank_ports {1, {1, 64}, "Accesses that a bank serves at once"};
        Param<unsigned> read_cycles {
            1, {1, 1024}, "Cycles that a read takes its bank (ZnG table I: 1)"};
        Param<unsigned> write_cycles {
            1, {1, 1024}, "Those of a write; an answer waits for it (ZnG table I: 5 of STT-MRAM)"};
        Param<bool> fill_port {false, "Whether fills have a port of their own and take no bank"};
        Param<unsigned> mshrs {32, {1, 16382}, "Lines that may be on their way (assumption)"};
        Param<unsigned> targets {8, {1, 4096}, "Requests that may wait for one of them"};
        Param<WritePolicy> write_policy {WritePolicy::write_through, "What a write does"};
        Param<bool> write_allocate {false, "Whether a write that misses takes a line"};
        Param<bool> fetch_on_write {true, "Whether a sector that a write allocates in part is "
                                          "fetched at once, not when it is read (Volta: not)"};
        Param<unsigned> reserved_ways {0, {0, 65535}, "Ways of a set for lines that are written"};
        Param<Bytes> warm_base {0_B, "First address of what the cache holds at the start"};
        Param<Bytes> warm_bytes {0_B, "How much from there is valid and clean at the start"};
        Param<unsigned> queue {16, {1, 65536}, "Requests waiting or in flight to it"};
        Param<unsigned> mem_queue {16, {1, 65536}, "Messages waiting to go below"};
        Param<unsigned> outstanding {256, {1, 1 << 20}, "Messages below that wait for an answer"};
        Param<unsigned> hint_ports {0, {0, 256}, "Who may send prefetch hints"};
        Param<unsigned> hint_queue {16, {1, 65536}, "Hints waiting or in flight from each"};
        Param<unsigned> demand_mshrs {1, {0, 16382}, "MSHRs that hints leave free"};
        Param<unsigned> observers {0, {0, 16}, "Who is told of reads and evictions"};
        Param<bool> acknowledged_writebacks {
            false,
            "Whether lines written back to make room are answered, so that a flush waits for "
            "them, too; costs their answers' way"};
        Param<unsigned> control_ports {0, {0, 256}, "Who else may flush, invalidate and reserve"};
        Param<unsigned> interleave_ways {
            1, {1, 65536}, "Caches that share the addresses; this one sees every n-th chunk"};
        Param<unsigned> interleave_index {0, {0, 65535}, "Which of them it is, if warm"};
        Param<Bytes> interleave_granularity {
            256_B, {1_B, 1_GiB}, "Chunk of that sharing: equal to the crossbar's"};
        Param<Stage> stage {protocol::Stage::l1, "Stage that a request's time here is"};
    };
    struct Ports {
        Responder<Mem> cpu_side {{.depth = from<&Params::queue>, .latency = from<&Params::latency>},
                                 "Requests from above"};
        Requester<Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::miss_latency>},
            "Fetches, write-backs and what is passed on"};
        Many<In<protocol::Hint>> hints {from<&Params::hint_ports>,
                                        {.depth = from<&Params::hint_queue>},
                                        "What to prefetch, each within this cache's chunk"};
        Many<Responder<Mem>> control {
            from<&Params::control_ports>,
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>},
            "Commands for the cache itself: invalidate, flush, reserve"};
        Many<Out<protocol::CacheEvent>> events {
            from<&Params::observers>, {}, "Reads and evictions, for who takes them in at once"};
    };
    struct Stats {
        Counter accesses {Unit::count, "Reads, writes and atomics looked up or passed on"};
        Counter reads {Unit::count, "Reads among them"};
        Counter bytes {Unit::byte, "Bytes that they ask for"};
        Counter sectors {Unit::count, "Sectors that accesses touch"};
        Counter read_sectors {Unit::count, "Those of reads"};
        Counter misses {Unit::count, "Accesses that did not find all their sectors, merged or not"};
        Counter missed_sectors {Unit::count,
                                "Sectors of accesses that were neither here nor on their way"};
        Counter missed_read_sectors {Unit::count, "Those of reads"};
        Counter fetches {Unit::count, "Reads sent below"};
        Counter fetched_bytes {Unit::byte, "Bytes that they ask for"};
        Counter evictions {Unit::count, "Lines that made room for another"};
        Counter bank_busy {Unit::cycle, "Cycles that accesses and fills took of all banks"};
        Counter hits {Unit::count, "Accesses that found all their sectors"};
        Counter read_hits {Unit::count, "Reads among the hits"};
        Counter writes {Unit::count, "Writes among the accesses"};
        Counter write_hits {Unit::count, "Writes among the hits: of sectors valid or written here"};
        Counter atomics {Unit::count, "Atomics among the accesses"};
        Counter merged {Unit::count, "Misses whose missing sectors were all on their way"};
        Counter sector_misses {Unit::count, "Misses that found their line without some sectors"};
        Counter pending_sectors {Unit::count, "Sectors of accesses that were on their way"};
        Counter pending_read_sectors {Unit::count, "Those of reads"};
        Ratio miss_rate {misses, accesses, "Misses for each access"};
        Counter passed_on {Unit::count, "Writes and atomics passed on"};
        Counter writebacks {Unit::count, "Writes of dirty sectors sent below"};
        Counter written_back_bytes {Unit::byte, "Bytes in them"};
        Counter invalidations {Unit::count, "Times the cache was emptied of clean lines"};
        Counter flushes {Unit::count, "Times an application's lines were flushed"};
        Counter flushed_lines {Unit::count, "Lines that this emptied"};
        Counter kept_writes {Unit::count, "Writes that reserved ways took from another policy"};
        Counter hints {Unit::count, "Lines that hints named"};
        Counter hints_useless {Unit::count, "Those that were here or on their way"};
        Counter hints_dropped {Unit::count, "Those dropped for want of an MSHR, a way or room"};
        Counter prefetches {Unit::count, "Those fetched"};
        Counter prefetches_used {Unit::count, "Those that an access then asked for"};
        Counter prefetches_unused {Unit::count, "Those evicted or flushed before any did"};
        Counter stalled_by_mshrs {Unit::count, "Requests held up because no MSHR was free"};
        Counter stalled_by_targets {
            Unit::count, "Requests held up by an MSHR full of targets, or with data too old"};
        Counter stalled_by_mem_side {Unit::count, "Requests held up by the queue going below"};
        Counter stalled_by_set {Unit::count, "Requests held up as all lines were being filled"};
        Counter stalled_by_bank {Unit::count, "Requests held up by their bank"};
        Counter stalled_by_flush {Unit::count, "Requests held up by a flush"};
        Counter stall_time {Unit::time, "Time that the first request was held up"};
        Level mshrs_used {Unit::count, "MSHRs in use"};
        Distribution miss_latency {Unit::time, "From a miss to the last of its sectors"};
    };
    /// A request that waits in an MSHR: all that its answer needs.
    struct Target {
        protocol::MemResponse answer;
        parts::SectorMask sectors = 0;
        bool posted = false;  ///< nobody waits
        bool fetched = false; ///< its stamps went below with the fetch
    };
    struct PassedOn {
        std::uint32_t tag = 0;
        std::uint16_t source = 0;
        bool flushed = false; ///< a flush waits for it: the answer is for nobody above
        bool evicted = false; ///< as that, no flush
    };
    struct Late {
        Tick at = 0;
        protocol::MemResponse answer;
    };
    struct Flush {
        bool walking = false;
        std::uint64_t set = 0;     ///< the next to be looked at
        std::uint32_t unacked = 0; ///< write-backs that the level below has not answered
        std::uint32_t dropped = 0; ///< fetches that it dropped and that have not come
        std::uint32_t port = 0;    ///< where it came from: 0 cpu_side, else 1 + control port
        protocol::MemRequest request;
    };
    struct State { // what every access needs comes first, side by side
        CacheStall stall = CacheStall::none;
        std::uint32_t reserved = 0; ///< ways
        /// First line of the set that the first request waits for, as all of it is being filled.
        std::uint32_t full_set = parts::TagArray::none;
        std::uint64_t owed = 0;     ///< answers not yet given
        std::uint64_t fetching = 0; ///< bytes asked for below and not yet here
        parts::TagArray tags;
        parts::MshrTable<Target> mshrs;
        parts::CycleSlots slots;
        std::vector<std::int64_t> banks;  ///< the first cycle in which each port of each is free
        Fifo<protocol::MemRequest> below; ///< waiting to go
        Fifo<Late> late;                  ///< answers to writes, which wait for the array
        std::vector<PassedOn> passed_on;  ///< whose answers are expected
        FreeList free_passed_on;
        Flush flush;
        CacheContents::State contents;
        std::vector<std::uint32_t> hint_done; ///< bytes of the first hint of each port
        Tick stalled_since = 0;
        Rng random;
        Timer next_cycle, next_late, next_hint;
    };

    explicit Cache(const Params& p) : params(p), clock_(p.clock()) {}
    void init() override;
    void start() override;
    void wake() override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    bool pending() const override { return state.owed != 0 || !state.below.empty(); }
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    using SectorMask = parts::SectorMask;
    static constexpr CacheStall served = CacheStall::none;
    struct Touched {
        SectorMask any, whole;
    };
    /// A request's place in the cache.
    struct Place {
        const protocol::MemRequest& request;
        std::uint64_t number; ///< of the line: its tag
        std::uint64_t set;
        std::uint32_t bank;
        std::uint32_t line; ///< in the tags, or none
        SectorMask touched;
        SectorMask whole;                   ///< touched from end to end
        SectorMask valid, written, pending; ///< in its line
        bool found() const { return line != parts::TagArray::none; }
        bool is_read() const { return request.command == protocol::Command::read; }
        bool is_write() const { return request.command == protocol::Command::write; }
        SectorMask missing() const {
            return touched & static_cast<SectorMask>(~(is_write() ? valid | written : valid));
        }
    };
    /// What the path of a request needs of the parameters, side by side.
    struct Figures {
        WritePolicy policy = WritePolicy::write_through;
        bool allocates = false, fetches = true, fill_port = false, managed = false, hinted = false,
             observed = false, acknowledged = false;
        std::uint8_t line_bits = 0, sector_bits = 0;
        std::uint16_t accesses = 0;
        std::uint32_t mshrs = 0, mem_queue = 0, ways = 0, ports = 0;
        std::int64_t read_cycles = 1, write_cycles = 1;
        Tick latency = 0, late = 0;
    };

    // cache.cc: the queue, the banks, what arrives
    void serve_queue();
    CacheStall serve(const protocol::MemRequest& r);
    Tick bank_free_at(std::uint32_t bank) const;
    void occupy(std::uint32_t bank, std::int64_t cycles);
    void fill(const protocol::MemResponse& r);
    void answered_below(const protocol::MemResponse& r);
    void answer(protocol::MemResponse r, std::uint32_t line, bool mark);
    SectorMask claimed(std::uint32_t line) const;
    void take_contents(std::uint32_t line, const protocol::MemRequest& r, SectorMask kept);
    void complete(std::uint32_t line, const protocol::MemResponse& r);
    void answer_write(const protocol::MemRequest& r);
    void queue_below(const protocol::MemRequest& r);
    void send_below(const protocol::MemRequest& r);
    void note(CacheStall cause);
    bool room_below(std::uint32_t messages) const {
        return state.below.size() + messages <= figures_.mem_queue;
    }

    // cache_access.cc. Each serves the request or says, having changed nothing, why it cannot be.
    CacheStall read(const Place& p);
    CacheStall write(const Place& p);
    CacheStall miss(const Place& p);
    CacheStall pass_on(const Place& p);
    CacheStall take_way(const Place& p, bool written, std::uint32_t messages, std::uint32_t& line);
    std::uint32_t take_mshr(std::uint32_t line);
    void fetch(std::uint32_t mshr, std::uint64_t number, SectorMask sectors,
               protocol::MemRequest r);
    void count(const Place& p);
    Place locate(const protocol::MemRequest& r) const;
    std::uint64_t own(std::uint64_t address) const;
    bool write_back() const { return figures_.policy == WritePolicy::write_back; }
    /// Room for what leaves with this line, and so many messages more.
    bool room_to_evict(std::uint32_t line, std::uint32_t messages) const {
        const bool leaves = must_write_back(line);
        return room_below(messages + leaves) &&
               !(leaves && figures_.acknowledged && state.free_passed_on.empty());
    }
    std::uint32_t take_slot(const PassedOn& who) {
        const std::uint32_t slot = state.free_passed_on.back();
        state.free_passed_on.pop_back();
        state.passed_on[slot] = who;
        return slot;
    }
    bool must_write_back(std::uint32_t line) const {
        return state.tags.dirty(line) && (write_back() || state.tags.kept(line));
    }
    void evict(std::uint32_t line);
    void tell(const protocol::CacheEvent& e) {
        for (std::uint32_t i = 0; i < port.events.size(); ++i) port.events[i].send(e);
    }
    void write_back(std::uint32_t line, std::optional<std::uint32_t> slot);
    SectorMask span(std::uint64_t address, std::uint32_t bytes) const;
    template <class M>
    Touched sectors(const M& m) const;
    void aim(protocol::MemRequest& r, std::uint64_t line, SectorMask m, SectorMask partial) const;

    // cache_manage.cc: commands for the cache itself, hints, the initial contents
    CacheStall manage(const protocol::MemRequest& r, std::uint32_t from);
    void serve_control();
    void continue_flush();
    void end_flush();
    void take_hints();
    bool hint(const protocol::Hint& h, std::uint64_t address, std::uint32_t bytes);
    bool flushes(const protocol::MemRequest& r, std::uint32_t line) const;
    bool held_by_flush(std::uint16_t application) const;
    void warm();

    Figures figures_;
    Clock clock_;
    parts::Interleave interleave_;
    parts::SetIndex index_;
    parts::Divider banks_;
    std::optional<CacheContents> contents_; ///< where the machine carries them
};

} // namespace memsim::mem
