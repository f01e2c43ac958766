#include "parts/bits.hh"
#include "xpoint/module.hh"

#include <algorithm>

/// What the partitions do: reads, writes and moves of Start-Gap's gap.
namespace memsim::xpoint {

using parts::for_each_bit;

namespace {

/// The oldest of the entries whose bits are set, or -1.
template <class Entry, class Keep>
int oldest(std::uint64_t set, const std::vector<Entry>& entries, Keep&& keep) {
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

void Module::place_read(std::uint64_t entry) {
    const unsigned p = partition_of(state.levelling.physical(state.read_buffer[entry].line));
    state.partitions[p].waiting_reads |= 1ull << entry;
    state.with_reads |= 1ull << p;
}

void Module::place_write(std::uint64_t entry) {
    const unsigned p = partition_of(state.levelling.physical(state.write_buffer[entry].line));
    state.partitions[p].waiting_writes |= 1ull << entry;
    state.with_writes |= 1ull << p;
}

/// After a move of the gap one line lies elsewhere; so rare that all are placed again.
void Module::place_all_again() {
    for (Partition& p : state.partitions) p.waiting_reads = p.waiting_writes = 0;
    state.with_reads = state.with_writes = 0;
    for (unsigned i = 0; i < state.read_buffer.size(); ++i)
        if (state.read_buffer[i].fill == Fill::waiting) place_read(i);
    for (unsigned i = 0; i < state.write_buffer.size(); ++i)
        if (!(state.free_writes >> i & 1) && !state.write_buffer[i].draining) place_write(i);
}

void Module::begin(Partition& p, Op op, std::uint64_t entry, std::uint64_t physical, Time t) {
    p.op = op;
    p.entry = static_cast<std::uint8_t>(entry);
    p.physical = physical;
    state.at_work |= 1ull << (&p - state.partitions.data());
    stat.media_time += t;
    arm(p.done, t);
}

void Module::start_operations() {
    std::uint64_t wanted = state.with_reads | (state.draining ? state.with_writes : 0);
    if (state.move == Move::due) wanted |= 1ull << partition_of(state.levelling.move_source());
    if (state.move == Move::copied) wanted |= 1ull << partition_of(state.levelling.gap());
    for_each_bit(wanted & ~state.at_work, [&](unsigned i) { start_operation(i); });
}

void Module::start_operation(unsigned index) {
    Partition& p = state.partitions[index];
    const std::uint64_t bit = 1ull << index;
    if (state.move != Move::none && start_gap_move(p, index)) return;
    const bool write_first = state.free_writes == 0;
    if (p.waiting_writes && state.draining && (write_first || !p.waiting_reads)) {
        // The line on its way into the gap must not change under the copy.
        const bool copying = state.move != Move::none && state.move != Move::due;
        const int w = oldest(p.waiting_writes, state.write_buffer, [&](const WriteEntry& e) {
            return !copying || state.levelling.physical(e.line) != state.levelling.move_source();
        });
        if (w >= 0) {
            WriteEntry& e = state.write_buffer[static_cast<unsigned>(w)];
            p.waiting_writes &= ~(1ull << w);
            if (p.waiting_writes == 0) state.with_writes &= ~bit;
            e.draining = true;
            const bool whole = e.sectors == 0xff;
            if (!whole) ++stat.refills, ++stat.media_reads;
            begin(p, Op::write, static_cast<unsigned>(w), state.levelling.physical(e.line),
                  whole ? params.t_write() : params.t_read() + params.t_write());
            return;
        }
    }
    const int r = oldest(p.waiting_reads, state.read_buffer, [](const ReadEntry&) { return true; });
    if (r < 0) return;
    p.waiting_reads &= ~(1ull << r);
    if (p.waiting_reads == 0) state.with_reads &= ~bit;
    ReadEntry& e = state.read_buffer[static_cast<unsigned>(r)];
    e.fill = Fill::reading;
    ++stat.media_reads;
    begin(p, Op::read, static_cast<unsigned>(r), state.levelling.physical(e.line), params.t_read());
}

/// True if the partition now works on the move.
bool Module::start_gap_move(Partition& p, unsigned index) {
    if (state.move == Move::due && partition_of(state.levelling.move_source()) == index) {
        state.move = Move::reading;
        ++stat.media_reads;
        begin(p, Op::gap_read, 0, state.levelling.move_source(), params.t_read());
        return true;
    }
    if (state.move == Move::copied && partition_of(state.levelling.gap()) == index) {
        state.move = Move::writing;
        begin(p, Op::gap_write, 0, state.levelling.gap(), params.t_write());
        return true;
    }
    return false;
}

void Module::finish_operations() {
    for_each_bit(state.at_work, [&](unsigned i) {
        Partition& p = state.partitions[i];
        if (p.done.armed()) return;
        const Op op = p.op;
        p.op = Op::none;
        state.at_work &= ~(1ull << i);
        if (op == Op::read)
            finish_read(p);
        else if (op == Op::write)
            finish_write(p);
        else if (op == Op::gap_read)
            state.move = Move::copied;
        else
            finish_gap_move(p);
    });
}

void Module::finish_read(Partition& p) {
    ReadEntry& e = state.read_buffer[p.entry];
    e.fill = Fill::valid;
    if (sim().contents().enabled()) read_line(e, p.physical);
    for_each_bit(e.users, [&](unsigned load) {
        become_ready(state.loads[load], state.contents.read_buffer, p.entry);
    });
}

void Module::finish_write(Partition& p) {
    WriteEntry& e = state.write_buffer[p.entry];
    count_wear(p.physical);
    state.hottest = std::max(state.hottest, ++state.heat[e.line]);
    stat.hottest.set(now(), state.hottest);
    if (sim().contents().enabled()) write_line(e, p.physical);
    const std::uint8_t* const youngest = state.write_lines.find(e.line);
    if (youngest && *youngest == p.entry) state.write_lines.erase(e.line);
    state.free_writes |= 1ull << p.entry;
    if (buffered_writes() <= params.drain_low()) state.draining = false;
    if (++state.writes_since_move >= params.psi() && state.move == Move::none) {
        state.writes_since_move -= params.psi();
        state.move = Move::due;
    }
}

void Module::finish_gap_move(Partition& p) {
    if (sim().contents().enabled()) copy_line(state.levelling.move_source(), p.physical);
    count_wear(p.physical);
    ++stat.gap_moves;
    state.levelling.moved();
    state.move = Move::none;
    if (state.writes_since_move >= params.psi()) {
        state.writes_since_move -= params.psi();
        state.move = Move::due;
    }
    place_all_again();
}

void Module::count_wear(std::uint64_t physical) {
    ++stat.media_writes;
    const std::uint32_t writes = ++state.wear[physical];
    state.wear_squares += 2 * std::uint64_t {writes} - 1;
    stat.wear_squares.set(now(), state.wear_squares);
    state.most_worn = std::max(state.most_worn, writes);
    stat.most_writes.set(now(), state.most_worn);
    stat.lines_written.set(now(), state.wear.size());
}

} // namespace memsim::xpoint
