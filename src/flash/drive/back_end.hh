#pragma once

#include "flash/drive/contents.hh"
#include "flash/ftl/collector.hh"
#include "flash/ftl/translation_pages.hh"
#include "protocol/flash.hh"

#include <algorithm>
#include <functional>
#include <optional>

namespace memsim::flash {

/// Result of reading a page that was never written: zeros, without access to the flash, or the
/// contents from before the run (the flash is read, and the page is allocated).
enum class Unwritten : std::uint8_t { zeros, past };
constexpr std::array<std::string_view, 2> names_of(Unwritten) { return {"zeros", "past"}; }

struct FtlParams {
    using group = void;
    Param<std::string> allocation {
        "CWDP",
        "Order in which consecutive pages are distributed: Channel, Way (package), Die, Plane",
        cited("MQSim, ssdconfig.xml: Plane_Allocation_Scheme CWDP")};
    Param<bool> fixed_plane {
        true, "Assign each logical page to a fixed plane; else to the next plane with space",
        assumed("as MQSim's static allocation")};
    Param<Unwritten> unwritten {Unwritten::zeros, "Contents of a page that was never written",
                                assumed("a drive that was never written")};
    Param<Fraction> preconditioned {
        0_pct,
        {0_pct, 100_pct},
        "Share of the host's pages, from 0, that are written in order before the run",
        assumed("a drive that was never written")};
    Param<Fraction> overwritten {
        0_pct,
        {0_pct, 1000_pct},
        "Pages overwritten before the run, as a share of the flash's pages. They are drawn at "
        "random from the preconditioned pages, which are then written in random order; garbage is "
        "collected as in the run",
        assumed("a drive that was never written")};
    Param<Bytes> map_cache {
        0_B,
        {0_B, 1_GiB * 1024},
        "Controller memory for the map (MQSim's default: 2 MB); 0: the whole map",
        assumed("the controller's memory holds all of the map")};
    Param<PolicyName<device_parts::PagePolicy>> map_replacement {
        "lru", "Policy that selects the map entry to evict from the controller's memory",
        usual_policy()};
    Param<unsigned> map_entry {9,
                               {4, 64},
                               "Size of a map entry in bytes",
                               cited("MQSim, Address_Mapping_Unit_Page_Level.cpp: CMT_entry_size, "
                                     "9 of ssdconfig.xml's drive")};
    Param<unsigned> map_entry_flash {6,
                                     {4, 64},
                                     "Size of a map entry in a translation page in bytes",
                                     cited("MQSim, Address_Mapping_Unit_Page_Level.cpp: "
                                           "GTD_entry_size, 6 of ssdconfig.xml's drive")};
    Param<Fraction> gc_threshold {5_pct,
                                  {0_pct, 50_pct},
                                  "Share of a plane's blocks that is kept free",
                                  cited("MQSim, ssdconfig.xml: GC_Exec_Threshold 0.05")};
    Param<Fraction> gc_target {
        0_pct,
        {0_pct, 50_pct},
        "Share of a plane's blocks that is free at the end of its collection; 0: gc_threshold",
        assumed("a collection ends at the threshold at which it begins")};
    Param<PolicyName<VictimPolicy>> victim {
        "greedy", "Policy that selects the block of a plane to collect", usual_policy()};
    Param<unsigned> gc_moves {8,
                              {1, 1024},
                              "Pages of a block moved at the same time",
                              assumed("no source gives it; range 1 to 64")};
    Param<unsigned> gc_blocks {
        1,
        {1, 64},
        "Blocks of a plane collected at the same time; the plane keeps as many blocks free",
        assumed("one after another; MQSim collects up to 10 (max_ongoing_gc_reqs_per_plane)")};
    Param<bool> gc_per_block {
        false,
        "Start a collection only when a new block is opened for writes, or when the host's "
        "pages wait",
        assumed("as soon as too few blocks are free; MQSim checks when a block is opened")};
    Param<unsigned> gc_stop {0,
                             {0, 1u << 20},
                             "Free blocks of a plane below which the host's pages wait although a "
                             "block is open (MQSim: 10); 0: only when a page needs a new block",
                             assumed("pages of the host wait for the last block alone")};
    Param<bool> gc_holds_writes {
        false,
        "Programs of the host wait while a block of their package is collected, in at most three "
        "quarters of the channel's queue and then in the drive",
        assumed("programs continue; MQSim holds them behind collections (ssdconfig.xml: "
                "Preemptible_GC_Enabled false)")};
    Param<bool> gc_first {
        true, "Serve reads of garbage collection before the host's",
        cited("MQSim, TSU_Priority_OutOfOrder.cpp: GC reads come first, as GC is not preemptible")};
    Param<bool> dynamic_wear_levelling {
        true, "Allocate the least worn of the free blocks",
        cited("MQSim, ssdconfig.xml: Dynamic_Wearleveling_Enabled true")};
    Param<unsigned> static_wear_levelling {
        100,
        {0, 1u << 30},
        "Erases by which a block may lag behind before its data are moved (MQSim: 100); 0: "
        "unlimited",
        cited("MQSim, ssdconfig.xml: Static_Wearleveling_Threshold 100")};
};

struct FtlStats {
    using group = void;
    Counter zero_pages {Unit::count,
                        "Reads of pages that were never written, answered without the flash"};
    Counter host_page_reads {Unit::count, "Pages read for the host"};
    Counter merge_reads {Unit::count, "Pages read to be merged with written sectors"};
    Counter map_reads {Unit::count, "Translation pages read"};
    Counter map_writes {Unit::count, "Translation pages written"};
    Counter map_hits {Unit::count, "Map look-ups that hit the controller's memory"};
    Counter map_misses {Unit::count, "Map look-ups that missed the controller's memory"};
    Counter host_page_writes {Unit::count, "Pages written for the host"};
    Counter programs {Unit::count, "Pages programmed for any reason"};
    Ratio write_amplification {programs, host_page_writes,
                               "Pages programmed per page written for the host"};
    Counter collections {Unit::count, "Blocks collected for their invalid pages"};
    Counter levellings {Unit::count, "Blocks collected because they were rarely written"};
    Counter moved_pages {Unit::count, "Valid pages moved"};
    Counter erases {Unit::count, "Blocks erased"};
    Counter room_waits {Unit::count, "Pages that waited for a free page in their plane"};
    Level most_erases {Unit::count, "Erases of the most erased block (peak)"};
    Gauge free_blocks {Unit::count,
                       "Erased blocks without an allocated page, at the time of the dump"};
    Gauge valid_pages {Unit::count,
                       "Pages of the flash that the map names, at the time of the dump"};
    Gauge invalid_pages {
        Unit::count,
        "Programmed pages of the flash that the map does not name, at the time of the dump"};
    Gauge erased_pages {Unit::count,
                        "Pages of the flash that are not programmed, at the time of the dump"};
};

/// Plain values for State.
struct DriveBackEndState {
    PageJobsState jobs;
    std::vector<Collection> collections; ///< gc_blocks per plane
    Collector::Tasks tasks;
    FtlState ftl;
    MapCacheState map;
    Policy<VictimPolicy> victim;
    std::uint32_t most_worn = 0;
};

/// The back end of a drive: reads and writes logical pages. It includes the look-up in the map,
/// which may be in the flash, merging of partly written pages, garbage collection and wear
/// levelling. A part: its owner has the channels, the cache from which pages are written, and the
/// commands for which pages are read.
class DriveBackEnd {
  public:
    /// The interface to the owner.
    class Front {
      public:
        virtual ~Front() = default;
        /// Sectors of a page were read for a command. `held`: sectors found in the flash; the
        /// others were never written. `current`: the page has not moved since.
        virtual void page_read(std::uint32_t command, std::uint32_t lpn, std::uint32_t sectors,
                               std::uint32_t held, Contents::Id sensed, bool current) = 0;
        /// The contents with which a page of the cache is programmed, merged with the sensed
        /// contents.
        virtual Contents::Id page_image(std::uint32_t cached, Contents::Id sensed) = 0;
        /// The sectors being written that are still valid.
        virtual std::uint32_t sent_sectors(std::uint32_t cached) const = 0;
        virtual void page_written(std::uint32_t cached) = 0;
        virtual bool can_send(unsigned channel) const = 0;
        /// Whether the channel has space for a program that waits for the end of a collection, in
        /// addition to the space for the operations of that collection.
        virtual bool can_hold(unsigned channel) const = 0;
        virtual void send(unsigned channel, const protocol::FlashRequest& r) = 0;
        /// A functional access to a page of the flash.
        virtual void look_at_flash(std::uint32_t page, FunctionalAccess& access) = 0;
        virtual void collects(std::uint32_t plane, const FtlBlock& block, bool cold) = 0;
        /// Whether a task may begin. If not, the owner calls begin_due() when waiting tasks may
        /// begin.
        virtual bool may_begin_task() = 0;
    };
    /// `refuse` throws. Requires: `state.victim` exists. `past`: random numbers for the writes
    /// before the run.
    DriveBackEnd(const FlashShape& shape, const FtlParams& params, FtlStats& stats,
                 DriveBackEndState& state, DriveContents& contents, Contents& records, Front& front,
                 const Refuse& refuse, const Rng& past);

    /// Called at the start of a new run.
    void start();
    void read(std::uint32_t command, std::uint32_t lpn, std::uint32_t sectors,
              const protocol::BlockRequest& r);
    void write(std::uint32_t cached, std::uint32_t lpn, std::uint32_t sectors);
    void trim(std::uint32_t lpn, std::uint32_t sectors);
    void send_waiting();
    void answered(const protocol::FlashResponse& r, Tick now);
    void begin_due() { collector_->begin_due(); }
    bool task_due() const { return !state_.tasks.due.empty(); }
    /// Collections and levellings in progress or due.
    std::uint32_t tasks() const { return state_.tasks.active + state_.tasks.due.size(); }

    std::uint64_t host_pages() const { return space_.host_pages; }
    /// Entries of the map that the controller's memory holds.
    std::uint32_t map_entries() const {
        const auto room = static_cast<std::uint64_t>(params_.map_cache->raw / params_.map_entry());
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(room, space_.host_pages));
    }
    const Geometry& geometry() const { return geometry_; }
    const Ftl& ftl() const { return *ftl_; }
    std::size_t under_way() const { return jobs_.under_way(); }
    bool works_on(std::uint32_t lpn) const { return jobs_.works_on(lpn); }
    std::size_t waiting_for_block() const { return jobs_.waiting_for_block(); }
    void check_loaded(Loader& l, std::size_t commands, std::size_t cached) const;

  private:
    static constexpr std::uint32_t none = Job::none;

    Collector::Counters collector_counters();
    Collector::Events collector_events();
    TranslationPages::Events map_events();
    // Pages
    void mapped(std::uint32_t job);
    void read_page(std::uint32_t job);
    void write_page(std::uint32_t job);
    void place(std::uint32_t job);
    void room_made(std::uint32_t plane);
    void retry_collection(std::uint32_t page);
    void collect_for_waiting(std::uint32_t plane);
    void wait_for_room(std::uint32_t job, std::uint32_t plane);
    void was_read(std::uint32_t job, Contents::Id sensed);
    void programmed(std::uint32_t job);
    void send(std::uint32_t job);
    protocol::FlashRequest request(std::uint32_t job);
    protocol::FlashClass class_of(const Job& job) const;

    const FtlParams& params_;
    FtlStats& stat_;
    DriveBackEndState& state_;
    DriveContents& contents_;
    Contents& records_;
    Front& front_;
    Geometry geometry_;
    std::uint32_t page_sectors_ = 0, page_mask_ = 0;
    bool map_in_flash_ = false;
    std::uint32_t per_map_page_ = 1;
    DriveSpace space_;
    PageJobs jobs_;
    std::optional<Ftl> ftl_;
    std::optional<TranslationPages> map_;
    std::optional<Collector> collector_;
    struct Where {
        std::uint32_t channel;
        protocol::FlashPlace place;
    };
    std::vector<Where> where_; ///< of each plane, to avoid divisions
};

} // namespace memsim::flash
