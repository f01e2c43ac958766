#pragma once

#include "core/machine/functional.hh"
#include "mem/page_cache/page_front.hh"
#include "mem/page_cache/params.hh"
#include "mem/page_cache/write_groups.hh"
#include "protocol/block_io.hh"
#include "protocol/device_load.hh"
#include "protocol/mem.hh"
#include "protocol/page_miss.hh"

namespace memsim::mem {

using namespace memsim::literals;
using protocol::Mem;

/// A DRAM that caches a drive below physical memory, without MMU or driver. Initially the drive
/// holds all data and the DRAM is empty.
///
/// Models        A request whose unit is present is forwarded to the DRAM. A miss allocates a
///               frame; if all are in use, it evicts the unit that the policy selects. It reads the
///               unit from the drive, writes it into the frame line by line, and then serves all
///               waiting requests in order. A dirty victim is first read out of the DRAM and
///               written to the drive; a read of that unit waits until the drive has it. Units with
///               outstanding requests are not evicted. Requests and whole units use the DRAM
///               alternately.
///
/// With `write_group` the eviction of a dirty unit also writes the other dirty units of its group,
/// an aligned range of the drive. These stay in the DRAM as clean units, but are not evicted before
/// the drive has them. Consecutive units among them are written by one request. With `early_writes`
/// a write to a unit that is being read is answered at once; its bytes wait in the controller.
///
/// The page prefetcher selects units that are read together with a missed one. An external
/// prefetcher receives each missed unit and requests more units by hints, which may also arrive
/// among the requests. Both bring only units that are neither present nor being read. Consecutive
/// units are read by one request to the drive, of up to `batch` units.
///
/// Not modelled  The time of a lookup; the memory of the tables; power loss.
class PageCache final : public Model<PageCache>, public Functional, private PagedDram::Owner {
  public:
    using Params = PageCacheParams;
    struct Ports {
        Responder<Mem> cpu_side {
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>, .hints = true},
            "Requests and hints from above"};
        Requester<Mem> dram_side {{.depth = from<&Params::dram_queue>},
                                  "Requests and whole units to the DRAM"};
        Requester<protocol::BlockIo> drive_side {
            {.depth = from<&Params::drive_queue>, .latency = from<&Params::drive_latency>},
            "Reads and writes of units"};
        Optional<Out<protocol::PageMiss>> misses {
            {}, "Units that accesses have requested from the drive, to an external prefetcher"};
        Optional<Responder<Mem>> hints {{.depth = from<&Params::hint_queue>, .hints = true},
                                        "Hints for units to bring, of an external prefetcher"};
        Optional<Out<protocol::DeviceLoad>> load {
            {}, "Load: the higher of the drive's load and that of units being read"};
        Optional<In<protocol::DeviceLoad>> drive_load {{.depth = [](const void*) { return 4u; }},
                                                       "Load of the drive, sent when it changes"};
    };
    struct Stats {
        FrontStats front;
        AheadStats ahead;
        Counter ghost_hits {Unit::count, "Units read that the policy remembers as evicted"};
        Counter evictions {Unit::count, "Units evicted by another unit"};
        Counter units_in {Unit::count, "Units read from the drive"};
        Counter units_out {Unit::count, "Units written to the drive"};
        Counter drive_reads {Unit::count, "Read requests sent to the drive"};
        Gathered drive_writes {Unit::count, "Write requests sent to the drive"};
        Gathered units_cleaned {Unit::count, "Units written to the drive that stay in the DRAM, "
                                             "because another unit of their group was evicted"};
        Gathered early_answers {Unit::count,
                                "Writes answered before their unit arrived from the drive"};
        Counter stalled_by_requests {Unit::count,
                                     "Requests stalled because `requests` were outstanding"};
        Counter stalled_by_frames {Unit::count,
                                   "Requests stalled because no unit could be evicted"};
        Counter dram_bytes {Unit::byte, "Bytes requested from the DRAM, including whole units"};
        Counter lost_misses {Unit::count,
                             "Misses not reported to the prefetcher because its port was full"};
        Distribution fetch_time {Unit::time,
                                 "Time from the request of a unit until it is in the DRAM"};
        Distribution latency {Unit::time, "Time from the lookup of a request to its response"};
    };

    static constexpr std::uint32_t none = PagedDram::none;
    struct Frame { ///< whose unit is being replaced
        PagedDram::Transfer transfer;
        Tick since = 0;
        std::uint64_t victim = 0; ///< unit that is read out
        std::uint64_t group = 0;  ///< group with which it is written; 0: no unit is read out
        bool read = false;        ///< the new unit has arrived from the drive
    };
    struct Written { ///< source of the statistics with these names
        std::uint64_t drive_writes = 0, early_answers = 0;
    };
    struct State {
        Policy<device_parts::PagePolicy> replacement;
        PagesAhead ahead;
        device_parts::Residency resident;
        HashMap<Frame> arriving; ///< by frame
        WriteGroups::State groups;
        Written written;
        PagedDram::State dram;
        DriveUnits::State drive;
        protocol::DevLoad drive_load = protocol::DevLoad::light;
        protocol::DevLoad reported = protocol::DevLoad::light;
        device_parts::DeferredWrites deferred; ///< functional writes to units being read, by unit
    };

    explicit PageCache(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return !front_->idle(); }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    friend PageFront<PageCache>;

    bool accept();
    void take_hints();
    void bring(const protocol::MemRequest& hint);

    // Interface to PageFront.
    std::uint32_t find(std::uint64_t unit) const { return state.resident.find(unit); }
    bool present(std::uint32_t frame) const { return state.resident[frame].here; }
    bool first_use(std::uint32_t frame) { return transfer(frame).head == none; }
    std::uint32_t fetch(std::uint64_t unit, device_parts::AskedBy asked);
    void waits(std::uint32_t request, bool missed);
    void serve(std::uint32_t request);
    Counter& no_frame() { return stat.stalled_by_frames; }

    bool send();
    void report_load();
    Stamps::Id stamps_of(std::uint64_t unit);
    void drive_answered(const protocol::BlockResponse& r);
    void unit_came(std::uint64_t unit, Contents::Id page);
    void unit_gone(std::uint64_t unit);

    // Interface to PagedDram.
    PagedDram::Transfer& transfer(std::uint32_t frame) override;
    void sent(std::uint32_t) override {}
    void done(std::uint32_t frame) override { state.resident.unpin(frame); }
    void copied_in(std::uint32_t frame) override;
    void copied_out(std::uint32_t frame) override;

    std::uint64_t unit_ = 0;
    std::optional<PageFront<PageCache>> front_; ///< these work on State
    std::optional<DriveUnits> drive_;
    std::optional<WriteGroups> groups_;
};

} // namespace memsim::mem
