#include "mem/cache.hh"

/// What is not an access: commands for the cache itself, prefetch hints, the initial contents.
namespace memsim::mem {

using parts::SectorMask;
using parts::TagArray;
using protocol::Command;
using protocol::MemRequest;

// ---- commands --------------------------------------------------------------------------------

void Cache::serve_control() {
    for (std::uint32_t i = 0; i < port.control.size(); ++i) {
        auto& in = port.control[i];
        while (!in.empty() && manage(in.front(), 1 + i) == served) in.pop();
    }
}

/// Answers at once but for a flush, whose write-backs are answered first, and what it dropped.
/// `from`: 0 for cpu_side, else 1 + the control port.
CacheStall Cache::manage(const MemRequest& r, std::uint32_t from) {
    TagArray& tags = state.tags;
    switch (r.command) {
    case Command::invalidate:
        for (std::uint64_t s = 0; s < tags.sets(); ++s)
            for (std::uint32_t l = tags.line(s, 0); l < tags.line(s, tags.ways()); ++l)
                tags.drop(l, write_back() || tags.kept(l) ? static_cast<SectorMask>(~tags.dirty(l))
                                                          : SectorMask {0xffff});
        state.mshrs.drop_if([](std::uint32_t) { return true; }); // they left before this
        ++stat.invalidations;
        break;
    case Command::flush:
        if (state.flush.walking || state.flush.unacked || state.flush.dropped)
            return CacheStall::flush;
        state.flush = {true, 0, 0, 0, from, r};
        state.flush.dropped =
            state.mshrs.drop_and_await([&](std::uint32_t line) { return flushes(r, line); });
        for (PassedOn& p : state.passed_on)
            if (p.evicted) {
                p = {0, 0, true};
                ++state.flush.unacked;
            }
        if (r.needs_response()) ++state.owed;
        ++stat.flushes;
        continue_flush();
        return served;
    case Command::reserve:
        if (r.bytes >= params.ways())
            refuse("ways", "a command to reserve " + std::to_string(r.bytes) + " of the " +
                               std::to_string(params.ways()) +
                               " ways leaves none for lines that are read");
        state.reserved = r.bytes;
        state.full_set = TagArray::none;
        break;
    default:
        refuse("control_ports", "reads, writes and atomics come in by cpu_side");
    }
    if (r.needs_response())
        (from ? port.control[from - 1] : port.cpu_side).send(protocol::answer(r));
    return served;
}

bool Cache::flushes(const MemRequest& r, std::uint32_t line) const {
    return r.application == protocol::every_application ||
           state.tags.application(line) == r.application;
}

/// Whether accesses of an application wait until the walk is over.
bool Cache::held_by_flush(std::uint16_t application) const {
    if (!state.flush.walking) return false;
    const std::uint16_t flushed = state.flush.request.application;
    return flushed == protocol::every_application || flushed == application;
}

/// Goes through the sets as far as there is room for the write-backs. The walk itself takes no time
/// (assumption: tags are read beside the accesses).
void Cache::continue_flush() {
    Flush& f = state.flush;
    TagArray& tags = state.tags;
    for (; f.set < tags.sets(); ++f.set)
        for (std::uint32_t l = tags.line(f.set, 0); l < tags.line(f.set, tags.ways()); ++l) {
            if (tags.empty(l) || !flushes(f.request, l)) continue;
            if (must_write_back(l)) {
                if (!room_below(1) || state.free_passed_on.empty()) return;
                ++f.unacked;
                write_back(l, take_slot({0, 0, true}));
            }
            if (tags.prefetched(l)) ++stat.prefetches_unused;
            tags.drop(l);
            ++stat.flushed_lines;
        }
    f.walking = false;
    end_flush();
}

void Cache::end_flush() {
    Flush& f = state.flush;
    if (f.walking || f.unacked || f.dropped || !f.request.needs_response()) return;
    --state.owed;
    (f.port ? port.control[f.port - 1] : port.cpu_side).send(protocol::answer(f.request));
    f.request.posted = true; // answered
}

// ---- hints -----------------------------------------------------------------------------------

/// Hints have what accesses leave of a cycle.
void Cache::take_hints() {
    for (std::uint32_t i = 0; i < port.hints.size(); ++i) {
        auto& in = port.hints[i];
        while (!in.empty()) {
            if (!state.slots.free(clock_, now(), figures_.accesses)) {
                arm(state.next_hint, state.slots.next.tick);
                return;
            }
            const protocol::Hint& h = in.front();
            std::uint32_t& done = state.hint_done[i];
            const std::uint64_t address = h.address + done;
            const std::uint64_t line_bytes = std::uint64_t {1} << figures_.line_bits;
            const std::uint64_t to_end = line_bytes - (address & (line_bytes - 1));
            const auto part = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(to_end, h.bytes - std::min(h.bytes, done)));
            if (part) {
                if (!hint(h, address, part)) return;
                state.slots.take();
            }
            done += part;
            if (done < h.bytes) continue;
            done = 0;
            in.pop();
        }
    }
}

/// Fetches what is missing of a part of a hint that lies within one line, or drops it; false if it
/// has to wait for its bank.
bool Cache::hint(const protocol::Hint& h, std::uint64_t address, std::uint32_t bytes) {
    MemRequest r;
    r.address = address;
    r.bytes = bytes;
    r.pc = h.pc;
    r.warp = static_cast<std::uint16_t>(h.warp);
    r.application = h.application;
    const Place p = locate(r);
    if (const Tick free = bank_free_at(p.bank); free > now()) {
        arm(state.next_hint, free);
        return false;
    }
    const auto missing = static_cast<SectorMask>(p.touched & ~(p.valid | p.pending));
    ++stat.hints;
    if (missing == 0) {
        ++stat.hints_useless;
        return true;
    }
    TagArray& tags = state.tags;
    std::uint32_t line = p.line;
    const bool dropped = held_by_flush(h.application) || (p.found() && tags.locked(line)) ||
                         state.mshrs.free() <= params.demand_mshrs() || !room_below(1) ||
                         (!p.found() && take_way(p, false, 1, line) != served);
    if (dropped) {
        ++stat.hints_dropped;
        return true;
    }
    ++stat.prefetches;
    tags.set_prefetched(line, true);
    fetch(take_mshr(line), p.number, missing, r);
    occupy(p.bank, figures_.read_cycles);
    state.full_set = TagArray::none; // its line may be the one that a write waits to move
    return true;
}

// ---- the initial contents --------------------------------------------------------------------

/// The lines of the range, in order of address: what does not fit gave way to what came later.
void Cache::warm() {
    const std::uint64_t line_bytes = std::uint64_t {1} << figures_.line_bits;
    const auto base = static_cast<std::uint64_t>(params.warm_base->raw);
    const std::uint64_t end = base + static_cast<std::uint64_t>(params.warm_bytes->raw);
    // Of a long range only the end can stay; four times the capacity fills hashed sets, too.
    const std::uint64_t most =
        4 * static_cast<std::uint64_t>(params.capacity->raw) * params.interleave_ways();
    const std::uint64_t first = end - base > most ? end - most : base;
    for (std::uint64_t a = first & ~(line_bytes - 1); a < end; a += line_bytes) {
        if (params.interleave_ways() > 1 && interleave_.way(a) != params.interleave_index())
            continue;
        TagArray& tags = state.tags;
        const std::uint64_t set = index_(own(a) >> figures_.line_bits);
        const std::uint32_t line = tags.victim(set, state.reserved, figures_.ways, state.random);
        tags.replace(line, a >> figures_.line_bits, 0);
        tags.add_valid(line, span(a, static_cast<std::uint32_t>(line_bytes)));
    }
}

} // namespace memsim::mem
