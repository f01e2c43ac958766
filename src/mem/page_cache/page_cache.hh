#pragma once

#include "core/machine/functional.hh"
#include "mem/page_cache/drive_units.hh"
#include "mem/page_cache/paged_dram.hh"
#include "mem/page_cache/pages_ahead.hh"
#include "parts/deferred_writes.hh"
#include "parts/residency.hh"
#include "protocol/block_io.hh"
#include "protocol/device_load.hh"
#include "protocol/mem.hh"
#include "protocol/page_miss.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

/// A DRAM that is the cache of a drive, below physical memory: no MMU and no driver. The drive
/// holds everything at the start, the DRAM nothing.
///
/// A request whose unit is in the DRAM goes on to it. One whose unit is not sends for it: a frame
/// is taken, from the unit that the policy names if all are in use, the drive reads the unit, it is
/// written into the frame line by line, and then all that wait for it are served, in order. A unit
/// that has been written to is read from the DRAM before another comes into its frame, and written
/// to the drive; a read of it waits until that is done. Units with requests under way stay.
/// Requests and whole units take the DRAM in turn.
///
/// With `write_group` a written unit that makes room takes along the other written units of its
/// group, an aligned range of the drive. They stay in the DRAM as clean ones, but do not make room
/// before the drive has them. Neighbours among them are written by one request. With `early_writes`
/// a write whose unit is on its way is answered at once; its bytes wait in the controller.
///
/// A page prefetcher names units that come with one that is missed. Somebody else who prefetches is
/// told each unit that an access sends for, and orders further ones by hints, which may come among
/// the requests, too: of what either names, those units are brought that are neither here nor on
/// their way. Neighbours that are sent for one after the other are read by one request to the
/// drive, of up to `batch` units.
/// Not modelled: the time of a look-up, the tables' own memory, power loss.
class PageCache final : public Model<PageCache>, public Functional, private PagedDram::Owner {
  public:
    struct Params {
        Param<Bytes> capacity {
            64_MiB, {256_B, Bytes {std::int64_t {1} << 50}}, "Capacity of the DRAM"};
        Param<Bytes> unit {
            4_KiB, {256_B, 512_KiB}, "Size of a unit, which comes and goes as a whole"};
        Param<Bytes> line {128_B, {32_B, 128_B}, "A request to the DRAM for a part of a unit"};
        Param<Bytes> dram_base {0_B, "Address of the first frame in the DRAM"};
        Param<Bytes> drive_base {0_B, "Where address 0 lies on the drive"};
        Param<PolicyName<parts::PagePolicy>> replacement {
            "lru", "Which unit makes room; a use is a request for the unit"};
        Param<unsigned> batch {
            16, {1, 1024}, "Units that one request reads from the drive", assumed("64 KiB")};
        Param<Bytes> write_group {
            0_B,
            {0_B, 64_KiB},
            "Aligned range of the drive whose written units are written back together, such as a "
            "flash page; 0B: each unit alone",
            multiple_of(unit)};
        Param<bool> early_writes {
            false, "Whether a write is answered before its unit has come from the drive"};
        AheadParams ahead;
        Param<unsigned> prefetchers {
            0, {0, 1}, "Whether somebody else prefetches into this cache, by hints"};
        Param<Time> latency {1_fs, {1_fs, 1_us}, "Latency of answers", Change::tunable};
        Param<unsigned> queue {32, {1, 65536}, "Requests waiting or in flight to this component"};
        Param<unsigned> requests {256, {1, 65536}, "Requests taken and not done"};
        Param<unsigned> dram_queue {64, {1, 65536}, "Reads of the DRAM without an answer"};
        Param<unsigned> drive_queue {64, {1, 65535}, "Requests to the drive without an answer"};
        Param<Time> drive_latency {1_fs,
                                   {1_fs, 1_ms},
                                   "Latency of requests to the drive: a controller's time for each "
                                   "request, any number at once",
                                   Change::tunable};
        Param<unsigned> full_load {
            64, {4, 65536}, "Units on their way from the drive that are told as a full load"};
        Param<unsigned> hint_queue {64, {1, 65536}, "Hints waiting or in flight to this component"};
    };
    struct Ports {
        Responder<Mem> cpu_side {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests and hints from above"};
        Requester<Mem> dram_side {{.depth = from<&Params::dram_queue>},
                                  "Requests and whole units to the DRAM"};
        Requester<protocol::BlockIo> drive_side {
            {.depth = from<&Params::drive_queue>, .latency = from<&Params::drive_latency>},
            "Requests for units to the drive"};
        Many<Out<protocol::PageMiss>> misses {
            from<&Params::prefetchers>, {}, "Units that accesses have sent for"};
        Many<Responder<Mem>> hints {from<&Params::prefetchers>,
                                    {.depth = from<&Params::hint_queue>, .hints = true},
                                    "Hints whose units are to be brought"};
        Optional<Out<protocol::DeviceLoad>> load {
            {}, "Load: the higher of the drive's and that of units on their way"};
        Optional<In<protocol::DeviceLoad>> drive_load {{.depth = [](const void*) { return 4u; }},
                                                       "Load of the drive, as it changes"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads looked up"};
        Counter writes {Unit::count, "Writes and atomics looked up"};
        Counter bytes {Unit::byte, "Bytes that reads, writes and atomics ask for"};
        Counter hits {Unit::count, "Requests that found their unit"};
        Counter merged {Unit::count, "Requests whose unit was on its way"};
        Counter misses {Unit::count, "Requests that sent for their unit"};
        AheadStats ahead;
        Counter ghost_hits {Unit::count, "Units sent for that the policy remembers"};
        Counter evictions {Unit::count, "Units that made room for another"};
        Counter units_in {Unit::count, "Units read from the drive"};
        Counter units_out {Unit::count, "Units written to the drive"};
        Counter drive_reads {Unit::count, "Requests to the drive by which units were read"};
        Gathered drive_writes {Unit::count, "Requests to the drive by which units were written"};
        Gathered units_cleaned {Unit::count,
                                "Units written to the drive that stay in the DRAM, since another "
                                "unit of their group made room"};
        Gathered early_answers {Unit::count,
                                "Writes answered before their unit has come from the drive"};
        Counter stalled_by_requests {Unit::count,
                                     "Times that a request waited as `requests` were under way"};
        Counter stalled_by_frames {Unit::count,
                                   "Times that a request waited as no unit could make room"};
        Counter dram_bytes {Unit::byte, "Bytes asked of the DRAM, whole units included"};
        Counter lost_misses {Unit::count,
                             "Misses that the prefetcher was not told, for want of room"};
        Distribution fetch_time {Unit::time,
                                 "Time from asking the drive for a unit to its being in the DRAM"};
        Distribution latency {Unit::time, "Time from a request's look-up to its answer"};
    };

    static constexpr std::uint32_t none = PagedDram::none;
    struct Frame { ///< on its way to another unit
        PagedDram::Transfer transfer;
        Tick since = 0;
        std::uint64_t victim = 0; ///< unit that is read out
        std::uint64_t group = 0;  ///< with which it is written; 0: none is read out
        bool read = false;        ///< the new one has come from the drive
    };
    struct Cleaning { ///< a frame whose unit is read out and stays
        PagedDram::Transfer transfer;
        std::uint64_t group = 0;
    };
    struct WriteGroup {          ///< units that are written to the drive together
        std::uint64_t first = 0; ///< of the range
        std::uint64_t units = 0; ///< bit i: the i-th of the range
        std::uint32_t left = 0;  ///< still to be read out
        Contents::Id contents;   ///< of the range, as far as it has been read out
    };
    struct Written { ///< what the statistics of these names count
        std::uint64_t drive_writes = 0, units_cleaned = 0, early_answers = 0;
    };
    struct State {
        Policy<parts::PagePolicy> replacement;
        PagesAhead ahead;
        parts::Residency resident;
        HashMap<Frame> arriving;    ///< by frame
        HashMap<Cleaning> cleaning; ///< by frame
        HashMap<WriteGroup> groups; ///< by number
        std::uint64_t last_group = 0;
        Written written;
        PagedDram::State dram;
        DriveUnits::State drive;
        protocol::DevLoad drive_load = protocol::DevLoad::light;
        protocol::DevLoad told = protocol::DevLoad::light;
        parts::DeferredWrites deferred; ///< of the host into units on their way, by unit
    };

    explicit PageCache(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return !dram_->idle(); }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool accept();
    bool take(const protocol::MemRequest& r);
    void take_hints();
    void bring(const protocol::MemRequest& hint);
    void bring(std::uint64_t unit);
    std::uint32_t send_for(std::uint64_t unit, parts::AskedBy asked);
    void serve(std::uint32_t request);
    bool send();
    void tell_load();
    Stamps::Id stamps_of(std::uint64_t unit);
    void drive_answered(const protocol::BlockResponse& r);
    void unit_came(std::uint64_t unit, Contents::Id page);
    void unit_gone(std::uint64_t unit);
    std::uint64_t begin_group(std::uint64_t victim);
    void read_out(std::uint64_t group, std::uint64_t unit, Contents::Id contents);
    void write_deferred(std::uint64_t unit, Contents::Id page);

    // Of the DRAM.
    PagedDram::Transfer& transfer(std::uint32_t frame) override;
    void sent(std::uint32_t) override {}
    void done(std::uint32_t frame) override { state.resident.unpin(frame); }
    void copied_in(std::uint32_t frame) override;
    void copied_out(std::uint32_t frame) override;

    std::uint64_t unit_ = 0, group_units_ = 1;
    std::optional<PagedDram> dram_; ///< these work on State
    std::optional<DriveUnits> drive_;
};

} // namespace memsim::mem
