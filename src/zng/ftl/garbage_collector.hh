#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "protocol/dispatch.hh"
#include "protocol/mem.hh"
#include "protocol/translation.hh"
#include "zng/ftl/held_applications.hh"
#include "zng/ftl/merges.hh"
#include "zng/layout/geometry.hh"
#include "zng/network/flash_network.hh"

namespace memsim::zng {

using namespace memsim::literals;

/// When a log block is merged: when it has few pages left, or not before its plane has no erased
/// block left for it to go on in.
enum class CollectWhen : std::uint8_t { low, used_up };
constexpr std::array<std::string_view, 2> names_of(CollectWhen) { return {"low", "used_up"}; }

/// ZnG's helper thread (IV-A): the owner of the log block mapping table, which merges log blocks,
/// levels wear and keeps the MMU's data block mapping table up to date.
///
/// Blocks are mapped blocks (zng/layout/address.hh): what is done to a block is done in each of its
/// planes. When a log block has few pages left in one of its planes, the collector extends it by an
/// erased block of its group if `when` is used_up and the group has one to spare; no request waits.
/// Otherwise it is merged: its application is held (the MMU translates nothing more for it, all
/// TLBs forget its blocks, and what is under way is answered), its lines are flushed from all
/// caches, and every data block of the log block is moved to a new one, page by page: log page,
/// data page and registers merged. Other applications go on. When all pages are there and nothing
/// of the application is under way, LBMT and DBMT name the new blocks, the application is resumed
/// (unless another of its log blocks is on the way), and the old ones are erased.
///
/// A new block is chosen of any group of planes that the pages reach: where fewest merges are under
/// way, then where a log block with room is, then the one erased least. A log block serves up to
/// `log_ratio` data blocks of one application.
///
/// Moves begin at once, before the application stands still: what is under way may wait for
/// registers, and registers for moves. A log block that serves data blocks on their way waits until
/// they are there; not until the tables say so, since it may be full of what is awaited for that.
///
/// The warp that does all this takes issue slots of the SM that is bound to `helper`; if none is,
/// it has an SM to itself. Each page costs it `instructions`, and it goes through the merges in
/// turn, `step` pages of each data block at a time.
///
/// Precondition: the MMU's pages are flash blocks, placed by identity; no two applications have
/// data blocks that share a log block. Not modelled: what becomes of the tables without power,
/// bad blocks, moving cold blocks to level wear.
class GarbageCollector final : public Model<GarbageCollector>, public HasLogBlocks {
  public:
    struct Params {
        FlashGeometry geometry;
        Param<unsigned> applications {1, {1, 64}, "Applications that run at once"};
        Param<std::string> footprints {
            "0B", "Bytes of each application's data, from its address 0 on, such as '1GiB,512MiB'"};
        Param<unsigned> controllers {16, {1, 256}, "Flash controllers", assumed("one a channel")};
        Param<unsigned> caches {0, {0, 256}, "L2 slices to be flushed"};
        Param<unsigned> helpers {
            0,
            {0, 1},
            "Whether collection runs in an assist warp of an SM; 0: in an SM of its own"};
        Param<unsigned> instructions {
            32,
            {1, 65536},
            "Warp instructions for a page moved: address, command, answer",
            assumed("no source gives it; range 8 to 256")};
        Param<Time> instruction_time {
            18'333'333_fs,
            {1_fs, 1_us},
            "Time of each instruction, in an SM to itself (22 cycles of 1.2 GHz, as "
            "gpu.Sm's arithmetic_latency)"};
        Param<unsigned> step {16, {1, 32768}, "Pages of each data block at a time", assumed()};
        Param<unsigned> ahead {2,
                               {1, 64},
                               "Pages of a block and plane asked for before their answers",
                               assumed("its plane never waits")};
        Param<unsigned> moves {
            64, {1, 4096}, "Pages being moved in a package at once (as many as planes)"};
        Param<unsigned> queue {
            32, {1, 65536}, "Moves and erases without an answer at a controller"};
        Param<unsigned> orders {
            16, {1, 65536}, "Orders without an answer at a cache, or at the MMU"};
        Param<unsigned> merges {
            1024, {1, 65536}, "Log blocks merged at once, and waiting at each controller's port"};
        Param<CollectWhen> when {
            CollectWhen::low,
            "Condition for a merge: few pages left of the log block (ZnG IV-A), or no erased block "
            "left of its planes either (III-B)"};
        Param<unsigned> table_entry_bits {
            60,
            {1, 1024},
            "Bits of a DBMT entry: VBN, LBN, PLBN and PDBN of 15 bits each",
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
                                  {.depth = from<&Params::merges>},
                                  "Log blocks to merge, from the flash controllers"};
        Many<Requester<protocol::Mem>> flush {
            from<&Params::caches>,
            {.depth = from<&Params::orders>, .latency = from<&Params::latency>},
            "L2 slices' control ports"};
        Requester<protocol::PageControl> mmu {{.depth = from<&Params::orders>,
                                               .latency = from<&Params::latency>,
                                               .needs = needs<protocol::HasPages>},
                                              "The MMU"};
        Many<Requester<protocol::Assist>> helper {
            from<&Params::helpers>,
            {.depth = [](const void*) { return 1u; }, .latency = from<&Params::latency>},
            "The SM that runs the helper thread"};
    };
    struct Stats {
        Counter log_lows {Unit::count, "Log blocks that were low"};
        Counter merges {Unit::count, "Log blocks merged"};
        Counter moved_pages {Unit::count, "Pages moved"};
        Counter erases {Unit::count, "Blocks erased"};
        Counter log_blocks {Unit::count, "Free blocks that became log blocks"};
        Counter extensions {Unit::count, "Free blocks in which a full log block went on"};
        Counter holds {Unit::count, "Times an application was held"};
        Counter steps {Unit::count, "Times the helper thread turned to a merge"};
        Counter instructions {Unit::count, "Warp instructions of the helper thread"};
        Level merging {Unit::count, "Log blocks being merged"};
        Level most_erases {Unit::count, "Erases of the block erased most (peak)"};
        Level erased_blocks {Unit::count, "Blocks that were erased at all (peak)"};
        Level table_entries {Unit::count, "Entries of the DBMT: blocks of the footprints (peak)"};
        Level table_bytes {Unit::byte,
                           "Bytes of the DBMT (peak; the paper has 80 KB for all flash)"};
        Each<ElapsedTime> held_time {from<&Params::applications>, Unit::time,
                                     "Time that each application was held"};
        Distribution merge_time {Unit::time, "Time from a low log block to its erase"};
        Distribution drain_time {Unit::time, "Time from a hold to the last answer under way"};
        Distribution flush_time {
            Unit::time, "Time from the last answer under way to the end of the caches' flush"};
    };
    struct State {
        MergeBlocksState blocks;
        MergeTableState merges;
        std::vector<HeldApplication> applications;
        std::vector<std::uint32_t> package_moves; ///< pages being moved in each
        std::vector<std::uint32_t> waiting;       ///< log blocks that are not merged yet
        Fifo<CollectRequest> extensions;          ///< that have not left
        Fifo<protocol::PageOrder> orders;
        std::vector<Fifo<std::uint16_t>> flushes; ///< applications, by cache
        Tick step_until = 0;                      ///< of the helper thread, in an SM to itself
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
    void send_extensions();
    bool begin(std::uint32_t log);
    bool has_room(const Served& served, std::uint32_t log) const;
    void send_orders();
    void order(protocol::PageOrderKind kind, std::uint16_t application, std::uint32_t tag);
    void resume();
    void send_moves();
    bool send_move(std::uint32_t merge, std::uint32_t move);
    void send_erases(std::uint32_t merge);
    void update_tables(Merge& m);
    void end(std::uint32_t merge);
    void run_helper();

    /// All that is asked about a package goes by one controller.
    std::uint32_t controller_of(std::uint32_t block, std::uint32_t page) const {
        return flash_.package_of(block, page) % params.controllers();
    }

    Flash flash_;
    std::vector<BlockRange> ranges_;
    std::optional<MergeBlocks> blocks_;
    std::optional<MergeTable> merges_;
    std::optional<HeldApplications> held_;
};

} // namespace memsim::zng
