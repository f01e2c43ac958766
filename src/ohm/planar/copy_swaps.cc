#include "ohm/planar/copy_swaps.hh"

#include "core/base/bits.hh"

namespace memsim::ohm {

namespace {
unsigned first_of(unsigned set) { return static_cast<unsigned>(std::countr_zero(set)); }
Swap::Mask bit(unsigned piece) { return static_cast<Swap::Mask>(1u << piece); }
} // namespace

void CopySwaps::collect_due(Tick now) {
    due_ = {};
    bool copying = false;
    for_each_bit(of_.swaps.live(), [&](std::uint32_t i) {
        const Swap& s = of_.swaps[i];
        const std::uint64_t own = std::uint64_t {1} << i;
        if (of_.swaps.old(s, now)) due_.old |= own;
        if (s.pieces_to_xpoint()) due_.channel |= own;
        copying |= !s.waits_for;
        const unsigned here = s.dram_read & s.xpoint_read;
        const unsigned asked = s.dram_read_asked & s.xpoint_read_asked;
        if (!s.waits_for && (asked != of_.swaps.all_pieces() || (here & ~s.dram_written)))
            due_.devices |= own;
    });
    const bool holds = of_.params.swap_hold() != SwapHold::nothing;
    of_.swaps.hold(copying && holds && of_.wires == mem::DramWires::data, now);
}

bool CopySwaps::request_pieces(std::uint64_t which, Tick now) {
    bool changed = false;
    for_each_bit(which, [&](std::uint32_t i) {
        Swap& s = of_.swaps[i];
        changed |= feed_dram(s, now);
        changed |= feed_xpoint(s, now);
        end_if_done(s);
    });
    return changed;
}

/// Issues reads, and writes of data from XPoint. Half of the scheduler's places are kept for demand
/// unless the swap is old.
bool CopySwaps::feed_dram(Swap& s, Tick now) {
    bool changed = false;
    const bool old = of_.swaps.old(s, now);
    const std::uint32_t places = of_.channel_params.dram_queue() / (old ? 1 : 2);
    const auto enqueue = [&](unsigned piece, bool write) {
        mem::DramAccess a = of_.channel.dram_access(dram_address(s, piece), Swap::piece_bytes);
        a.context = of_.swaps.id_of(s) | piece;
        a.write = write;
        a.wires = of_.wires;
        a.priority = old ? mem::DramPriority::demand : mem::DramPriority::migration;
        of_.channel.enqueue(a, true, now);
        changed = true;
    };
    const mem::DramScheduler& dram = of_.channel.dram();
    while (s.dram_read_asked != of_.swaps.all_pieces() && dram.reads() < places) {
        const unsigned piece = first_of(of_.swaps.all_pieces() & ~s.dram_read_asked);
        enqueue(piece, false);
        s.dram_read_asked |= bit(piece);
    }
    while (dram.writes() < places) {
        const unsigned here = s.dram_read & s.xpoint_read & ~s.dram_written;
        if (here == 0) break;
        const unsigned piece = first_of(here);
        enqueue(piece, true);
        s.dram_written |= bit(piece);
        of_.dram.replace(of_.contents, dram_address(s, piece) / SectorBytes::size,
                         of_.swaps.take_out(s, false, piece));
    }
    return changed;
}

bool CopySwaps::feed_xpoint(Swap& s, Tick now) {
    bool changed = false;
    const std::uint32_t m = s.module;
    const bool first = of_.to_module[m].empty() || of_.swaps.old(s, now);
    while (s.xpoint_read_asked != of_.swaps.all_pieces() && of_.modules.quiet(m) && first &&
           of_.modules.can_send(m)) {
        const unsigned piece = first_of(of_.swaps.all_pieces() & ~s.xpoint_read_asked);
        of_.modules.send(m, {xpoint_address(s, piece),
                             Swap::piece_bytes,
                             of_.swaps.id_of(s) | piece,
                             {},
                             false,
                             true});
        s.xpoint_read_asked |= bit(piece);
        changed = true;
    }
    return changed;
}

bool CopySwaps::old_writes(std::uint32_t module) const {
    bool writes = false;
    for_each_bit(due_.channel & due_.old, [&](std::uint32_t i) {
        const Swap& s = of_.swaps[i];
        writes |= s.live && s.module == module && s.pieces_to_xpoint();
    });
    return writes;
}

/// Books reads and writes of XPoint. Those of old swaps precede demand; the others use idle time of
/// the channel.
bool CopySwaps::book(bool old_ones, Tick now) {
    const std::uint64_t writers = due_.channel & (old_ones ? due_.old : ~std::uint64_t {0});
    const Tick lead = of_.channel.lead();
    const Tick ahead = old_ones ? lead : of_.channel_params.grant_latency->raw;
    const auto free_at = [&] { return of_.channel.free_at(of_.wires); };
    bool changed = writers && of_.params.auto_rw() && snarf(writers);
    if (free_at() > now + ahead) return changed;
    changed |= grant_ready(old_ones, ahead, now);
    if (of_.params.auto_rw()) return changed;
    for_each_bit(writers, [&](std::uint32_t i) {
        Swap& s = of_.swaps[i];
        const unsigned pieces = s.live ? s.pieces_to_xpoint() : 0;
        const std::uint32_t m = s.module;
        if (pieces == 0 || !of_.modules.quiet(m) || (!of_.to_module[m].empty() && !old_ones) ||
            free_at() > now + (old_ones ? lead : 0) || !of_.modules.can_send(m))
            return;
        const unsigned n = first_of(pieces);
        of_.modules.book(m, Swap::piece_bytes, to_xpoint(s, n), true, now, of_.wires);
        s.xpoint_write_asked |= bit(n);
        changed = true;
    });
    return changed;
}

bool CopySwaps::grant_ready(bool old_ones, Tick ahead, Tick now) {
    return of_.ready.grant(
        of_.modules,
        [&](const ReadyRead& r) {
            return (!old_ones || of_.swaps.old(of_.swaps.of(r.id), now)) &&
                   of_.channel.free_at(of_.wires) <= now + ahead;
        },
        [&](const ReadyRead& r) {
            of_.modules.grant(r.module, r.id, Swap::piece_bytes, true, now, of_.wires);
        });
}

/// XPoint has snarfed the data read from DRAM. It is written when its own line has been read.
bool CopySwaps::snarf(std::uint64_t writers) {
    bool changed = false;
    for_each_bit(writers, [&](std::uint32_t i) {
        Swap& s = of_.swaps[i];
        const std::uint32_t m = s.module;
        while (s.live && s.pieces_to_xpoint() && of_.modules.quiet(m) && of_.modules.can_send(m)) {
            const unsigned n = first_of(s.pieces_to_xpoint());
            of_.modules.send(m, to_xpoint(s, n));
            s.xpoint_write_asked |= bit(n);
            s.xpoint_written |= bit(n);
            of_.stats.snarfed += Swap::piece_bytes;
            changed = true;
        }
        end_if_done(s);
    });
    return changed;
}

// ---- answers ---------------------------------------------------------------------------------

void CopySwaps::piece_from_dram(std::uint32_t context) {
    Swap& s = of_.swaps.of(context);
    const unsigned piece = context & 15;
    if (of_.contents.enabled())
        of_.swaps.put(s, true, piece,
                      of_.dram.take_out(of_.contents, dram_address(s, piece) / SectorBytes::size,
                                        Swap::piece_bytes / SectorBytes::size));
    s.dram_read |= bit(piece);
    piece_here_(s);
}

void CopySwaps::piece_from_xpoint(std::uint32_t id, Contents::Id contents) {
    Swap& s = of_.swaps.of(id);
    of_.swaps.put(s, false, id & 15, contents);
    s.xpoint_read |= bit(id & 15);
    piece_here_(s);
}

/// A swap ends when the scheduler has accepted its writes to DRAM. The scheduler keeps their order
/// and serves reads from them (it may delay writes as long as reads arrive).
void CopySwaps::left(std::uint32_t id) {
    Swap& s = of_.swaps.of(id);
    s.xpoint_written |= bit(id & 15);
    end_if_done(s);
}

void CopySwaps::check_loaded(Loader& l) const {
    for (std::uint32_t i = 0; i < of_.ready.size(); ++i) {
        const ReadyRead& r = of_.ready[i];
        l.index("ready_migration.module", r.module, of_.placement.modules);
        l.within("ready_migration", [&] {
            l.check(r.id & PageSwaps::migration_id, "is the number of a request");
            l.index("swap", r.id >> 4 & 0xff, of_.swaps.all().size());
        });
    }
}

} // namespace memsim::ohm
