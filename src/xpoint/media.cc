#include "xpoint/media.hh"

#include <algorithm>
#include <bit>

namespace memsim::xpoint {

using Op = MediaState::Op;
using Move = MediaState::Move;

namespace {

constexpr std::uint64_t bit(std::size_t i) { return std::uint64_t {1} << i; }

/// The oldest of the entries in the mask, or -1.
template <class Entries, class Keep>
int oldest(std::uint64_t set, const Entries& entries, Keep&& keep) {
    int best = -1;
    for (; set; set &= set - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(set));
        if (keep(entries[i]) &&
            (best < 0 || entries[i].order < entries[static_cast<unsigned>(best)].order))
            best = static_cast<int>(i);
    }
    return best;
}

} // namespace

void Media::init() {
    lines_ = static_cast<std::uint64_t>(params_.capacity->raw) / line_bytes;
    row_bits_ = static_cast<unsigned>(
        std::countr_zero(static_cast<std::uint64_t>(params_.row->raw) / line_bytes));
    state_.partitions.resize(params_.partitions());
    state_.levelling = StartGap(lines_);
}

// ---- queued operations ------------------------------------------------------------------------

void Media::read(std::uint8_t entry) {
    const State::Partition& p =
        state_.partitions[partition_of(state_.levelling.physical(reads_[entry].line))];
    if (p.op != Op::none || p.waiting_reads) ++stats_.partition_conflicts;
    place_read(entry);
}

void Media::place_read(std::size_t entry) {
    const unsigned p = partition_of(state_.levelling.physical(reads_[entry].line));
    state_.partitions[p].waiting_reads |= bit(entry);
    state_.with_reads |= bit(p);
}

void Media::place_write(std::size_t entry) {
    const unsigned p = partition_of(state_.levelling.physical(writes_[entry].line));
    state_.partitions[p].waiting_writes |= bit(entry);
    state_.with_writes |= bit(p);
}

/// A move of the gap relocates one line; it is so rare that all lines are queued again.
void Media::place_all_again() {
    for (State::Partition& p : state_.partitions) p.waiting_reads = p.waiting_writes = 0;
    state_.with_reads = state_.with_writes = 0;
    for (std::size_t i = 0; i < reads_.size(); ++i)
        if (reads_[i].fill == ReadBuffer::Fill::waiting) place_read(i);
    for (std::size_t i = 0; i < writes_.size(); ++i)
        if (writes_.used(i) && !writes_[i].draining) place_write(i);
}

// ---- start of operations ----------------------------------------------------------------------

void Media::start(Tick now) {
    Move before;
    do { // a write to an open row may make a move of the gap due
        before = state_.move;
        std::uint64_t wanted = state_.with_reads | (state_.draining ? state_.with_writes : 0);
        if (state_.move == Move::due) wanted |= bit(partition_of(state_.levelling.move_source()));
        if (state_.move == Move::copied) wanted |= bit(partition_of(state_.levelling.gap()));
        for_each_bit(wanted & ~state_.at_work, [&](std::uint32_t i) { start(i, now); });
    } while (before == Move::none && state_.move != before);
}

void Media::begin(unsigned partition, Op op, std::size_t entry, std::uint64_t physical, Time t,
                  Tick now) {
    State::Partition& p = state_.partitions[partition];
    p.op = op;
    p.entry = static_cast<std::uint8_t>(entry);
    p.physical = physical;
    p.done = now + t.raw;
    state_.at_work |= bit(partition);
    state_.next_done = std::min(state_.next_done, p.done);
    stats_.media_time.add(now, now, p.done);
}

/// The oldest of the entries in the mask, with priority for those in the open row; -1 if there is
/// none.
template <class Entries, class Keep>
int Media::next_of(const State::Partition& p, std::uint64_t set, const Entries& entries,
                   Keep&& keep) const {
    if (has_rows()) {
        const int hit = oldest(set, entries, [&](const auto& e) {
            return row_of(state_.levelling.physical(e.line)) == p.open.row && keep(e);
        });
        if (hit >= 0) return hit;
    }
    return oldest(set, entries, keep);
}

/// With rows: the time of an access to a line, whose row is then open.
Time Media::access(State::Partition& p, std::uint64_t physical, bool write, Tick now) {
    Time t = params_.t_column();
    if (p.open.row != row_of(physical)) {
        t = t + params_.t_read();
        if (p.open.dirty) {
            t = t + params_.t_write();
            close(p.open, now);
        }
        p.open = {row_of(physical), 0};
        ++stats_.rows_opened;
        count_reads(std::uint64_t {1} << row_bits_);
    }
    if (write) p.open.dirty |= line_of(physical);
    return t;
}

/// Writes the dirty lines of a row to the media.
void Media::close(const OpenRow& open, Tick now) {
    for_each_bit(open.dirty,
                 [&](std::uint32_t i) { write_line((open.row << row_bits_) + i, now); });
    ++stats_.rows_closed;
}

void Media::count_writes(std::uint64_t lines) {
    state_.writes_since_move += lines;
    if (state_.writes_since_move >= params_.psi() && state_.move == Move::none) {
        state_.writes_since_move -= params_.psi();
        state_.move = Move::due;
    }
}

void Media::count_reads(std::uint64_t lines) {
    stats_.media_reads += lines;
    stats_.media_energy += lines * static_cast<std::uint64_t>(params_.read_energy->raw);
}

/// Counts a line written to the media.
void Media::write_line(std::uint64_t physical, Tick now) {
    state_.wear.write(physical, wear_, now);
    stats_.media_energy += static_cast<std::uint64_t>(params_.write_energy->raw);
}

void Media::start(unsigned partition, Tick now) {
    State::Partition& p = state_.partitions[partition];
    if (state_.move != Move::none && start_gap_move(partition, now)) return;
    if (p.waiting_writes && state_.draining && (writes_.full() || !p.waiting_reads) &&
        start_write(partition, now))
        return;
    const int r =
        next_of(p, p.waiting_reads, reads_, [](const ReadBuffer::Entry&) { return true; });
    if (r < 0) return;
    const auto entry = static_cast<std::size_t>(r);
    p.waiting_reads &= ~bit(entry);
    if (p.waiting_reads == 0) state_.with_reads &= ~bit(partition);
    reads_[entry].fill = ReadBuffer::Fill::reading;
    const std::uint64_t physical = state_.levelling.physical(reads_[entry].line);
    if (!has_rows()) count_reads(1);
    begin(partition, Op::read, entry, physical,
          has_rows() ? access(p, physical, false, now) : params_.t_read(), now);
}

bool Media::start_write(unsigned partition, Tick now) {
    State::Partition& p = state_.partitions[partition];
    // The line being copied into the gap must not change.
    const bool copying = state_.move != Move::none && state_.move != Move::due;
    const int w = next_of(p, p.waiting_writes, writes_, [&](const WriteBuffer::Entry& e) {
        return !copying || state_.levelling.physical(e.line) != state_.levelling.move_source();
    });
    if (w < 0) return false;
    const auto entry = static_cast<std::size_t>(w);
    WriteBuffer::Entry& e = writes_[entry];
    p.waiting_writes &= ~bit(entry);
    if (p.waiting_writes == 0) state_.with_writes &= ~bit(partition);
    e.draining = true;
    const std::uint64_t physical = state_.levelling.physical(e.line);
    if (has_rows()) {
        // Each line is counted once while its row is open. A line written by a move of the gap is
        // not counted: with a small psi, moves would otherwise cause moves without end.
        const bool counted = p.open.row == row_of(physical) && p.open.dirty & line_of(physical);
        begin(partition, Op::write, entry, physical, access(p, physical, true, now), now);
        if (!counted) count_writes(1);
        return true;
    }
    const bool whole = e.sectors == low_bits<std::uint8_t>(line_sectors);
    if (!whole) ++stats_.refills, count_reads(1);
    begin(partition, Op::write, entry, physical,
          whole ? params_.t_write() : params_.t_read() + params_.t_write(), now);
    return true;
}

/// Returns true if the partition now works on the move.
bool Media::start_gap_move(unsigned partition, Tick now) {
    State::Partition& p = state_.partitions[partition];
    const std::uint64_t source = state_.levelling.move_source(), gap = state_.levelling.gap();
    if (state_.move == Move::due && partition_of(source) == partition) {
        state_.move = Move::reading;
        if (!has_rows()) count_reads(1);
        begin(partition, Op::gap_read, 0, source,
              has_rows() ? access(p, source, false, now) : params_.t_read(), now);
        return true;
    }
    if (state_.move == Move::copied && partition_of(gap) == partition) {
        state_.move = Move::writing;
        begin(partition, Op::gap_write, 0, gap,
              has_rows() ? access(p, gap, true, now) : params_.t_write(), now);
        return true;
    }
    return false;
}

// ---- completion of operations -----------------------------------------------------------------

/// Fills the read buffer. The write buffer's bytes of the line are younger than the media, but
/// older than the reads.
void Media::fill(const State::Partition& p) {
    ReadBuffer::Entry& e = reads_[p.entry];
    e.fill = ReadBuffer::Fill::valid;
    if (!with_contents_) return;
    for (std::uint64_t i = 0; i < line_sectors; ++i) {
        SectorBytes s;
        state_.contents.read(p.physical * line_sectors + i, s);
        writes_.cover_by_all(e.line, i, s);
        reads_.contents().put(p.entry * line_sectors + i, s);
    }
}

void Media::finish(const State::Partition& p, Op op, unsigned drain_low, Tick now) {
    if (op == Op::write)
        finish_write(p, drain_low, now);
    else if (op == Op::gap_read)
        state_.move = Move::copied;
    else
        finish_gap_move(p, now);
}

void Media::finish_write(const State::Partition& p, unsigned drain_low, Tick now) {
    if (!has_rows()) write_line(p.physical, now);
    state_.wear.drain(writes_[p.entry].line, wear_, now);
    for (std::uint64_t i = 0; with_contents_ && i < line_sectors; ++i) {
        SectorBytes s;
        state_.contents.read(p.physical * line_sectors + i, s);
        writes_.cover(p.entry, i, s);
        state_.contents.put(p.physical * line_sectors + i, s);
    }
    writes_.release(p.entry);
    if (writes_.used() <= drain_low) state_.draining = false;
    if (!has_rows()) count_writes(1);
}

void Media::finish_gap_move(const State::Partition& p, Tick now) {
    if (with_contents_)
        state_.contents.copy(state_.contents, state_.levelling.move_source() * line_sectors,
                             p.physical * line_sectors, line_sectors);
    if (!has_rows()) write_line(p.physical, now);
    ++stats_.gap_moves;
    state_.levelling.moved();
    state_.move = Move::none;
    count_writes(0);
    place_all_again();
}

void Media::check_loaded(Loader& l) const {
    const std::size_t partitions = state_.partitions.size();
    for (const std::uint64_t set : {state_.at_work, state_.with_reads, state_.with_writes})
        l.bits("partitions", set, partitions);
    for (const State::Partition& p : state_.partitions) {
        if (p.op == Op::read) l.index("partitions.entry", p.entry, reads_.size());
        if (p.op == Op::write) l.index("partitions.entry", p.entry, writes_.size());
        l.bits("partitions.waiting_reads", p.waiting_reads, reads_.size());
        l.bits("partitions.waiting_writes", p.waiting_writes, writes_.size());
        l.bits("partitions.dirty", p.open.dirty, std::size_t {1} << row_bits_);
    }
}

} // namespace memsim::xpoint
