#pragma once

#include "core/base/bits.hh"
#include "xpoint/open_row.hh"
#include "xpoint/read_buffer.hh"
#include "xpoint/start_gap.hh"
#include "xpoint/wear.hh"
#include "xpoint/write_buffer.hh"

namespace memsim::xpoint {

using namespace memsim::literals;

struct MediaParams {
    using group = void;
    Param<Bytes> capacity {8_GiB,
                           {4_KiB, Bytes {std::int64_t {1} << 50}},
                           "Capacity",
                           stated("Ohm-GPU table III: 8 GiB planar, 32 GiB two-level")};
    Param<unsigned> partitions {
        16, {1, 64}, "Partitions", assumed("16 x 256 B give 5.4 GB/s of writes; range 4-64")};
    Param<Time> t_read {
        190_ns, {1_ns, 1_ms}, "Media read", stated("Ohm-GPU table I: 190 ns"), Change::tunable};
    Param<Time> t_write {
        763_ns, {1_ns, 1_ms}, "Media write", stated("Ohm-GPU table I: 763 ns"), Change::tunable};
    Param<Bytes> row {256_B,
                      {256_B, 16_KiB},
                      "Size of the row that a partition keeps open (a DRAM's: 2 KiB). 256 B: one "
                      "line, no row buffer",
                      power_of_two(),
                      assumed("a line of 256 B without a row buffer")};
    Param<Time> t_column {8900_ps,
                          {1_ps, 1_ms},
                          "Time of an access to a line of an open row",
                          stated("ZnG table I, Optane: tCL 8.9 ns"),
                          Change::tunable};
    Param<unsigned> psi {
        100,
        {1, 1u << 20},
        "Writes between moves of the gap",
        assumed(
            "the interval that Start-Gap (Qureshi et al., MICRO'09) is known for; not looked up")};
    Param<Energy> read_energy {5120_pJ,
                               {0_fJ, Energy {1'000'000'000'000}},
                               "Energy of reading a line from the media",
                               cited("Lee et al., ISCA'09, array energy of PCM, as others quote "
                                     "it: 2.47 pJ a bit; here 2.5")};
    Param<Energy> write_energy {34406400_fJ,
                                {0_fJ, Energy {1'000'000'000'000}},
                                "Energy of writing a line to the media",
                                cited("Lee et al., ISCA'09, array energy of PCM, as others quote "
                                      "it: 16.82 pJ a bit; here 16.8")};
};

struct MediaStats {
    using group = void;
    Counter media_reads {Unit::count, "Lines read from the media for any reason"};
    Counter rows_opened {Unit::count, "Rows opened; 0 without row buffers"};
    Counter rows_closed {Unit::count, "Rows written to the media because another row was opened"};
    Counter refills {Unit::count, "Media reads to complete a partly written line"};
    Counter partition_conflicts {Unit::count, "Media reads that found their partition busy"};
    Counter gap_moves {Unit::count, "Lines copied into the gap"};
    ElapsedTime media_time {"Busy time, summed over partitions"};
    Counter media_energy {Unit::energy, "Energy of lines read from and written to the media"};
};

struct MediaState {
    enum class Op : std::uint8_t { none, read, write, gap_read, gap_write };
    struct Partition {
        Op op = Op::none;
        std::uint8_t entry = 0; ///< in the read or write buffer
        std::uint64_t physical = 0;
        std::uint64_t waiting_reads = 0;  ///< mask of entries of the read buffer
        std::uint64_t waiting_writes = 0; ///< mask of entries of the write buffer
        Tick done = 0;
        OpenRow open;
    };
    enum class Move : std::uint8_t { none, due, reading, copied, writing };

    std::vector<Partition> partitions;
    std::uint64_t at_work = 0;    ///< mask of busy partitions
    std::uint64_t with_reads = 0; ///< mask of partitions with waiting reads
    std::uint64_t with_writes = 0;
    Tick next_done = never; ///< first completion of a busy partition
    bool draining = false;  ///< the write buffer is being drained
    StartGap levelling;
    Move move = Move::none;
    std::uint64_t writes_since_move = 0;
    Wear wear;
    device_parts::SectorStore contents; ///< by physical line
};

/// The media of a module: 256-byte lines in partitions that work in parallel.
///
/// Models        An operation occupies its partition for t_read or t_write, or for both if a line
///               was partly written. If a row is larger than a line, a partition is a bank: lines
///               of its open row take t_column each; another row takes t_read before, and t_write
///               before that if the open row was written. Rows that were only read need no
///               write-back. Start-Gap maps lines; every psi writes one line is copied into the
///               gap, which costs a media read and a media write.
/// Ordering      Accesses to the open row go first. Reads for the read buffer precede drains of the
///               write buffer, unless the write buffer is full. Otherwise the oldest goes first.
class Media {
  public:
    using State = MediaState;

    /// All arguments outlive it.
    Media(const MediaParams& params, MediaStats& stats, WearStats& wear, State& state,
          ReadBuffer& reads, WriteBuffer& writes, bool with_contents)
        : params_(params), stats_(stats), wear_(wear), state_(state), reads_(reads),
          writes_(writes), with_contents_(with_contents) {}
    void init();
    std::uint64_t lines() const { return lines_; }

    /// Queues the read of a line into its place in the read buffer.
    void read(std::uint8_t entry);
    /// Queues a line of the write buffer to be written when the buffer is drained.
    void write(std::uint8_t entry) { place_write(entry); }
    /// Starts draining the write buffer. Draining stops at `drain_low`.
    void drain() { state_.draining = true; }

    /// Starts all operations that can start.
    void start(Tick now);
    /// Completes the finished operations. Calls line_read(entry) for each line that is now in the
    /// read buffer.
    template <class F>
    void finish(Tick now, unsigned drain_low, F&& line_read) {
        if (state_.next_done > now) return;
        state_.next_done = never;
        for_each_bit(state_.at_work, [&](std::uint32_t i) {
            State::Partition& p = state_.partitions[i];
            if (p.done > now) {
                state_.next_done = std::min(state_.next_done, p.done);
                return;
            }
            const State::Op op = std::exchange(p.op, State::Op::none);
            state_.at_work &= ~(std::uint64_t {1} << i);
            if (op == State::Op::read) {
                fill(p);
                line_read(p.entry);
            } else
                finish(p, op, drain_low, now);
        });
    }
    Tick next_done() const { return state_.next_done; }
    bool idle() const { return state_.at_work == 0 && state_.move == State::Move::none; }
    void check_loaded(Loader& l) const;

    /// Reads a sector of a line, without the write buffer.
    void read_sector(std::uint64_t line, std::uint64_t sector, SectorBytes& to) const {
        state_.contents.read(state_.levelling.physical(line) * line_sectors + sector, to);
    }
    void copy_in(std::uint64_t line, std::uint64_t sector, const SectorBytes& data) {
        state_.contents.merge(state_.levelling.physical(line) * line_sectors + sector, data, false);
    }

  private:
    unsigned partition_of(std::uint64_t physical) const {
        return static_cast<unsigned>(row_of(physical) % params_.partitions());
    }
    std::uint64_t row_of(std::uint64_t physical) const { return physical >> row_bits_; }
    /// The bit of a line among those of its row.
    std::uint64_t line_of(std::uint64_t physical) const {
        return std::uint64_t {1} << (physical - (row_of(physical) << row_bits_));
    }
    bool has_rows() const { return row_bits_ != 0; }
    template <class Entries, class Keep>
    int next_of(const State::Partition& p, std::uint64_t set, const Entries& entries,
                Keep&& keep) const;
    Time access(State::Partition& p, std::uint64_t physical, bool write, Tick now);
    void close(const OpenRow& open, Tick now);
    void count_writes(std::uint64_t lines);
    void count_reads(std::uint64_t lines);
    void write_line(std::uint64_t physical, Tick now);
    void place_read(std::size_t entry);
    void place_write(std::size_t entry);
    void place_all_again();
    void begin(unsigned partition, State::Op op, std::size_t entry, std::uint64_t physical, Time t,
               Tick now);
    void start(unsigned partition, Tick now);
    bool start_write(unsigned partition, Tick now);
    bool start_gap_move(unsigned partition, Tick now);
    void fill(const State::Partition& p);
    void finish(const State::Partition& p, State::Op op, unsigned drain_low, Tick now);
    void finish_write(const State::Partition& p, unsigned drain_low, Tick now);
    void finish_gap_move(const State::Partition& p, Tick now);

    const MediaParams& params_;
    MediaStats& stats_;
    WearStats& wear_;
    State& state_;
    ReadBuffer& reads_;
    WriteBuffer& writes_;
    bool with_contents_;
    std::uint64_t lines_ = 0; ///< number of logical lines
    unsigned row_bits_ = 0;   ///< a row has 2^row_bits_ lines
};

} // namespace memsim::xpoint
