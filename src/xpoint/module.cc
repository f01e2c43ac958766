#include "xpoint/module.hh"

#include "core/registry.hh"

#include <algorithm>
#include <bit>

namespace memsim::xpoint {

static const Registration<Module> registered {
    "A 3D XPoint module: partitioned media, Start-Gap, read and persistent write buffer, DDR-T."};

namespace {

constexpr std::uint64_t bits(unsigned n) { return n == 64 ? ~0ull : (1ull << n) - 1; }

static_assert(Module::sector_bytes == protocol::sector_bytes);

/// Those of a line's sectors that a command leaves out within its span are 0.
std::uint64_t named(const protocol::DdrtCommand& c, unsigned at) {
    return c.sectors ? std::uint64_t {c.sectors} << at / Module::sector_bytes : ~std::uint64_t {0};
}
/// The sectors of its line that a command covers whole.
std::uint8_t sectors_covered(const protocol::DdrtCommand& c) {
    const auto at = static_cast<unsigned>(c.address % Module::line_bytes);
    const unsigned first = (at + Module::sector_bytes - 1) / Module::sector_bytes;
    const unsigned last = (at + c.bytes) / Module::sector_bytes;
    return last > first ? static_cast<std::uint8_t>(bits(last) & ~bits(first) & named(c, at)) : 0;
}
/// The sectors that it touches.
std::uint8_t sectors_touched(const protocol::DdrtCommand& c) {
    const auto at = static_cast<unsigned>(c.address % Module::line_bytes);
    const unsigned last = (at + c.bytes + Module::sector_bytes - 1) / Module::sector_bytes;
    return static_cast<std::uint8_t>(bits(last) & ~bits(at / Module::sector_bytes) & named(c, at));
}
/// The 128-byte blocks that it touches.
std::uint8_t blocks_touched(const protocol::DdrtCommand& c) {
    const std::uint8_t s = sectors_touched(c);
    return static_cast<std::uint8_t>(((s & 0x0f) ? 1 : 0) | ((s & 0xf0) ? 2 : 0));
}

/// Calls f for every bit of a set, lowest first.
template <class F>
void for_each_bit(std::uint64_t set, F&& f) {
    for (; set; set &= set - 1) f(static_cast<unsigned>(std::countr_zero(set)));
}

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

void Module::init() {
    if (params.capacity->raw % (line_bytes * params.partitions()) != 0)
        refuse("capacity", Text<Bytes>::show(params.capacity()) + " does not divide into " +
                               std::to_string(params.partitions()) +
                               " partitions of 256-byte lines: take a multiple of " +
                               std::to_string(line_bytes * params.partitions()) + "B");
    if (params.drain_low() >= params.drain_high())
        refuse("drain_low", "draining must end below drain_high, at which it begins");
    if (params.drain_high() > params.write_buffer())
        refuse("drain_high",
               "the write buffer has only " + std::to_string(params.write_buffer()) + " lines");
    lines_ = static_cast<std::uint64_t>(params.capacity->raw) / line_bytes;
    state.loads.resize(params.loads());
    state.free_loads = bits(params.loads());
    state.read_buffer.resize(params.read_buffer());
    state.write_buffer.resize(params.write_buffer());
    state.free_writes = bits(params.write_buffer());
    state.partitions.resize(params.partitions());
    state.levelling = StartGap(lines_);
}

void Module::wake() {
    finish_operations();
    send_granted();
    auto& in = port.commands;
    while (!in.empty()) {
        empty_register(); // so that what follows is not kept waiting for it
        if (!accept(in.front())) {
            if (state.stalled_since == never) state.stalled_since = now();
            break;
        }
        if (state.stalled_since != never) {
            ++stat.stalls;
            stat.stall_time += Time {now() - state.stalled_since};
            state.stalled_since = never;
        }
        in.pop();
    }
    empty_register();
    start_operations();
}

// ---- commands --------------------------------------------------------------------------------

bool Module::accept(const protocol::DdrtCommand& c) {
    if (c.address + c.bytes > static_cast<std::uint64_t>(params.capacity->raw))
        throw ConfigError(path() + ": address " + std::to_string(c.address) +
                          " lies beyond its capacity of " + Text<Bytes>::show(params.capacity()) +
                          ": give the memory controller the same capacity");
    MEMSIM_ASSERT(c.bytes > 0 && c.address / line_bytes == (c.address + c.bytes - 1) / line_bytes,
                  "a DDR-T command stays within one line");
    if (c.snarf) return snarf(c), true;
    if (in_register(c.address / line_bytes)) return false; // what waits there came first
    return c.write ? accept_write(c) : accept_read(c);
}

bool Module::accept_read(const protocol::DdrtCommand& c) {
    if (state.free_loads == 0) return false;
    const std::uint64_t line = c.address / line_bytes;
    const std::uint8_t* const written = state.write_lines.find(line);
    const std::uint8_t needed = sectors_touched(c);
    const bool forward = written && (needed & ~state.write_buffer[*written].sectors) == 0;
    const std::uint8_t* const buffered = forward ? nullptr : state.read_lines.find(line);
    int entry = buffered ? *buffered : -1;
    if (!forward && entry < 0) {
        entry = free_read_entry();
        if (entry < 0) return false;
    }

    const auto slot = static_cast<std::uint32_t>(std::countr_zero(state.free_loads));
    state.free_loads &= state.free_loads - 1;
    state.load_of[c.id] = slot;
    Load& load = state.loads[slot];
    load = {c.address, c.id, c.payload(), 0, false, false, now(), {}};
    ++stat.reads;
    stat.read_bytes += c.payload();
    state.accepted_bytes += c.payload();
    if (forward) {
        ++stat.forwarded;
        become_ready(load, state.write_buffer[*written].versions);
        return true;
    }
    ReadEntry& e = state.read_buffer[static_cast<unsigned>(entry)];
    load.entry = static_cast<std::uint8_t>(entry);
    load.holds_entry = true;
    if (!buffered) {
        e = {line, state.order++, 0, Fill::waiting, true, {}};
        state.read_lines[line] = load.entry;
        const Partition& p = state.partitions[partition_of(state.levelling.physical(line))];
        if (p.op != Op::none || p.waiting_reads) ++stat.partition_conflicts;
        place_read(static_cast<unsigned>(entry));
    } else
        ++(e.fill == Fill::valid ? stat.read_buffer_hits : stat.read_merges);
    e.users |= 1ull << slot;
    if (e.fill == Fill::valid) become_ready(load, e.versions);
    return true;
}

/// The next place of the read buffer, going round, that is empty or whose line nobody uses; -1 if
/// all are in use.
int Module::free_read_entry() {
    for (std::size_t n = 0; n < state.read_buffer.size(); ++n) {
        const std::uint32_t i = state.next_read_entry;
        if (++state.next_read_entry == state.read_buffer.size()) state.next_read_entry = 0;
        const ReadEntry& e = state.read_buffer[i];
        if (e.fill != Fill::none && (e.fill != Fill::valid || e.users != 0)) continue;
        if (e.fill == Fill::valid && e.listed) state.read_lines.erase(e.line);
        return static_cast<int>(i);
    }
    return -1; // and the search begins where it began
}

bool Module::accept_write(const protocol::DdrtCommand& c) {
    const std::uint64_t line = c.address / line_bytes;
    if (std::uint8_t* const buffered = state.read_lines.find(line)) {
        ReadEntry& e = state.read_buffer[*buffered];
        // The reads that wait for the media came first and must not see this write.
        if (e.fill != Fill::valid) return false;
        e.listed = false;
        if (e.users == 0) e.fill = Fill::none;
        state.read_lines.erase(line);
    }
    std::uint8_t* const youngest = state.write_lines.find(line);
    int entry = youngest && !state.write_buffer[*youngest].draining ? *youngest : -1;
    if (entry < 0) {
        if (state.free_writes == 0) return false;
        entry = std::countr_zero(state.free_writes);
        state.free_writes &= state.free_writes - 1;
        state.write_buffer[static_cast<unsigned>(entry)] = {line, state.order++, 0, 0, false, {}};
        state.write_lines[line] = static_cast<std::uint8_t>(entry);
        place_write(static_cast<unsigned>(entry));
        if (buffered_writes() >= params.drain_high()) state.draining = true;
    } else
        ++stat.coalesced;
    WriteEntry& e = state.write_buffer[static_cast<unsigned>(entry)];
    e.sectors |= sectors_covered(c);
    const std::uint8_t blocks = blocks_touched(c);
    e.blocks |= blocks;
    for (unsigned b = 0; b < 2; ++b)
        if (blocks >> b & 1) e.versions[b] = c.versions[b];
    ++stat.writes;
    stat.write_bytes += c.payload();
    return true;
}

unsigned Module::buffered_writes() const {
    return params.write_buffer() - static_cast<unsigned>(std::popcount(state.free_writes));
}

// ---- data to the controller ------------------------------------------------------------------

void Module::become_ready(Load& load, const protocol::LineVersions& versions) {
    load.ready = true;
    load.versions = versions;
    stat.read_latency.sample(Time {now() - load.accepted});
    port.commands.send({load.id});
}

void Module::send_granted() {
    auto& in = port.transfers;
    while (!in.empty()) {
        const protocol::DdrtGrant g = in.pop();
        const std::uint32_t* const slot = state.load_of.find(g.id);
        MEMSIM_ASSERT(slot && state.loads[*slot].ready, "a grant for a read that is not ready");
        const auto later = std::find_if(state.granted.begin(), state.granted.end(),
                                        [&](const Grant& o) { return o.at > g.slot_end; });
        state.granted.insert(later, {g.slot_end, *slot});
        stat.reverse_writes += g.reverse;
    }
    while (!state.granted.empty() && state.granted.front().at <= now()) {
        const std::uint32_t slot = state.granted.front().load;
        state.granted.erase(state.granted.begin());
        const Load& load = state.loads[slot];
        port.transfers.send({load.id, load.versions});
        stat.sent_bytes += load.bytes;
        state.sent_bytes += load.bytes;
        state.load_of.erase(load.id);
        state.free_loads |= 1ull << slot;
        if (!load.holds_entry) continue;
        ReadEntry& e = state.read_buffer[load.entry];
        e.users &= ~(1ull << slot);
        if (e.users == 0 && !e.listed) e.fill = Fill::none;
    }
    if (!state.granted.empty()) arm(state.send, state.granted.front().at);
}

// ---- media -----------------------------------------------------------------------------------

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
    if (params.check_contents()) {
        for (unsigned b = 0; b < 2; ++b) e.versions[b] = state.content.read(p.physical * 2 + b);
        // What the write buffer holds of the line is younger than the media, older than the reads.
        if (const std::uint8_t* w = state.write_lines.find(e.line))
            for (unsigned b = 0; b < 2; ++b)
                if (state.write_buffer[*w].blocks >> b & 1)
                    e.versions[b] = state.write_buffer[*w].versions[b];
    }
    for (std::uint64_t set = e.users; set; set &= set - 1)
        become_ready(state.loads[static_cast<unsigned>(std::countr_zero(set))], e.versions);
}

void Module::finish_write(Partition& p) {
    WriteEntry& e = state.write_buffer[p.entry];
    count_wear(p.physical);
    state.hottest = std::max(state.hottest, ++state.heat[e.line]);
    stat.hottest.set(now(), state.hottest);
    if (params.check_contents())
        for (unsigned b = 0; b < 2; ++b)
            if (e.blocks >> b & 1) state.content.write(p.physical * 2 + b, e.versions[b]);
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
    const std::uint64_t source = state.levelling.move_source();
    for (unsigned b = 0; b < 2; ++b)
        state.content.write(p.physical * 2 + b, state.content.read(source * 2 + b));
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

// ---- reports ---------------------------------------------------------------------------------

bool Module::pending() const {
    if (state.free_loads != bits(params.loads()) || state.move != Move::none) return true;
    return state.at_work != 0 || !state.snarfed.empty();
}

void Module::waits_on(WaitReport& report) const {
    unsigned ready = 0, media = 0;
    for (unsigned i = 0; i < state.loads.size(); ++i)
        if (!(state.free_loads >> i & 1)) ++(state.loads[i].ready ? ready : media);
    if (ready)
        report.add(path() + ": " + std::to_string(ready) +
                   " reads are ready and wait for the memory controller's grant");
    if (media) report.add(path() + ": " + std::to_string(media) + " reads wait for the media");
    if (!state.snarfed.empty())
        report.add(path() + ": " + std::to_string(state.snarfed.size()) +
                   " snarfed lines wait for the write buffer");
}

std::optional<std::string> Module::imbalance() const {
    if (state.accepted_bytes != state.sent_bytes)
        return "accepted reads of " + std::to_string(state.accepted_bytes) + " bytes but sent " +
               std::to_string(state.sent_bytes);
    if (!state.granted.empty()) return "a granted read was never sent";
    return {};
}

} // namespace memsim::xpoint
