#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "protocol/dispatch.hh"
#include "protocol/mem.hh"
#include "protocol/translation.hh"
#include "zng/ftl/collect_requests.hh"
#include "zng/ftl/held_applications.hh"
#include "zng/layout/geometry.hh"
#include "zng/network/flash_network.hh"

namespace memsim::zng {

using namespace memsim::literals;

/// When a log block is merged: when few of its pages are left, or only when its planes have no
/// erased block to extend it with.
enum class CollectWhen : std::uint8_t { low, used_up };
constexpr std::array<std::string_view, 2> names_of(CollectWhen) { return {"low", "used_up"}; }

/// The helper thread of ZnG (IV-A): owns the log block mapping table (LBMT), merges log blocks,
/// levels wear and updates the MMU's data block mapping table (DBMT).
///
/// Blocks are mapped blocks (zng/layout/address.hh): an operation on a block applies to each of its
/// planes. When a log block has few pages left in a plane:
/// 1. If `when` is used_up and the group can spare an erased block, the log block is extended with
///    it; no request waits. Otherwise the log block is merged, in steps 2 to 5.
/// 2. Its application is held: the MMU stops translating for it, all TLBs drop its blocks, and
///    outstanding requests are answered.
/// 3. Lines of the application are flushed from all caches.
/// 4. Every data block of the log block moves to a new block, page by page; log page, data page and
///    registers are merged. Moves begin at once, before step 2 ends, because outstanding requests
///    may wait for registers and registers for moves.
/// 5. When all pages have moved and the application is idle, LBMT and DBMT change to the new
///    blocks. The application resumes unless another of its log blocks is being merged. The old
///    blocks are erased.
///
/// Models        the choice of new blocks: among all groups that the pages can reach, the one with
///               the fewest merges, then one with an open log block, then the block erased least. A
///               log block serves up to `log_ratio` data blocks of one application. The warp that
///               runs the collector uses issue slots of the SM bound to `helper`, or of an SM of
///               its own if unbound. Each page costs `instructions`; merges are served in turn,
///               `step` pages of each data block at a time.
/// Ordering      A log block that serves moving data blocks is merged after these have arrived. It
///               does not wait for the table update, which may depend on requests that wait for
///               this log block.
/// Requires      The MMU's pages are flash blocks, placed by identity; data blocks of two
///               applications do not share a log block.
/// Not modelled  Loss of the tables without power; bad blocks; moves of cold blocks for wear
///               levelling.
class GarbageCollector final : public Model<GarbageCollector>, public HasLogBlocks {
  public:
    struct Params {
        FlashGeometry geometry;
        Param<unsigned> applications {1, {1, 64}, "Applications that run at once", from_wiring()};
        Param<std::string> footprints {
            "0B", "Bytes of each application's data, from address 0, such as '1GiB,512MiB'",
            example_value()};
        Param<unsigned> controllers {16, {1, 256}, "Flash controllers", assumed("one a channel")};
        Param<unsigned> caches {0, {0, 256}, "L2 slices to flush", from_wiring()};
        Param<unsigned> instructions {32,
                                      {1, 65536},
                                      "Warp instructions per moved page: address, command, answer",
                                      assumed("no source gives it; range 8 to 256")};
        Param<Time> instruction_time {
            18'333'333_fs,
            {1_fs, 1_us},
            "Time of each instruction in an SM of its own (22 cycles of 1.2 GHz, as "
            "gpu.Sm's arithmetic_latency)",
            cited("CUDA C Programming Guide 4.2, section 5.2.3: about 22 cycles")};
        Param<unsigned> step {
            16, {1, 32768}, "Pages of each data block per turn of a merge", assumed()};
        Param<unsigned> ahead {
            2, {1, 64}, "Outstanding moves per block and plane", assumed("its plane never waits")};
        Param<unsigned> moves {64,
                               {1, 4096},
                               "Pages moved at once within a package (its planes)",
                               assumed("as many as a package has planes")};
        Param<unsigned> queue {
            32, {1, 65536}, "Outstanding moves and erases at a controller", queue_places()};
        Param<unsigned> orders {
            16, {1, 65536}, "Outstanding orders at a cache or at the MMU", queue_places()};
        Param<unsigned> reports {1024,
                                 {1, 65536},
                                 "Reports of low log blocks queued per controller port",
                                 queue_places()};
        Param<CollectWhen> when {
            CollectWhen::low,
            "Condition for a merge: few pages left in the log block (ZnG IV-A), or no erased block "
            "left in its planes, too (III-B)",
            stated("ZnG IV-A: few pages are left")};
        Param<unsigned> table_entry_bits {
            60,
            {1, 1024},
            "Bits per DBMT entry: VBN, LBN, PLBN and PDBN of 15 bits each",
            inferred("80 KB for 1 TB (zng-31): 10,923 blocks of 64 planes")};
        Param<Time> latency {5_ns,
                             {1_fs, 1_ms},
                             "Latency of messages to controllers, caches and the MMU",
                             assumed("crossbar")};
    };
    struct Ports {
        Many<Requester<Collect>> collect {
            from<&Params::controllers>,
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>},
            "Moves, erases and extensions, to the flash controllers"};
        Many<In<LogLow>> log_low {from<&Params::controllers>,
                                  {.depth = from<&Params::reports>},
                                  "Log blocks to merge, from the flash controllers"};
        Many<Requester<protocol::Mem>> flush {
            from<&Params::caches>,
            {.depth = from<&Params::orders>, .latency = from<&Params::latency>},
            "L2 slices' control ports"};
        Requester<protocol::PageControl> mmu {{.depth = from<&Params::orders>,
                                               .latency = from<&Params::latency>,
                                               .needs = needs<protocol::HasPages>},
                                              "The MMU"};
        Optional<Requester<protocol::Assist>> helper {
            {.depth = [](const void*) { return 1u; }, .latency = from<&Params::latency>},
            "The SM that runs the helper thread in an assist warp; unbound: its own SM"};
    };
    struct Stats {
        Counter log_lows {Unit::count, "Reports of log blocks with few pages left"};
        Counter merges {Unit::count, "Log blocks merged"};
        Counter moved_pages {Unit::count, "Pages moved"};
        Counter erases {Unit::count, "Blocks erased"};
        Counter log_blocks {Unit::count, "Free blocks turned into log blocks"};
        Counter extensions {Unit::count, "Free blocks added to full log blocks"};
        Counter holds {Unit::count, "Times an application was held"};
        Counter steps {Unit::count, "Steps of the helper thread, each for one merge"};
        Counter instructions {Unit::count, "Warp instructions of the helper thread"};
        Level merging {Unit::count, "Log blocks being merged"};
        Level most_erases {Unit::count, "Erases of the block erased most (peak)"};
        Level erased_blocks {Unit::count, "Blocks that were erased at all (peak)"};
        Level table_entries {Unit::count,
                             "Entries of the DBMT, one per block of the footprints (peak)"};
        Level table_bytes {Unit::byte,
                           "Bytes of the DBMT (peak; the paper states 80 KB for all flash)"};
        Each<ElapsedTime> held_time {from<&Params::applications>, Unit::time,
                                     "Time that each application was held"};
        Distribution merge_time {Unit::time,
                                 "Time from the report of a low log block to its erase"};
        Distribution drain_time {Unit::time, "Time from a hold to the last outstanding answer"};
        Distribution flush_time {
            Unit::time, "Time from the last outstanding answer to the end of the cache flush"};
    };
    struct State {
        MergeBlocksState blocks;
        MergeTableState merges;
        std::vector<HeldApplication> applications;
        std::vector<std::uint32_t> package_moves; ///< by package: pages being moved
        std::vector<std::uint32_t> waiting;       ///< log blocks whose merge has not begun
        Fifo<CollectRequest> extensions;          ///< not yet sent
        Fifo<protocol::PageOrder> orders;
        std::vector<Fifo<std::uint16_t>> flushes; ///< applications, by cache
        Tick step_until = 0;                      ///< of the helper thread in an SM of its own
        Timer step_end;
    };

    explicit GarbageCollector(const Params& p) : params(p) {}
    void init() override;
    void start() override;
    void wake() override;
    bool pending() const override { return !state.merges.active.empty(); }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    std::vector<MemoryUse> memory_uses() const override;
    const LogBlocks& log_blocks() const override { return state.blocks.logs; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void take_answers();
    void take_lows();
    bool is_known(const LogLow& low) const;
    bool extend(std::uint32_t log);
    bool begin_merge(std::uint32_t log);
    bool has_room(const Served& served, std::uint32_t log) const;
    void send_orders();
    void resume_applications();
    void advance_merges();
    void update_tables(Merge& m);
    void end_merge(std::uint32_t merge);
    void run_helper();

    Flash flash_;
    std::vector<BlockRange> ranges_;
    std::optional<MergeBlocks> blocks_;
    std::optional<MergeTable> merges_;
    std::optional<CollectRequests> requests_;
    std::optional<HeldApplications> held_;
};

} // namespace memsim::zng
