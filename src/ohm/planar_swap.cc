#include "ohm/planar_controller.hh"
#include "parts/bits.hh"

/// Swaps of a hot XPoint page with the DRAM page of its group.
namespace memsim::ohm {

using parts::for_each_bit;
using protocol::Command;

void PlanarController::begin_swap(std::uint64_t group, Group& g) {
    const auto index = static_cast<std::uint8_t>(std::countr_one(state.live_swaps));
    if (index == params.swaps()) {
        ++stat.swaps_postponed;
        return;
    }
    Swap& s = state.swaps[index];
    s = {};
    s.live = true;
    s.group = group;
    s.slot_in = g.candidate;
    s.slot_out = g.resident;
    s.location = g.location[g.candidate];
    s.module = static_cast<std::uint8_t>(placement_.module_of(group, s.location));
    s.decided = now();
    g.swap = index;
    state.live_swaps |= std::uint64_t {1} << index;
    if (params.swap_function()) {
        const mem::DramAccess at = channel_->dram_access(placement_.dram_address(group), 1);
        s.bank = at.bank;
        s.row = at.row;
        s.phase = Phase::decided;
        if (params.behind_writes()) return;
    }
    make_still(s);
}

void PlanarController::make_still(Swap& s) {
    s.phase = Phase::quiet;
    const auto index = static_cast<std::uint8_t>(&s - state.swaps.data());
    // Both pages must be still before their data is read: wait for what is under way to them.
    state.places.for_each_taken([&](std::uint32_t id) {
        Request& q = state.requests[id];
        if (q.group != s.group || (q.slot != s.slot_in && q.slot != s.slot_out)) return;
        q.blocks_swap = index;
        ++s.waits_for;
    });
}

void PlanarController::look_at_swaps() {
    swaps_ = {};
    for_each_bit(state.live_swaps, [&](std::uint32_t i) {
        const Swap& s = state.swaps[i];
        const std::uint64_t bit = std::uint64_t {1} << i;
        if (old(s)) swaps_.old |= bit;
        if (pieces_to_xpoint(s)) swaps_.channel |= bit;
        const unsigned here = s.dram_read & s.xpoint_read;
        const unsigned asked = s.dram_read_asked & s.xpoint_read_asked;
        if (!s.waits_for && (asked != all_pieces() || (here & ~s.dram_written)))
            swaps_.devices |= bit;
    });
}

bool PlanarController::feed_swaps(std::uint64_t which) {
    bool changed = false;
    for_each_bit(which, [&](std::uint32_t i) {
        Swap& s = state.swaps[i];
        changed |= feed_dram_pieces(s, migration_id | i << 4);
        changed |= feed_xpoint_reads(s, migration_id | i << 4);
        end_if_done(s);
    });
    return changed;
}

/// Reads, and writes of what has come from XPoint. Half of the scheduler's places stay for demand,
/// unless the swap is old.
bool PlanarController::feed_dram_pieces(Swap& s, std::uint32_t id) {
    bool changed = false;
    const std::uint32_t places = params.channel.dram_queue() / (old(s) ? 1 : 2);
    const auto enqueue = [&](unsigned piece, bool write) {
        const std::uint64_t address = placement_.dram_address(s.group) + piece * piece_bytes;
        mem::DramAccess a = channel_->dram_access(address, piece_bytes);
        a.context = id | piece;
        a.write = write;
        a.wires = wires_;
        a.priority = old(s) ? mem::DramPriority::demand : mem::DramPriority::migration;
        channel_->enqueue(a, true, now());
        changed = true;
    };
    while (s.dram_read_asked != all_pieces() && channel_->dram().reads() < places) {
        const unsigned piece = first_of(all_pieces() & ~s.dram_read_asked);
        enqueue(piece, false);
        s.dram_read_asked |= static_cast<Mask>(1u << piece);
    }
    while (channel_->dram().writes() < places) {
        const unsigned here = s.dram_read & s.xpoint_read & ~s.dram_written;
        if (here == 0) break;
        const unsigned piece = first_of(here);
        enqueue(piece, true);
        s.dram_written |= static_cast<Mask>(1u << piece);
        state.dram.replace(
            sim().contents(),
            (placement_.dram_address(s.group) + piece * piece_bytes) / SectorBytes::size,
            take_out(state.swap_buffer, buffer_address(s, false) + piece * piece_bytes));
    }
    return changed;
}

bool PlanarController::feed_xpoint_reads(Swap& s, std::uint32_t id) {
    bool changed = false;
    const std::uint32_t m = s.module;
    const auto& queue = state.to_module[m];
    const auto& leaving = state.channel.leaving[m];
    while (s.xpoint_read_asked != all_pieces() && leaving.empty() && (queue.empty() || old(s)) &&
           port.channel.commands[m].can_send()) {
        const unsigned piece = first_of(all_pieces() & ~s.xpoint_read_asked);
        port.channel.commands[m].send(
            {placement_.module_address(s.group, s.location) + piece * piece_bytes,
             piece_bytes,
             id | piece,
             {},
             false,
             true});
        s.xpoint_read_asked |= static_cast<Mask>(1u << piece);
        changed = true;
    }
    return changed;
}

bool PlanarController::old_swap_writes(std::uint32_t module) const {
    bool writes = false;
    for_each_bit(swaps_.channel & swaps_.old, [&](std::uint32_t i) {
        const Swap& s = state.swaps[i];
        writes |= s.live && s.module == module && pieces_to_xpoint(s);
    });
    return writes;
}

/// Piece n of what was read from DRAM.
protocol::DdrtCommand PlanarController::to_xpoint(const Swap& s, unsigned n) {
    return {placement_.module_address(s.group, s.location) + n * piece_bytes,
            piece_bytes,
            id_of(s) | n,
            take_out(state.swap_buffer, buffer_address(s, true) + n * piece_bytes),
            true,
            true};
}

/// A piece that goes elsewhere.
Contents::Id PlanarController::take_out(const parts::SectorStore& store, std::uint64_t address) {
    if (!sim().contents().enabled()) return {};
    return store.take_out(sim().contents(), address / SectorBytes::size, piece_sectors);
}

/// XPoint has heard what was read from DRAM, and writes it when its own line has been read.
bool PlanarController::snarf(std::uint64_t writers) {
    bool changed = false;
    for_each_bit(writers, [&](std::uint32_t i) {
        Swap& s = state.swaps[i];
        const std::uint32_t m = s.module;
        while (s.live && pieces_to_xpoint(s) && state.channel.leaving[m].empty() &&
               port.channel.commands[m].can_send()) {
            const unsigned n = first_of(pieces_to_xpoint(s));
            port.channel.commands[m].send(to_xpoint(s, n));
            s.xpoint_write_asked |= static_cast<Mask>(1u << n);
            s.xpoint_written |= static_cast<Mask>(1u << n);
            stat.snarfed += piece_bytes;
            changed = true;
        }
        end_if_done(s);
    });
    return changed;
}

void PlanarController::piece_from_dram(std::uint32_t context) {
    Swap& s = swap_of(context);
    const unsigned piece = context & 15;
    state.swap_buffer.replace(
        sim().contents(), (buffer_address(s, true) + piece * piece_bytes) / SectorBytes::size,
        take_out(state.dram, placement_.dram_address(s.group) + piece * piece_bytes));
    s.dram_read |= static_cast<Mask>(1u << piece);
    serve_postponed(s);
}

void PlanarController::piece_from_xpoint(std::uint32_t id, Contents::Id contents) {
    Swap& s = swap_of(id);
    state.swap_buffer.replace(
        sim().contents(), (buffer_address(s, false) + (id & 15) * piece_bytes) / SectorBytes::size,
        contents);
    s.xpoint_read |= static_cast<Mask>(1u << (id & 15));
    serve_postponed(s);
}

/// Postponed reads whose piece is in the buffer now, up to the first write to one of the pages.
void PlanarController::serve_postponed(Swap& s) {
    if (s.postponed == 0 || !params.buffer_reads()) return;
    for (std::uint32_t i = 0; i < state.postponed.size();) {
        const std::uint32_t id = state.postponed[i];
        Request& q = state.requests[id];
        const bool of_this = q.group == s.group; // only requests to the pages moved are here
        if (of_this && q.r.command != Command::read) return;
        if (!of_this || !in_buffer(q, s)) {
            ++i;
            continue;
        }
        state.postponed.erase(i);
        --s.postponed;
        read_buffer(id, s);
    }
}

/// The swap is over when the scheduler has the writes to DRAM: it keeps their order and serves
/// reads from them. (It may hold writes back for as long as reads come.)
void PlanarController::end_if_done(Swap& s) {
    if (s.live && s.dram_written == all_pieces() && s.xpoint_written == all_pieces()) end_swap(s);
}

void PlanarController::end_swap(Swap& s) {
    state.groups[s.group].swapped();
    ++stat.swaps;
    stat.swap_latency.sample(Time {now() - s.decided});
    s.live = false;
    state.live_swaps &= ~(std::uint64_t {1} << (&s - state.swaps.data()));
    state.deferred.arrive(s.group,
                          [&](FunctionalAccess& a) { functional(port.channel.cpu_side, a); });
    for (std::uint32_t i = 0; s.postponed && i < state.postponed.size();) {
        const std::uint32_t id = state.postponed[i];
        if (state.requests[id].group != s.group) {
            ++i;
            continue;
        }
        state.postponed.erase(i);
        --s.postponed;
        dispatch(id, state.groups.location(s.group, state.requests[id].slot));
    }
}

} // namespace memsim::ohm
