#pragma once

#include "core/functional.hh"
#include "core/hash_map.hh"
#include "parts/sector_store.hh"
#include "xpoint/line_sectors.hh"
#include "xpoint/start_gap.hh"

namespace memsim::xpoint {

using namespace memsim::literals;

/// One 3D XPoint module: the media and the controller in its logic layer (Ohm-GPU III-A).
///
/// Media: 256-byte lines over `partitions` that work at the same time; one operation keeps its
/// partition busy for t_read or t_write. Start-Gap maps lines; every psi writes one line is copied
/// into the gap, at the price of a media read and a media write.
/// Controller: a load/store queue; a read buffer, in which a line stays until its place is needed;
/// a persistent write buffer, in which writes to one line coalesce and from which reads are served.
/// A write is done when the write buffer has it. The buffer drains to the media from drain_high
/// lines down to drain_low; reads go before drains, unless the buffer is full. A line that was not
/// written whole is read before it is written back.
/// With `swaps` it has a DDR sequence generator (Ohm-GPU V-A): upon SWAP-CMD a page of the media
/// and a row of the DRAM, over the memory route, are read into a register and written back
/// crosswise; ready is said when the row is written and the write buffer has the page. A register
/// is free when the memory controller has confirmed.
/// Reads and writes of a line take effect in the order in which they arrive: a write to a line that
/// is being read waits at the head of the queue, and so does everything behind it.
/// Snarf: of the DRAM lines that it sees pass it compares the tag with the request's; a dirty line
/// of another address it takes over (Ohm-GPU IV-B). Such lines wait in the register in front of the
/// device until the write buffer has room, the oldest first; commands for their lines wait for
/// them.
///
/// Not modelled: ECC and its failures, bit-level write schemes, media power limits, refresh of
/// disturbed lines, energy (statistics of media operations are there to compute it).
class Module final : public Model<Module>, public Functional {
  public:
    struct Params {
        Param<Bytes> capacity {8_GiB,
                               {4_KiB, Bytes {std::int64_t {1} << 50}},
                               "Capacity (Ohm-GPU table III: 8 GiB planar, 32 GiB two-level)"};
        Param<unsigned> partitions {
            16, {1, 64}, "Partitions (assumption: 16 x 256 B give 5.4 GB/s of writes; sweep 4-64)"};
        Param<Time> t_read {
            190_ns, {1_ns, 1_ms}, "Media read (Ohm-GPU table I: 190 ns)", Change::tunable};
        Param<Time> t_write {
            763_ns, {1_ns, 1_ms}, "Media write (Ohm-GPU table I: 763 ns)", Change::tunable};
        Param<unsigned> psi {
            100, {1, 1u << 20}, "Writes to a move of the gap (Start-Gap, MICRO'09: 100)"};
        Param<unsigned> loads {
            64, {1, 64}, "Reads accepted and not yet sent (load/store queue of Optane: 64)"};
        Param<unsigned> read_buffer {
            64, {1, 64}, "Lines of the read buffer (Optane: 64 x 256 B; sweep 16-64)"};
        Param<unsigned> write_buffer {
            64, {1, 64}, "Lines of the write buffer (Optane: 64 x 256 B; sweep 16-64)"};
        Param<unsigned> drain_high {
            48, {1, 64}, "Lines at which draining begins (assumption: 3/4; sweep 1-64)"};
        Param<unsigned> drain_low {
            16, {0, 63}, "Lines at which it ends (assumption: 1/4; sweep 0-63)"};
        Param<Bytes> snarf_register {16_KiB,
                                     {128_B, 1_MiB},
                                     "In front of the device, for snarfed lines (Ohm-GPU III-A: "
                                     "16 KB)"};
        Param<unsigned> queue {
            8, {1, 4096}, "Commands in flight or waiting to be accepted (assumption)"};
        Param<Time> ready_latency {
            5_ns,
            {1_fs, 1_us},
            "From data in the read buffer to the controller's knowing: half of the DDR-T handshake "
            "of 10 ns (assumption, below Optane's 305 ns random read; sweep 0-75 ns in all)"};
        Param<Time> channel_latency {
            3300_ps,
            {1_fs, 1_us},
            "Of data to the controller; as the controller's (see ohm.PlanarController)"};
        Param<unsigned> swaps {
            0, {0, 64}, "Swaps by itself at most, two pages of register each; 0: no swap function"};
    };
    struct Ports {
        Responder<protocol::Ddrt> commands {
            {.depth = from<&Params::queue>, .latency = from<&Params::ready_latency>},
            "Commands, answered by ready"};
        Responder<protocol::DdrtTransfer> transfers {
            {.depth = from<&Params::loads>, .latency = from<&Params::channel_latency>},
            "Grants, answered by data"};
        Many<Requester<protocol::DdrSequence>> dram {
            +[](const void* p) { return static_cast<const Params*>(p)->swaps() ? 1u : 0u; },
            {.depth = +[](const void* p) { return 32 * static_cast<const Params*>(p)->swaps(); },
             .latency = from<&Params::channel_latency>},
            "DDR sequences to the DRAM over the memory route; one with the swap function"};
    };
    struct Stats {
        Counter reads {Unit::count, "Read commands accepted"};
        Counter writes {Unit::count, "Write commands accepted"};
        Counter read_bytes {Unit::byte, "Bytes asked for by read commands accepted"};
        Counter sent_bytes {Unit::byte, "Bytes sent to the memory controller"};
        Counter write_bytes {Unit::byte, "Bytes taken with write commands"};
        Counter read_buffer_hits {Unit::count, "Reads that found their line in the read buffer"};
        Counter read_merges {Unit::count, "Reads that joined a media read under way"};
        Counter forwarded {Unit::count, "Reads served from the write buffer"};
        Counter coalesced {Unit::count, "Writes that joined a line in the write buffer"};
        Counter snarfs {Unit::count, "Lines of DRAM seen passing, and their tags compared"};
        Counter snarfed {Unit::count, "Of them, dirty victims taken over"};
        Counter reverse_writes {Unit::count, "Lines sent to the DRAM, the controller watching"};
        Level in_register {Unit::count, "Snarfed lines waiting for the write buffer"};
        Counter media_reads {Unit::count, "Lines read from the media, for whatever reason"};
        Counter media_writes {Unit::count, "Lines written to the media, gap moves included"};
        Counter refills {Unit::count, "Media reads because a line was written in part"};
        Counter partition_conflicts {Unit::count, "Media reads that found their partition busy"};
        Counter swaps {Unit::count, "Pages exchanged with the DRAM by the swap function"};
        Counter gap_moves {Unit::count, "Lines copied into the gap"};
        Counter stalls {Unit::count, "Commands that waited at the head of the queue"};
        Counter stall_time {Unit::time, "The time they waited"};
        Counter media_time {Unit::time, "Busy time, summed over partitions"};
        Distribution read_latency {Unit::time, "From a read command's acceptance to its ready"};
        Level lines_written {Unit::count, "Physical lines written so far (peak: how many)"};
        Level most_writes {Unit::count, "Writes to the physical line written most (peak)"};
        Level wear_squares {Unit::count, "Sum over physical lines of their writes squared (peak)"};
        Level hottest {Unit::count,
                       "Writes drained to the logical line written most: what one place would bear "
                       "without Start-Gap (peak)"};
    };

    struct Load {
        std::uint64_t address = 0;
        std::uint32_t id = 0;
        std::uint32_t bytes = 0;
        std::uint16_t sectors = 0; ///< as in the command
        std::uint8_t entry = 0;    ///< of the read buffer, if it waits for the media or holds data
        bool holds_entry = false;
        bool ready = false;
        Tick accepted = 0;
        Contents::Id contents; ///< when it is ready, where the machine carries them

        std::uint32_t payload() const { return protocol::payload(*this); }
    };
    enum class Fill : std::uint8_t { none, waiting, reading, valid };
    struct ReadEntry {
        std::uint64_t line = 0;
        std::uint64_t order = 0;
        std::uint64_t users = 0; ///< loads that have not been sent, a bit each
        Fill fill = Fill::none;
        bool listed = false; ///< in read_lines: later reads may use it
    };
    struct WriteEntry {
        std::uint64_t line = 0;
        std::uint64_t order = 0;
        std::uint8_t sectors = 0; ///< written whole, a bit each
        bool draining = false;
    };
    enum class Op : std::uint8_t { none, read, write, gap_read, gap_write };
    struct Partition {
        Op op = Op::none;
        std::uint8_t entry = 0;
        std::uint64_t physical = 0;
        std::uint64_t waiting_reads = 0;  ///< entries of the read buffer, a bit each
        std::uint64_t waiting_writes = 0; ///< entries of the write buffer, a bit each
        Timer done;
    };
    enum class Move : std::uint8_t { none, due, reading, copied, writing };
    struct Grant {
        Tick at = 0;
        std::uint32_t load = 0;
    };
    /// A page and a row on their way; a bit a line.
    struct SwapJob {
        using Mask = std::uint16_t;
        std::uint64_t xpoint = 0, dram = 0;
        std::uint32_t id = 0;
        bool live = false;
        bool ready = false; ///< said, not yet confirmed
        Mask all = 0;
        Mask media_asked = 0, media_read = 0, written = 0;
        Mask dram_asked = 0, dram_read = 0, write_asked = 0, dram_written = 0;
    };
    /// What lies where, in the machine's contents.
    struct ModuleContents {
        parts::SectorStore media;        ///< by physical line
        parts::SectorStore read_buffer;  ///< by entry
        parts::SectorStore write_buffer; ///< by entry: what was written, and no other byte
        parts::SectorStore registers;    ///< by swap, its page of the media before its row
    };
    struct State {
        std::vector<Load> loads;
        std::uint64_t free_loads = 0; ///< a bit each, as below
        HashMap<std::uint32_t> load_of;
        std::vector<ReadEntry> read_buffer;
        std::uint32_t next_read_entry = 0; ///< where the search for a place begins
        HashMap<std::uint8_t> read_lines;
        std::vector<WriteEntry> write_buffer;
        std::uint64_t free_writes = 0;
        HashMap<std::uint8_t> write_lines;   ///< the youngest entry of a line
        Fifo<protocol::DdrtCommand> snarfed; ///< in the register
        std::vector<Partition> partitions;
        std::uint64_t at_work = 0;    ///< partitions that are, a bit each
        std::uint64_t with_reads = 0; ///< those with waiting reads
        std::uint64_t with_writes = 0;
        StartGap levelling;
        Move move = Move::none;
        std::uint64_t writes_since_move = 0;
        std::uint64_t order = 0;
        bool draining = false;
        Tick stalled_since = never;
        std::vector<Grant> granted; ///< by time
        Timer send;
        std::vector<SwapJob> swaps;
        HashMap<std::uint32_t> wear; ///< writes to each physical line
        std::uint32_t most_worn = 0;
        std::uint64_t wear_squares = 0;
        HashMap<std::uint32_t> heat; ///< writes drained to each logical line
        std::uint32_t hottest = 0;
        ModuleContents contents;
        // Balance, apart from statistics, which may be reset.
        std::uint64_t accepted_bytes = 0;
        std::uint64_t sent_bytes = 0;
    };

    explicit Module(const Params& p) : params(p) {}
    void init() override;
    void wake() override;
    bool pending() const override;
    void waits_on(WaitReport& report) const override;
    void check_loaded(Loader& l) const override;
    std::optional<std::string> imbalance() const override;
    void functional(const PortBase& at, FunctionalAccess& access) override;

    std::uint64_t lines() const { return lines_; }
    unsigned partition_of(std::uint64_t physical) const {
        return static_cast<unsigned>(physical % params.partitions());
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    bool accept(const protocol::DdrtCommand& c);
    bool accept_read(const protocol::DdrtCommand& c);
    bool accept_write(const protocol::DdrtCommand& c);
    int free_read_entry();
    unsigned buffered_writes() const;
    void become_ready(Load& load, const parts::SectorStore& buffer, unsigned entry);
    void send_granted();
    void release(std::uint32_t slot);
    // module_media.cc
    void place_read(std::uint64_t entry);
    void place_write(std::uint64_t entry);
    void place_all_again();
    void start_operations();
    void start_operation(unsigned index);
    bool start_gap_move(Partition& p, unsigned index);
    void begin(Partition& p, Op op, std::uint64_t entry, std::uint64_t physical, Time t);
    void finish_operations();
    void finish_read(Partition& p);
    void finish_write(Partition& p);
    void finish_gap_move(Partition& p);
    void count_wear(std::uint64_t physical);
    // module_snarf.cc
    void snarf(const protocol::DdrtCommand& c);
    bool in_register(std::uint64_t line) const;
    void empty_register();
    // module_swap.cc
    bool accept_swap(const protocol::DdrtCommand& c);
    void take_sequence();
    void swap_line_read(std::uint32_t id, const parts::SectorStore& buffer, unsigned entry);
    void advance_swaps();
    void read_swap(SwapJob& job);
    void write_swap(SwapJob& job);
    // module_contents.cc
    void take_contents(std::uint8_t entry, const protocol::DdrtCommand& c);
    void read_line(const ReadEntry& e, std::uint64_t physical);
    void write_line(const WriteEntry& e, std::uint64_t physical);
    void copy_line(std::uint64_t from, std::uint64_t to);
    void add_written(std::uint8_t entry, std::uint64_t sector, SectorBytes& to) const;
    SectorBytes newest(std::uint64_t line, std::uint64_t sector) const;
    Contents::Id from_register(std::uint64_t sector) {
        return sim().contents().enabled()
                   ? state.contents.registers.take_out(sim().contents(), sector, line_sectors)
                   : Contents::Id {};
    }
    std::uint64_t in_register(std::uint32_t job, bool row, std::uint32_t piece) const {
        return ((job * 2u + row) * 16u + piece) * line_sectors;
    }

    /// In the ids of loads for swaps: no memory controller asked for them.
    static constexpr std::uint32_t own_load = 1u << 30;

    std::uint64_t lines_ = 0; ///< logical
};

} // namespace memsim::xpoint
