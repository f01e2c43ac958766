#pragma once

#include "core/component.hh"
#include "core/free_list.hh"
#include "core/handler.hh"
#include "flash/nand.hh"
#include "protocol/flash_network.hh"
#include "zng/geometry.hh"
#include "zng/package_contents.hh"
#include "zng/registers.hh"

#include <optional>

namespace memsim::zng {

using namespace memsim::literals;
using protocol::FlashPacket;
using protocol::PacketKind;

/// How a page gets from its register to another plane. `none`: not at all, each plane has its
/// registers for itself. `swnet`: over the flash network, through a controller's buffer. `fcnet`:
/// every register is wired to every plane. `nif`: to the data register of that plane, over a local
/// network.
enum class RegisterNetwork : std::uint8_t { none, swnet, fcnet, nif };
constexpr std::array<std::string_view, 4> names_of(RegisterNetwork) {
    return {"none", "swnet", "fcnet", "nif"};
}
/// Which reads one sensing of a page serves: one, or all that wait for the page then.
enum class PageReuse : std::uint8_t { none, waiting };
constexpr std::array<std::string_view, 2> names_of(PageReuse) { return {"none", "waiting"}; }

/// A flash package of ZnG: Z-NAND planes with a programmable row decoder, and registers that cache
/// writes.
///
/// A line that is written goes to the register that holds its page, or to a free one, and is
/// answered. When less than `spare` registers are free, or a write finds none, the page written
/// longest ago is programmed to the next free page of its log block (the decoder's register of
/// in-order programming), and the LPMT names that page from then on. A page of which something is
/// missing is sensed and merged first. A read is served by registers as far as they hold its
/// sectors; for the rest the plane senses the page that the LPMT finds, or else the data page, and
/// the newest version of each byte wins.
/// A plane has a data register besides: a page that is sensed, or on its way to be programmed from
/// another plane's register, holds it. It works for one page at a time. Reads go before programs
/// unless writes wait for a register or a program has waited for `patience`.
/// A page whose log block is full stays in its register until a collector moves it: moves need no
/// register, and what comes for a page that has begun to move is forwarded to its new place, so
/// writes that wait for registers and a collector cannot wait for each other.
///
/// Precondition: requests to one line come one after another, each when the one before was
/// answered. Not modelled: suspend, read retry, bad blocks, programming without merging, the time
/// of the LPMT's search and programming (within tR and tPROG), contention on a plane's I/O path
/// other than at the package's port.
class Package final : public Model<Package>, public Functional {
  public:
    struct Params {
        PackageGeometry geometry;
        Param<unsigned> registers {
            8,
            {2, 64},
            "Registers of a plane (ZnG table I: 2 or 8), one of them its data register"};
        Param<RegisterNetwork> network {RegisterNetwork::nif,
                                        "How registers reach other planes (ZnG IV-C)"};
        Param<unsigned> spare {
            32,
            {0, 4096},
            "Registers kept free by programming ahead, at most a quarter of those "
            "that are shared (assumption; sweep 0-128)"};
        Param<bool> independent_planes {
            true, "Planes of a die work without each other (assumption: each has a row decoder)"};
        Param<PageReuse> reuse {PageReuse::waiting, "Which reads one sensing serves"};
        Param<Time> patience {
            200_us, {0_ns, 1_s}, "After which a program goes before reads (assumption: 2 tPROG)"};
        Param<unsigned> log_reserve {
            16, {0, 32767}, "Pages left of a log block when the collector is told (assumption)"};
        Param<Fraction> log_filled {0_pct,
                                    {0_pct, 100_pct},
                                    "Of each log block, programmed before the run at most: how "
                                    "much is drawn from the seed, "
                                    "any as likely (100 %: as in the long run)"};
        Param<flash::NandPreset> media {flash::NandPreset::z_nand, "Timing table"};
        Param<std::string> timing_changes {"", "Figures to replace, as 'tR0=3us tBERS=1ms'"};
        Param<Frequency> net_clock {800_MHz, {1_MHz, 100_GHz}, "Of the local network (as the I/O)"};
        Param<Bytes> net_width {
            8_B, {1_B, 256_B}, "Width of the register network (ZnG table I: HW-NiF 8 B)"};
        Param<unsigned> ports {2, {1, 8}, "I/O ports (ZnG table I: 2)"};
        Param<unsigned> port_queue {16, {1, 4096}, "Packets waiting or in flight to a port"};
        Param<unsigned> queue {1024,
                               {1, 65536},
                               "Requests without an answer: as many as "
                               "controllers may send, window x controllers"};
        Param<Time> latency {
            10_ns, {1_fs, 1_us}, "Of an answer, decoding and register selection (assumption)"};
        Param<unsigned> endpoint {0, {0, 65535}, "Of the first port; the others follow"};
        Param<unsigned> controller {
            0, {0, 65535}, "Endpoint of the controller that copies pages and is told of full logs"};
    };
    static unsigned all_planes(const void* params) {
        const auto& p = *static_cast<const Params*>(params);
        return p.geometry.dies() * p.geometry.planes();
    }
    struct Ports {
        Many<In<FlashPacket>> input {from<&Params::ports>,
                                     {.depth = from<&Params::port_queue>},
                                     "Requests from the flash network"};
        Many<Out<FlashPacket>> output {
            from<&Params::ports>, {.latency = from<&Params::latency>}, "Answers to it"};
    };
    struct Stats {
        Counter reads {Unit::count, "Lines read"};
        Counter read_bytes {Unit::byte, "Bytes that reads ask for"};
        Counter register_reads {Unit::count, "Reads that registers served alone"};
        Counter joined_reads {Unit::count, "Reads that joined others to their page"};
        Counter useful_bytes {Unit::byte, "Bytes sent of what was sensed for reads"};
        Counter writes {Unit::count, "Lines written"};
        Counter write_bytes {Unit::byte, "Bytes in them"};
        Counter write_hits {Unit::count, "Writes that found their page in a register"};
        Counter stalled_writes {Unit::count, "Writes that waited for a register"};
        Each<Counter> plane_writes {all_planes, Unit::count,
                                    "Lines written to pages of this plane"};
        Counter log_programs {Unit::count, "Pages programmed to log blocks"};
        Counter log_pages {Unit::count, "Of them, those not in the log block before"};
        Counter merges {Unit::count, "Pages sensed because their register held a part"};
        Counter migrations {Unit::count, "Pages that went to another plane"};
        Counter migrated_bytes {Unit::byte, "Bytes of them"};
        Counter migration_time {Unit::time, "Time that planes waited for them"};
        Counter log_lows {Unit::count, "Log blocks that came to their reserve"};
        Counter moves {Unit::count, "Pages moved by a collector"};
        Counter senses {Unit::count, "Pages sensed, for whatever reason"};
        Counter sensed_bytes {Unit::byte, "Bytes of them"};
        Counter page_reads {Unit::count, "Pages sensed for reads"};
        Counter pages_read {Unit::count, "Different pages among them"};
        Counter programs {Unit::count, "Pages programmed, for whatever reason"};
        Counter erases {Unit::count, "Blocks erased"};
        Counter sense_time {Unit::time, "Time of planes spent sensing"};
        Counter program_time {Unit::time, "Time of planes spent programming"};
        Counter erase_time {Unit::time, "Time of planes spent erasing"};
        Level programming {Unit::count, "Planes that are programming"};
        Level registers_used {Unit::count, "Registers that are not free"};
        Level touched_blocks {Unit::count, "Blocks touched so far (peak: how many)"};
        Level most_erases {Unit::count, "Erases of the block erased most (peak)"};
        Level erase_squares {Unit::count, "Squares of blocks' erases, in sum (peak): their spread"};
        Ratio useful_share {useful_bytes, sensed_bytes, "Useful bytes of those sensed"};
        Ratio register_hit_rate {write_hits, writes, "Writes that found their page in a register"};
        Ratio reads_per_page {page_reads, pages_read, "Times that a page was sensed for reads"};
        Ratio programs_per_page {log_programs, log_pages, "Programs for each page written"};
        Ratio writes_per_program {writes, log_programs, "Writes merged into a program"};
        Distribution read_latency {Unit::time, "From a read's acceptance to its answer's way out"};
    };

    struct Read {
        FlashPacket packet;
        Tick accepted = 0;
        std::uint32_t next = 0;
        std::uint8_t port = 0;
    };
    /// A page that is to be sensed, and the reads that wait for it.
    struct Sense {
        PageAddress address;
        std::uint64_t key = 0;
        std::uint32_t first = 0, last = 0; ///< reads
        std::uint32_t unsent = 0;          ///< answers in queues of ports
        bool output = false;               ///< it is in the data register
    };
    struct Op { ///< move or erase
        FlashPacket packet;
        Tick accepted = 0;
        std::uint8_t port = 0;
    };
    enum class Stage : std::uint8_t {
        idle,
        sensing,
        sending,
        merging,
        migrating,
        copying,
        programming,
        erasing,
        held
    };
    /// What works by itself: a plane, or a die. A page that it programs is its own copy by then.
    struct Worker {
        Fifo<std::uint32_t> senses, programs; ///< programs: registers
        Fifo<Op> erases;
        Stage stage = Stage::idle;
        bool moving = false;        ///< for a collector
        std::uint32_t sense = 0;    ///< sensing, sending
        std::uint32_t reg = 0;      ///< the register that is free when this is done, or none
        std::uint32_t from = 0;     ///< the plane that the page comes from
        std::uint32_t helper = 0;   ///< worker of that plane, held, or this one
        std::uint32_t copies = 0;   ///< packets of a copy that are not back
        std::uint32_t crossing = 0; ///< lines that cross wires, a bit each
        PageAddress address;        ///< whose page it is
        std::uint64_t key = 0;
        PageMask mask; ///< what is known of it
        Op op;
        Tick since = 0; ///< of the migration
    };
    struct Log {
        std::uint16_t assigned = 0; ///< pages programmed or promised to a register
        bool told = false;
        std::vector<std::uint64_t> owners; ///< page keys, by page programmed: the LPMT
    };
    struct Forward { ///< of a block whose pages are being moved
        std::uint32_t plane = 0, block = 0, log_block = 0;
        std::uint32_t begun = 0; ///< pages, from the first
    };
    struct Answer {
        FlashPacket packet;
        std::uint32_t sense = 0; ///< whose data register it empties, or none
        Tick accepted = 0;
        bool counts = false; ///< it ends a request
    };
    struct Done {
        std::uint32_t worker = 0;
    };
    struct State {
        std::vector<Worker> workers;
        std::vector<std::uint64_t> done;  ///< workers whose time is over, a bit each
        std::vector<std::uint64_t> ready; ///< workers that are idle and may have work
        std::vector<Read> reads;
        FreeList free_reads;
        std::vector<Sense> senses;
        FreeList free_senses;
        HashMap<std::uint32_t> sense_of;            ///< page to sense
        HashMap<std::uint32_t> leaving;             ///< page to worker that programs it
        std::vector<Fifo<Op>> stalled;              ///< writes that wait for a register, by pool
        HashMap<std::uint32_t> stalled_pages;       ///< how many, by pool and page
        std::vector<std::uint32_t> stalled_of_pool; ///< pages
        Fifo<Op> moves;
        HashMap<Forward> forwards; ///< by plane x blocks + block
        RegisterState registers;
        HashMap<Log> logs;           ///< by plane x blocks + block
        HashMap<std::uint32_t> lpmt; ///< page to block x pages + page of its log block
        std::vector<Tick> net_free;  ///< by plane
        std::vector<std::int64_t> net_remainder;
        std::vector<Fifo<Answer>> answers; ///< by port
        std::uint32_t outstanding = 0;     ///< requests
        std::uint32_t working = 0;         ///< workers that are not idle
        std::uint32_t programming = 0;
        std::uint32_t used = 0; ///< registers
        std::uint64_t erase_squares = 0;
        flash::NandArrayState array;
        flash::PageContents held; ///< pages of registers and workers: see PackageContents
        std::uint32_t touched = 0;
        HashMap<std::uint64_t>
            read_before; ///< a bit a page, by page key / 64: those sensed for reads
    };

    explicit Package(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override { return state.outstanding + state.working > 0; }
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    const flash::NandTiming& timing() const { return timing_; }
    const flash::NandArray& array() const { return *array_; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    static constexpr std::uint32_t none = ~0u;

    // package.cc: requests and answers, registers
    void accept(const FlashPacket& p, unsigned from_port);
    void read(const Read& r);
    bool write(const Op& w, bool first);
    void serve_stalled(std::uint32_t pool);
    void evict(std::uint32_t pool, std::uint32_t waiting);
    void answer(const Op& request, PacketKind kind, std::uint32_t bytes);
    void answer_read(const Read& r, Contents::Id contents, std::uint32_t sense);
    void send_answers();
    /// What registers and pages on their way into the array have of a line; returns the sectors
    /// that must come from the array.
    unsigned newest(std::uint64_t key, unsigned line, unsigned sectors);
    PagePlaces places_of(const PageAddress& a) const;
    std::uint64_t array_page(const PageAddress& a) const;
    bool promise(const PageAddress& a);
    Log& log_at(std::uint32_t plane, std::uint32_t block);
    /// Where the page is now, if it is being moved.
    PageAddress forwarded(const PageAddress& a) const;
    std::uint32_t pool_of(std::uint32_t plane) const {
        return state.stalled.size() == 1 ? 0 : plane;
    }

    // package_array.cc: what planes do
    void worker_done(const Done& d);
    void finish(std::uint32_t worker);
    void begin(std::uint32_t worker);
    void start_moves();
    void sense(std::uint32_t worker, const PageAddress& a, Stage stage);
    void sensed(std::uint32_t worker);
    void begin_program(std::uint32_t worker, std::uint32_t reg);
    void begin_move(std::uint32_t from, std::uint32_t to, const Op& op);
    void migrate(std::uint32_t worker);
    void send_copies(std::uint32_t worker);
    void migrated(std::uint32_t worker);
    void program(std::uint32_t worker);
    void programmed(std::uint32_t worker);
    void erase(std::uint32_t worker, const Op& op);
    void take_register(std::uint32_t worker);
    void become_idle(std::uint32_t worker);
    void busy(std::uint32_t worker, Stage stage, Time t);
    void count_touched();
    /// The page of the array that holds the newest version, as the row decoder finds it.
    void locate(const PageAddress& a, std::uint32_t& block, std::uint32_t& page) const;

    PageAddress address_of(const FlashPacket& p) const {
        return {p.at.die * params.geometry.planes() + p.at.plane, p.block, p.log_block, p.page};
    }
    std::uint64_t block_key(std::uint32_t plane, std::uint32_t block) const {
        return std::uint64_t {plane} * params.geometry.blocks() + block;
    }
    std::uint64_t key_of(const PageAddress& a) const {
        return block_key(a.plane, a.block) * params.geometry.pages() + a.page;
    }
    /// A page may wait in two pools: that of its old place, and that of where it was moved to.
    std::uint64_t stalled_key(const FlashPacket& p, std::uint32_t pool) const {
        return key_of(address_of(p)) * state.stalled.size() + pool;
    }
    std::uint32_t worker_of(std::uint32_t plane) const {
        return params.independent_planes() ? plane : plane / params.geometry.planes();
    }
    void mark(std::vector<std::uint64_t>& bits, std::uint32_t i) {
        bits[i / 64] |= std::uint64_t {1} << (i % 64);
    }

    flash::NandTiming timing_ {};
    std::optional<flash::NandArray> array_;
    std::optional<RegisterFile> registers_;
    std::optional<PackageContents> contents_;
    WireTime net_;
    std::uint32_t spare_ = 0;
    std::uint32_t first_log_ = 0, last_log_ = 0; ///< of a plane at the start
    std::uint32_t filled_ = 0;                   ///< pages at most, then
    bool again_ = false;                         ///< scratch of wake()
};

} // namespace memsim::zng
