#pragma once

#include "core/kernel/component.hh"
#include "flash/drive/announcements.hh"
#include "flash/drive/cores.hh"
#include "flash/drive/waiting_programs.hh"
#include "flash/drive/writes.hh"

#include <optional>

namespace memsim::flash {

using namespace memsim::literals;

/// A solid-state drive without its flash: NVMe queues, controller cores that take `firmware` for
/// each request, a DRAM with write-back cache, and a page-mapped FTL with garbage collection and
/// wear levelling. It is connected to flash.Channel components.
///
/// Models        A write is answered when it is in the DRAM. It waits while `write_buffer` sectors
///               are dirty or being written to the flash. While there are more than `dirty_pages`,
///               dirty pages are written to the flash in order of their first write; a partly
///               written page is first read and merged. Reads are served from the DRAM if it has
///               the sectors, else from the flash; with `cache_reads` they remain in the DRAM. The
///               map is in the DRAM. With `map_cache` it is in the flash and partly in the
///               controller: a miss reads the translation page, and eviction of a changed entry
///               writes it. Garbage collection of a plane begins when fewer than `gc_threshold` of
///               its blocks are free.
///
/// If `load` is connected, the drive reports severe load `announce` before a collection begins, and
/// light load when none is in progress or due. With `announce_from` this applies only if that share
/// of the planes collects; collections of fewer planes begin at once.
///
/// Ordering      A request sees all requests that were answered before it arrived. Concurrent
///               requests may execute in any order. No write overtakes a flush.
/// Not modelled  Power loss; error correction; DRAM time of reads that are not kept; the cost of
///               trims in the map; quality of service between queues, except `urgent`.
class Drive final : public Model<Drive>, public Functional, private DriveBackEnd::Front {
  public:
    struct Params {
        FlashShape shape;
        FtlParams ftl;

        Param<unsigned> queues {1, {1, 64}, "Submission queues: host ports", from_wiring()};
        Param<unsigned> queue_depth {
            1024, {1, 65535}, "Commands in a queue; operations sent to a channel", queue_places()};
        Param<unsigned> commands {512,
                                  {1, 65535},
                                  "Commands in progress in the drive",
                                  cited("MQSim, ssdconfig.xml: Queue_Fetch_Size 512")};
        Param<Time> completion {50_ns,
                                {1_fs, 1_ms},
                                "Latency of responses",
                                assumed("completion entry over PCIe; range 50 ns to 2 us")};
        Param<Rate> host_rate {
            Rate {3'282'000'000},
            {1_MBps, 1000_GBps},
            "Rate of data to the host: 4 lanes of 1 GB/s, 128 of 156 bytes payload",
            cited("MQSim, ssdconfig.xml: PCIe_Lane_Count 4, PCIe_Lane_Bandwidth 1")};
        Param<unsigned> cores {1, {1, 64}, "Cores of the controller", assumed("ZnG has 2 to 5")};
        Param<Time> firmware {0_fs,
                              {0_fs, 1_ms},
                              "Time that a core takes for a request; 0: none",
                              assumed("none, as in MQSim; range 0 to 10 us"),
                              Change::tunable};

        DriveCacheParams caching;
        AnnouncementParams announcements;
    };
    static unsigned channels_of(const void* params) {
        return static_cast<const Params*>(params)->shape.channels();
    }
    struct Ports {
        Many<Responder<protocol::BlockIo>> host {from<&Params::queues>,
                                                 {.depth = from<&Params::queue_depth>,
                                                  .latency = from<&Params::completion>,
                                                  .rate = from<&Params::host_rate>},
                                                 "Requests of the host"};
        Many<Requester<protocol::Flash>> channel {
            channels_of, {.depth = from<&Params::queue_depth>}, "Commands to the channels"};
        Many<Out<protocol::DriveTask>> tasks {
            from<&Params::announcements, &AnnouncementParams::observers>,
            {},
            "Internal tasks of the drive, at their start"};
        Optional<Out<protocol::DeviceLoad>> load {
            {}, "Load of the drive: severe before and during internal tasks"};
    };
    struct Stats {
        DriveCommandStats commands;
        Counter cache_sectors {Unit::count, "Sectors read from the cache"};
        FtlStats ftl;
        Counter buffer_waits {Unit::count, "Writes that waited for space in the write buffer"};
        Counter announcements {Unit::count, "Announcements of severe load"};
        Level under_way {Unit::count, "Commands in the drive"};
    };

    static constexpr std::uint32_t none = ~0u;
    struct State {
        DriveCommandsState commands;
        std::vector<DriveCore> cores;
        std::uint32_t next_queue = 0;
        DriveDramState dram;
        Timer dram_done;
        PageCacheState cache;
        DriveBackEndState flash;
        DriveContentsState contents;
        TaskLoad load;
    };

    explicit Drive(const Params& p) : params(p) {}
    void init() override;
    void start() override { back_end_->start(); }
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    std::uint64_t sectors() const { return sectors_; } ///< visible to the host
    const Ftl& ftl() const { return back_end_->ftl(); }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void look_at_page(std::uint32_t lpn, FunctionalAccess& access);
    void fetch();
    void run_cores();
    void report_load();
    void begin(std::uint32_t command);
    void begin_read(std::uint32_t command);
    void trim(std::uint32_t command);
    bool answer();
    void use_dram(std::uint32_t command, std::uint32_t sectors);
    void done(std::uint32_t command, std::uint64_t sectors);
    // DriveBackEnd::Front
    void page_read(std::uint32_t command, std::uint32_t lpn, std::uint32_t sectors,
                   std::uint32_t held, Contents::Id sensed, bool current) override;
    Contents::Id page_image(std::uint32_t cached, Contents::Id sensed) override;
    std::uint32_t sent_sectors(std::uint32_t cached) const override;
    void page_written(std::uint32_t cached) override;
    bool can_send(unsigned channel) const override { return port.channel[channel].can_send(); }
    bool can_hold(unsigned channel) const override { return may_hold(port.channel[channel]); }
    void send(unsigned channel, const protocol::FlashRequest& r) override;
    void look_at_flash(std::uint32_t page, FunctionalAccess& access) override;
    void collects(std::uint32_t plane, const FtlBlock& block, bool cold) override;
    bool may_begin_task() override {
        return !port.load || announcements_->may_begin(back_end_->tasks() + 1, now());
    }

    const protocol::HasFlashTimes* times_ = nullptr;
    std::uint32_t page_sectors_ = 0;
    std::uint64_t sectors_ = 0;
    std::optional<DriveCommands> commands_;
    std::optional<DriveCores> cores_;
    std::optional<DriveDram> dram_;
    std::optional<PageCache> cache_;
    std::optional<DriveContents> contents_;
    std::optional<TaskAnnouncements> announcements_;
    std::optional<DriveBackEnd> back_end_;
    std::optional<DriveWrites> writes_;
};

} // namespace memsim::flash
