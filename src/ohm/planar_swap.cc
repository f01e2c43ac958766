#include "ohm/planar_controller.hh"

#include <bit>

/// Swaps of a hot XPoint page with the DRAM page of its group.
namespace memsim::ohm {

using protocol::Command;

namespace {
int first_bit(unsigned set) { return set ? std::countr_zero(set) : -1; }
} // namespace

void PlanarController::begin_swap(std::uint64_t group, Group& g) {
    if (state.swaps_live == params.swaps()) {
        ++stat.swaps_postponed;
        return;
    }
    std::uint8_t index = 0;
    while (state.swaps[index].live) ++index;
    Swap& s = state.swaps[index];
    s = {};
    s.live = true;
    s.group = group;
    s.slot_in = g.candidate;
    s.slot_out = g.resident;
    s.location = g.location[g.candidate];
    s.decided = now();
    g.swap = index;
    ++state.swaps_live;
    // Both pages must be still before their data is read: wait for what is under way to them.
    for (Request& q : state.requests)
        if (q.live && q.group == group && (q.slot == s.slot_in || q.slot == s.slot_out)) {
            q.blocks_swap = index;
            ++s.waits_for;
        }
}

/// Old swaps go before demand, the others after it.
bool PlanarController::feed_swaps(bool old_ones) {
    bool changed = false;
    for (Swap& s : state.swaps) {
        if (!s.live || s.waits_for || !asks(s) || old(s) != old_ones) continue;
        changed |= feed_dram_pieces(s);
        changed |= feed_xpoint_reads(s);
    }
    return changed;
}

/// Reads, and writes of what has come from XPoint. Half of the scheduler's places stay for demand,
/// unless the swap is old.
bool PlanarController::feed_dram_pieces(Swap& s) {
    bool changed = false;
    const std::uint32_t places = params.dram_queue() / (old(s) ? 1 : 2);
    const auto enqueue = [&](unsigned piece, bool write) {
        const std::uint64_t address = placement_.dram_address(s.group) + piece * piece_bytes;
        mem::DramAccess a = dram_access(address, piece_bytes);
        a.context = id_of(s) | piece | (write ? migration_write : 0);
        a.write = write;
        a.priority = old(s) ? mem::DramPriority::demand : mem::DramPriority::migration;
        dram_->enqueue(a, now());
        count_transfer(piece_bytes, true);
        changed = true;
    };
    while (s.dram_read_asked != all_pieces() && dram_->reads() < places) {
        const auto piece = static_cast<unsigned>(first_bit(all_pieces() & ~s.dram_read_asked));
        enqueue(piece, false);
        s.dram_read_asked |= static_cast<Mask>(1u << piece);
    }
    while (dram_->writes() < places) {
        const int first = first_bit(s.dram_read & s.xpoint_read & ~s.dram_write_asked);
        if (first < 0) break;
        const auto piece = static_cast<unsigned>(first);
        enqueue(piece, true);
        s.dram_write_asked |= static_cast<Mask>(1u << piece);
        if (params.check_contents()) {
            const std::uint64_t block =
                (placement_.dram_address(s.group) + piece * piece_bytes) / block_bytes;
            for (unsigned b = 0; b < 2; ++b)
                state.dram_content.write(block + b, s.from_xpoint[piece][b]);
        }
    }
    return changed;
}

bool PlanarController::feed_xpoint_reads(Swap& s) {
    if (s.xpoint_read_asked == all_pieces()) return false;
    bool changed = false;
    const std::uint32_t m = placement_.module_of(s.group, s.location);
    const ModuleQueue& queue = state.modules[m];
    while (s.xpoint_read_asked != all_pieces() && queue.leaving.empty() &&
           (queue.commands.empty() || old(s)) && port.commands[m].can_send()) {
        const auto piece = static_cast<unsigned>(first_bit(all_pieces() & ~s.xpoint_read_asked));
        port.commands[m].send({placement_.module_address(s.group, s.location) + piece * piece_bytes,
                               piece_bytes,
                               id_of(s) | piece,
                               {},
                               false,
                               true});
        s.xpoint_read_asked |= static_cast<Mask>(1u << piece);
        changed = true;
    }
    return changed;
}

void PlanarController::piece_from_dram(std::uint32_t context) {
    Swap& s = swap_of(context);
    const unsigned piece = context & 15;
    const std::uint64_t block =
        (placement_.dram_address(s.group) + piece * piece_bytes) / block_bytes;
    if (params.check_contents())
        for (unsigned b = 0; b < 2; ++b) s.from_dram[piece][b] = state.dram_content.read(block + b);
    s.dram_read |= static_cast<Mask>(1u << piece);
    serve_postponed(s);
}

void PlanarController::piece_from_xpoint(std::uint32_t id, const protocol::LineVersions& versions) {
    Swap& s = swap_of(id);
    s.from_xpoint[id & 15] = versions;
    s.xpoint_read |= static_cast<Mask>(1u << (id & 15));
    serve_postponed(s);
}

/// Postponed reads whose piece is in the buffer now, up to the first write to one of the pages.
void PlanarController::serve_postponed(Swap& s) {
    if (s.postponed == 0) return;
    for (std::uint32_t i = 0; i < state.postponed.size();) {
        const std::uint32_t id = state.postponed[i];
        Request& q = state.requests[id];
        const bool of_this = q.group == s.group; // only requests to the pages moved are here
        if (of_this && q.r.command != Command::read) return;
        const auto buffered = of_this ? in_buffer(q, s) : std::nullopt;
        if (!buffered) {
            ++i;
            continue;
        }
        state.postponed.erase(i);
        --s.postponed;
        ++stat.buffer_reads;
        q.place = Place::buffer;
        finish_read(id, *buffered);
    }
}

void PlanarController::piece_written(std::uint32_t id, Mask Swap::*written) {
    Swap& s = swap_of(id);
    s.*written |= static_cast<Mask>(1u << (id & 15));
    if (s.dram_written == all_pieces() && s.xpoint_written == all_pieces()) end_swap(s);
}

void PlanarController::end_swap(Swap& s) {
    state.groups[s.group].swapped();
    ++stat.swaps;
    stat.swap_latency.sample(Time {now() - s.decided});
    s.live = false;
    --state.swaps_live;
    for (std::uint32_t i = 0; s.postponed && i < state.postponed.size();) {
        const std::uint32_t id = state.postponed[i];
        if (state.requests[id].group != s.group) {
            ++i;
            continue;
        }
        state.postponed.erase(i);
        --s.postponed;
        dispatch(id);
    }
}

} // namespace memsim::ohm
