#include "xpoint/module.hh"

#include "core/registry.hh"
#include "parts/stall.hh"

#include <algorithm>
#include <bit>

namespace memsim::xpoint {

static const Registration<Module> registered {
    "A 3D XPoint module: partitioned media, Start-Gap, read and persistent write buffer, DDR-T."};

namespace {

constexpr std::uint64_t bits(unsigned n) { return n == 64 ? ~0ull : (1ull << n) - 1; }

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
    state.swaps.resize(params.swaps());
}

void Module::wake() {
    finish_operations();
    send_granted();
    if (!state.swaps.empty()) take_sequence();
    parts::take_in_order(
        port.commands, now(), state.stalled_since,
        [this](const protocol::DdrtCommand& c) {
            empty_register(); // so that what follows is not kept waiting for it
            return accept(c);
        },
        [this](Time stalled) {
            ++stat.stalls;
            stat.stall_time += stalled;
        });
    empty_register();
    if (!state.swaps.empty()) advance_swaps();
    start_operations();
}

// ---- commands --------------------------------------------------------------------------------

bool Module::accept(const protocol::DdrtCommand& c) {
    if (c.address + c.bytes > static_cast<std::uint64_t>(params.capacity->raw))
        throw ConfigError(path() + ": address " + std::to_string(c.address) +
                          " lies beyond its capacity of " + Text<Bytes>::show(params.capacity()) +
                          ": give the memory controller the same capacity");
    if (c.swap) return accept_swap(c);
    MEMSIM_ASSERT(c.bytes > 0 && c.address / line_bytes == (c.address + c.bytes - 1) / line_bytes,
                  "a DDR-T command stays within one line");
    if (c.snarf) return snarf(c), true;
    if (in_register(c.address / line_bytes)) return false; // what waits there came first
    if (!(c.write ? accept_write(c) : accept_read(c))) return false;
    ++(c.write ? stat.writes : stat.reads);
    (c.write ? stat.write_bytes : stat.read_bytes) += c.payload();
    if (!c.write) state.accepted_bytes += c.payload();
    return true;
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
    load = {c.address, c.id, c.bytes, c.sectors, 0, false, false, now(), {}};
    if (forward) {
        ++stat.forwarded;
        become_ready(load, state.contents.write_buffer, *written);
        return true;
    }
    ReadEntry& e = state.read_buffer[static_cast<unsigned>(entry)];
    load.entry = static_cast<std::uint8_t>(entry);
    load.holds_entry = true;
    if (!buffered) {
        e = {line, state.order++, 0, Fill::waiting, true};
        state.read_lines[line] = load.entry;
        const Partition& p = state.partitions[partition_of(state.levelling.physical(line))];
        if (p.op != Op::none || p.waiting_reads) ++stat.partition_conflicts;
        place_read(static_cast<unsigned>(entry));
    } else
        ++(e.fill == Fill::valid ? stat.read_buffer_hits : stat.read_merges);
    e.users |= 1ull << slot;
    if (e.fill == Fill::valid) become_ready(load, state.contents.read_buffer, load.entry);
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
        state.write_buffer[static_cast<unsigned>(entry)] = {line, state.order++, 0, false};
        if (sim().contents().enabled())
            state.contents.write_buffer.forget(static_cast<unsigned>(entry) * line_sectors,
                                               line_sectors);
        state.write_lines[line] = static_cast<std::uint8_t>(entry);
        place_write(static_cast<unsigned>(entry));
        if (buffered_writes() >= params.drain_high()) state.draining = true;
    } else
        ++stat.coalesced;
    WriteEntry& e = state.write_buffer[static_cast<unsigned>(entry)];
    take_contents(static_cast<std::uint8_t>(entry), c);
    e.sectors |= sectors_covered(c);
    return true;
}

unsigned Module::buffered_writes() const {
    return params.write_buffer() - static_cast<unsigned>(std::popcount(state.free_writes));
}

// ---- data to the controller ------------------------------------------------------------------

void Module::become_ready(Load& load, const parts::SectorStore& buffer, unsigned entry) {
    if (load.id & own_load) {
        swap_line_read(load.id, buffer, entry);
        release(static_cast<std::uint32_t>(&load - state.loads.data()));
        return;
    }
    load.ready = true;
    if (sim().contents().enabled()) {
        Load here = load; // as the buffer's lines are numbered
        here.address = entry * line_bytes + load.address % line_bytes;
        load.contents = buffer.read(sim().contents(), here);
    }
    stat.read_latency.sample(Time {now() - load.accepted});
    port.commands.send({load.id});
}

void Module::send_granted() {
    auto& in = port.transfers;
    while (!in.empty()) {
        const protocol::DdrtGrant g = in.pop();
        if (g.confirm) { // the next swap may have the same id, and be here before
            for (SwapJob& job : state.swaps)
                if (job.live && job.ready && job.id == g.id) job.live = false;
            continue;
        }
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
        port.transfers.send({load.id, load.contents});
        stat.sent_bytes += load.payload();
        state.sent_bytes += load.payload();
        release(slot);
    }
    if (!state.granted.empty()) arm(state.send, state.granted.front().at);
}

void Module::release(std::uint32_t slot) {
    const Load& load = state.loads[slot];
    state.load_of.erase(load.id);
    state.free_loads |= 1ull << slot;
    if (!load.holds_entry) return;
    ReadEntry& e = state.read_buffer[load.entry];
    e.users &= ~(1ull << slot);
    if (e.users == 0 && !e.listed) e.fill = Fill::none;
}

// ---- reports ---------------------------------------------------------------------------------

bool Module::pending() const {
    if (state.free_loads != bits(params.loads()) || state.move != Move::none) return true;
    for (const SwapJob& job : state.swaps)
        if (job.live) return true;
    return state.at_work != 0 || !state.snarfed.empty();
}

void Module::check_loaded(Loader& l) const {
    const std::size_t loads = state.loads.size(), reads = state.read_buffer.size(),
                      writes = state.write_buffer.size(), partitions = state.partitions.size();
    l.bits("free_loads", state.free_loads, loads), l.bits("free_writes", state.free_writes, writes);
    for (const std::uint64_t set : {state.at_work, state.with_reads, state.with_writes})
        l.bits("at_work", set, partitions);
    const auto found = [&](std::string_view field, std::size_t size) {
        return [&l, field, size](std::uint64_t, std::uint32_t place) {
            l.index(field, place, size);
            return true;
        };
    };
    state.load_of.all(found("load_of", loads));
    state.read_lines.all(found("read_lines", reads));
    state.write_lines.all(found("write_lines", writes));
    l.index("next_read_entry", state.next_read_entry, reads);
    for (const Load& load : state.loads) {
        l.index("loads.entry", load.entry, reads);
        if (load.id & own_load) l.index("loads.id", (load.id & ~own_load) >> 5, state.swaps.size());
    }
    for (const ReadEntry& e : state.read_buffer) {
        l.bits("read_buffer.users", e.users, loads);
        l.index("read_buffer.line", e.line, lines_);
    }
    for (const WriteEntry& e : state.write_buffer) l.index("write_buffer.line", e.line, lines_);
    for (const Partition& p : state.partitions) {
        if (p.op == Op::read) l.index("partitions.entry", p.entry, reads);
        if (p.op == Op::write) l.index("partitions.entry", p.entry, writes);
        l.bits("partitions.waiting_reads", p.waiting_reads, reads);
        l.bits("partitions.waiting_writes", p.waiting_writes, writes);
    }
    for (const SwapJob& job : state.swaps)
        l.within("swaps", [&] {
            const unsigned asked = job.media_asked | job.dram_asked | job.write_asked | job.written;
            l.check((asked & ~job.all) == 0, "ask for more than their page");
        });
    for (const Grant& g : state.granted) l.index("granted.load", g.load, loads);
}

void Module::waits_on(WaitReport& report) const {
    unsigned ready = 0, media = 0;
    for (unsigned i = 0; i < state.loads.size(); ++i)
        if (!(state.free_loads >> i & 1)) ++(state.loads[i].ready ? ready : media);
    if (ready)
        report.add(path() + ": " + std::to_string(ready) +
                   " reads are ready and wait for the memory controller's grant");
    for (const SwapJob& job : state.swaps)
        if (job.live)
            report.add(path() + ": a swap " +
                       (job.ready                                     ? "waits to be confirmed"
                        : (job.media_read & job.dram_read) == job.all ? "is being written"
                                                                      : "is being read"));
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
