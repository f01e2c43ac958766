#pragma once

#include "core/component.hh"
#include "core/free_list.hh"
#include "flash/drive_contents.hh"
#include "flash/ftl.hh"
#include "flash/map_cache.hh"
#include "flash/page_cache.hh"
#include "protocol/block_io.hh"

#include <optional>

namespace memsim::flash {

using namespace memsim::literals;

/// What a read of a page finds that nobody wrote: nothing (zeros, without the flash), or what was
/// there before the run began (the flash is read, and the page gets a place).
enum class Unwritten : std::uint8_t { zeros, past };
constexpr std::array<std::string_view, 2> names_of(Unwritten) { return {"zeros", "past"}; }

/// A solid-state drive, without its flash: NVMe queues, controller cores that take `firmware` for
/// each request, a DRAM with write-back cache, and a page-mapped FTL with greedy garbage collection
/// and wear levelling, in front of flash.Channel.
///
/// A write is answered when it is in the DRAM and waits while `write_buffer` sectors are dirty or
/// on their way to the flash. Dirty pages go to the flash, first written first, while there are
/// more than `dirty_pages`; a page written in part is read and merged first. Reads are served from
/// the DRAM where it has the sectors, else from the flash; with `cache_reads` they stay in the
/// DRAM. The map is in the DRAM, or with `map_cache` on the flash and a part of it in the
/// controller: a miss reads its translation page, a changed entry that goes out writes it. Garbage
/// collection of a plane begins when fewer than `gc_threshold` of its blocks are free, one block at
/// a time, and takes the block with the fewest valid pages. Order: what was answered before a
/// request came is seen by it; what is under way at the same time may go either way. A flush lets
/// no write pass.
///
/// Not modelled: power loss, error correction, the DRAM's share in reads that are not kept, the
/// cost of trims in the map, quality of service between queues but for `urgent`.
class Drive final : public Model<Drive>, public Functional {
  public:
    struct Params {
        Param<unsigned> channels {8, {1, 64}, "Channels, each a flash.Channel"};
        Param<unsigned> packages {4, {1, 64}, "Packages of a channel: as the channels'"};
        Param<unsigned> dies {2, {1, 64}, "Dies of a package: as the packages'"};
        Param<unsigned> planes {2, {1, 64}, "Planes of a die: as the packages'"};
        Param<unsigned> blocks {2048, {1, 1u << 20}, "Blocks of a plane: as the packages'"};
        Param<unsigned> pages {256, {1, 32768}, "Pages of a block: as the packages'"};
        Param<Bytes> page {8_KiB, {512_B, 16_KiB}, "A page's data (MQSim's default: 8 KiB)"};
        Param<Fraction> over_provisioning {
            7_pct, {0_pct, 90_pct}, "Flash that the host does not see (MQSim's default: 0.07)"};
        Param<std::string> allocation {
            "CWDP", "Order in which pages go round: Channel, Way (package), Die, Plane"};
        Param<bool> fixed_plane {true, "A logical page keeps its plane; else it goes to the next"};
        Param<Unwritten> unwritten {Unwritten::zeros, "What a read of an unwritten page finds"};
        Param<Fraction> preconditioned {
            0_pct,
            {0_pct, 100_pct},
            "Of the host's pages, from 0: written in order before the run"};

        Param<unsigned> queues {1, {1, 64}, "Submission queues: host ports"};
        Param<unsigned> queue_depth {1024, {1, 65535}, "Commands waiting in a queue"};
        Param<unsigned> commands {
            512, {1, 65535}, "Commands under way in the drive (MQSim fetches 512 a queue)"};
        Param<Time> completion {
            50_ns, {1_fs, 1_ms}, "Latency of answers (assumption: completion entry over PCIe)"};
        Param<Rate> host_rate {Rate {3'282'000'000},
                               {Rate {1}, Rate {1'000'000'000'000}},
                               "Data to the host: 4 lanes of 1 GB/s, 128 of 156 bytes payload"};
        Param<unsigned> cores {1, {1, 64}, "Cores of the controller (ZnG: 2 to 5)"};
        Param<Time> firmware {0_fs,
                              {0_fs, 1_ms},
                              "A core's time for a request; 0: none (as MQSim, sweep 0-10 us)",
                              Change::tunable};

        Param<Bytes> cache {256_MiB, {512_B, 1_GiB * 1024}, "DRAM cache (MQSim's default: 256 MB)"};
        Param<bool> cache_reads {false, "Keep what was read and what was written in the cache"};
        Param<Bytes> write_buffer {1_MiB,
                                   {512_B, 1_GiB * 1024},
                                   "Dirty data, in the cache or on the way to the flash, at most "
                                   "(MQSim's default: a page a plane, 1 MiB)"};
        Param<unsigned> dirty_pages {0, {0, 1u << 28}, "Dirty pages that stay; 0: all go at once"};
        Param<bool> keep_rewritten {
            false,
            "A page written again while it is on its way to the flash stays in the cache until "
            "its place is needed (as MQSim, which keeps it a second)"};
        Param<Time> dram_latency {
            26_ns,
            {0_fs, 1_us},
            "Of an access to the DRAM (MQSim's default: tRCD + tCL, 13 ns each)"};
        Param<Rate> dram_rate {
            Rate {200'000'000},
            {Rate {1}, Rate {1'000'000'000'000}},
            "Of the DRAM (MQSim's default: 1 byte x 100 MHz, two bytes a cycle)"};

        Param<Bytes> map_cache {0_B,
                                {0_B, 1_GiB * 1024},
                                "Controller's memory for the map (MQSim's default: 2 MB); 0: all"};
        Param<unsigned> map_entry {
            9, {4, 64}, "Bytes of an entry there (MQSim's default drive: 9)"};
        Param<unsigned> map_entry_flash {
            6, {4, 64}, "Bytes of an entry in a translation page (MQSim's default drive: 6)"};

        Param<Fraction> gc_threshold {
            5_pct, {0_pct, 50_pct}, "Share of a plane's blocks that is kept free (MQSim: 0.05)"};
        Param<unsigned> gc_moves {
            8, {1, 1024}, "Pages of a block being moved at a time (assumption)"};
        Param<bool> gc_first {true, "Reads of garbage collection before the host's (as MQSim)"};
        Param<bool> dynamic_wear_levelling {true, "Of the free blocks the least worn is taken"};
        Param<unsigned> static_wear_levelling {
            100,
            {0, 1u << 30},
            "Erases that a block may lag behind before its data are moved (MQSim: 100); 0: never"};
    };
    struct Ports {
        Many<Responder<protocol::BlockIo>> host {from<&Params::queues>,
                                                 {.depth = from<&Params::queue_depth>,
                                                  .latency = from<&Params::completion>,
                                                  .rate = from<&Params::host_rate>},
                                                 "Requests of the host"};
        Many<Requester<protocol::Flash>> channel {
            from<&Params::channels>, {.depth = from<&Params::queue_depth>}, "To the channels"};
    };
    struct Stats {
        Counter reads {Unit::count, "Reads answered"};
        Counter writes {Unit::count, "Writes answered"};
        Counter trims {Unit::count, "Trims answered"};
        Counter flushes {Unit::count, "Flushes answered"};
        Counter read_bytes {Unit::byte, "Bytes of reads answered"};
        Counter write_bytes {Unit::byte, "Bytes of writes answered"};
        Distribution read_latency {Unit::time, "From a read's arrival to its answer's leaving"};
        Distribution write_latency {Unit::time, "The same of writes"};
        Counter cache_sectors {Unit::count, "Sectors read that the cache had"};
        Counter zero_pages {Unit::count, "Pages read that nobody wrote, without the flash"};
        Counter host_page_reads {Unit::count, "Pages read for the host"};
        Counter merge_reads {Unit::count, "Pages read to be merged with what was written"};
        Counter map_reads {Unit::count, "Translation pages read"};
        Counter map_writes {Unit::count, "Translation pages written"};
        Counter map_hits {Unit::count, "Look-ups of the map that its cache had"};
        Counter map_misses {Unit::count, "Those that it had not"};
        Counter host_page_writes {Unit::count, "Pages written for the host"};
        Counter programs {Unit::count, "Pages programmed, for whatever reason"};
        Ratio write_amplification {programs, host_page_writes,
                                   "Pages programmed for a page written for the host"};
        Counter collections {Unit::count, "Blocks collected for their invalid pages"};
        Counter levellings {Unit::count, "Blocks collected because they were written too rarely"};
        Counter moved_pages {Unit::count, "Valid pages moved"};
        Counter erases {Unit::count, "Blocks erased"};
        Counter room_waits {Unit::count, "Pages that waited for a free one in their plane"};
        Counter buffer_waits {Unit::count, "Writes that waited for room in the buffer"};
        Level under_way {Unit::count, "Commands in the drive"};
        Level most_erases {Unit::count, "Erases of the block erased most (peak)"};
    };

    static constexpr std::uint32_t none = ~0u;
    struct Command {
        protocol::BlockRequest request;
        Tick arrived = 0;
        Contents::Id contents;      ///< of the answer to a read
        std::uint64_t accepted = 0; ///< sectors of a write that are in the cache
        std::uint64_t left =
            0; ///< sectors that are not done, one more while it is being taken apart
        std::uint16_t queue = 0;
        bool waited = false; ///< for room in the write buffer
    };
    enum class JobKind : std::uint8_t { none, read, destage, map_read, map_write, move, erase };
    enum class JobStage : std::uint8_t { map, merge, room, read, program };
    /// What happens to one page.
    struct Job {
        JobKind kind = JobKind::none;
        JobStage stage = JobStage::map;
        bool urgent = false;
        std::uint32_t lpn = 0;
        std::uint32_t sectors = 0;
        std::uint32_t held = 0;       ///< sectors that the page read holds
        std::uint32_t command = none; ///< of a read; the record of a block collected
        std::uint32_t cached = none;  ///< the page in the cache
        std::uint32_t from = no_page, to = no_page;
        std::uint32_t next = none; ///< in a list of those that wait
        Contents::Id contents;     ///< what its page holds, or is to hold
    };
    struct Transfer { ///< of the DRAM
        Tick done = 0;
        std::uint32_t command = none;
        std::uint32_t sectors = 0;
    };
    struct Collection {
        std::uint32_t record = none; ///< the block; none: nothing is collected
        std::uint32_t next = 0;      ///< page to look at
        std::uint32_t moving = 0;
        bool erasing = false;
        bool cold = false; ///< for wear levelling
    };
    struct Core {
        std::uint32_t command = none;
        Timer done;
    };
    struct State {
        std::vector<Command> commands;
        FreeList free_commands;
        Fifo<std::uint32_t> for_cores;
        std::vector<Core> cores;
        std::vector<Fifo<std::uint32_t>> answers; ///< commands that are done, by queue
        Fifo<std::uint32_t> waiting_writes; ///< for room in the cache, and flushes between them
        std::uint32_t next_queue = 0;
        Fifo<Transfer> dram;
        Tick dram_free = 0;
        std::int64_t dram_remainder = 0;
        Timer dram_done;
        std::vector<Job> jobs;
        FreeList free_jobs;
        std::vector<Fifo<std::uint32_t>> outgoing; ///< jobs, by channel
        std::uint64_t channels_waiting = 0;        ///< those with something in `outgoing`
        std::vector<Fifo<std::uint32_t>> roomless; ///< jobs that wait for a page, by plane
        Fifo<std::uint32_t> roomless_anywhere;
        std::vector<Collection> collections; ///< by plane
        FtlState ftl;
        MapCacheState map;
        PageCacheState cache;
        DriveContentsState contents;
        std::uint32_t most_worn = 0;
    };

    explicit Drive(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    std::uint64_t sectors() const { return sectors_; } ///< that the host sees
    const Ftl& ftl() const { return *ftl_; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    // Commands (drive.cc)
    void fetch();
    void run_cores();
    void begin(std::uint32_t command);
    void begin_read(std::uint32_t command);
    void trim(std::uint32_t command);
    void take_writes();
    bool take_write(std::uint32_t command);
    void finish_transfers();
    bool answer();
    void use_dram(std::uint32_t command, std::uint32_t sectors);
    void done(std::uint32_t command, std::uint64_t sectors);
    std::uint32_t sector_mask(std::uint64_t sector, std::uint64_t sectors,
                              std::uint32_t& lpn) const;
    // Jobs (drive_jobs.cc)
    std::uint32_t make_job(const Job& job);
    void destage();
    void look_up(std::uint32_t job);
    void mapped(std::uint32_t job);
    void read_page(std::uint32_t job);
    void write_page(std::uint32_t job);
    void place(std::uint32_t job);
    void send(std::uint32_t job);
    void send_waiting();
    void answered(const protocol::FlashResponse& r);
    void was_read(std::uint32_t job, Contents::Id sensed);
    void keep(const Job& job, Contents::Id sensed);
    void programmed(std::uint32_t job);
    void finish_job(std::uint32_t job);
    void wait_for_room(std::uint32_t job, std::uint32_t plane);
    void map_changed(std::uint32_t lpn);
    void trim_map_cache();
    void write_translation(std::uint32_t page);
    void look_at_flash(std::uint32_t page, FunctionalAccess& access);
    std::uint32_t page_mask() const {
        return page_sectors_ == 32 ? ~0u : (1u << page_sectors_) - 1;
    }
    // Garbage collection (drive_gc.cc)
    void check_room(std::uint32_t plane);
    void collect(std::uint32_t plane, std::uint32_t record, bool cold);
    void go_on_collecting(std::uint32_t plane);
    void move_read(std::uint32_t job, Contents::Id sensed);
    void move_done(std::uint32_t job);
    void block_erased(std::uint32_t job);
    void room_made(std::uint32_t plane);

    Geometry geometry_;
    std::uint32_t page_sectors_ = 0;
    std::uint64_t sectors_ = 0;
    std::uint32_t host_pages_ = 0;
    std::uint32_t gc_blocks_ = 0; ///< free ones below which collection begins
    std::uint32_t per_map_page_ = 1;
    bool map_in_flash_ = false;
    WireTime dram_wire_;
    std::optional<Ftl> ftl_;
    std::optional<MapCache> map_;
    std::optional<PageCache> cache_;
    std::optional<DriveContents> contents_;
    struct Where {
        std::uint32_t channel;
        protocol::FlashPlace place;
    };
    std::vector<Where> where_;           ///< of each plane; divisions are slow
    std::vector<std::uint32_t> resumed_; ///< scratch
};

} // namespace memsim::flash
