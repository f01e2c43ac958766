#pragma once

#include "ohm/channel/module_side.hh"
#include "ohm/planar/page_demand.hh"

#include <functional>

namespace memsim::ohm {

/// Swaps that the memory controller makes itself, in pieces of 256 bytes over the channel: read
/// from DRAM, read from XPoint, write to XPoint, write to DRAM. With auto-read/write XPoint snarfs
/// what is read from DRAM, so it is not sent there. Pieces take a place only where the channel
/// would idle, those of old swaps one before demand.
class CopySwaps {
  public:
    using Event = std::function<void(Swap&)>;
    struct Parts { ///< all outlive it
        const SwapParams& params;
        const ChannelParams& channel_params;
        SwapStats& stats;
        const Placement& placement;
        PageSwaps& swaps;
        MemoryChannel& channel;
        ModuleSide& modules;
        parts::SectorStore& dram; ///< its contents
        Contents& contents;
        const std::vector<Fifo<std::uint32_t>>& to_module; ///< demand that waits, by module
        ReadyReads& ready;                                 ///< its reads of XPoint
        mem::DramWires wires;                              ///< of migration
    };

    /// `piece_here`: the buffer has one more piece. `over`: all pieces are written.
    CopySwaps(const Parts& of, Event piece_here, Event over)
        : of_(of), piece_here_(std::move(piece_here)), over_(std::move(over)) {}

    // In the order of a wake of their owner. The bools say whether anything changed.
    /// Finds the swaps that have something to do; after this they only become fewer.
    void look(Tick now);
    bool feed_old(Tick now) { return has_pieces() && feed(due_.devices & due_.old, now); }
    bool feed_young(Tick now) { return has_pieces() && feed(due_.devices & ~due_.old, now); }
    bool has_pieces() const { return due_.devices; }
    /// Transfers wait for the channel.
    bool waits() const { return due_.channel || !of_.ready.empty(); }
    bool book(bool old_ones, Tick now);
    /// An old swap needs a place in the module and the channel at one time.
    bool old_writes(std::uint32_t module) const;

    void piece_from_dram(std::uint32_t context);
    void piece_from_xpoint(std::uint32_t id, Contents::Id contents);
    /// A piece has left for XPoint.
    void left(std::uint32_t id);
    /// Calls consider(time) for all times at which something can change by itself.
    template <class F>
    void consider(F&& consider, Tick now) const {
        const Tick free = of_.channel.free_at(of_.wires), lead = of_.channel.lead();
        if (!of_.ready.empty()) {
            const bool first = of_.swaps.old(of_.swaps.of(of_.ready.front().id), now);
            consider(free - (first ? lead : of_.channel_params.grant_latency->raw));
        }
        for (std::uint64_t rest = of_.swaps.live(); rest; rest &= rest - 1) {
            const Swap& s = of_.swaps[static_cast<std::size_t>(std::countr_zero(rest))];
            consider(of_.swaps.old_at(s)); // its transfers gain in rank
            if (s.pieces_to_xpoint() && of_.modules.quiet(s.module))
                consider(free - (of_.swaps.old(s, now) ? lead : 0));
        }
    }

  private:
    bool feed(std::uint64_t which, Tick now);
    bool feed_dram(Swap& s, Tick now);
    bool feed_xpoint(Swap& s, Tick now);
    bool snarf(std::uint64_t writers);
    bool grant_ready(bool old_ones, Tick ahead, Tick now);
    void end_if_done(Swap& s) {
        if (s.live && of_.swaps.copied(s)) over_(s);
    }
    std::uint64_t dram_address(const Swap& s, unsigned piece) const {
        return of_.placement.dram_address(s.group) + piece * Swap::piece_bytes;
    }
    std::uint64_t xpoint_address(const Swap& s, unsigned piece) const {
        return of_.placement.module_address(s.group, s.location) + piece * Swap::piece_bytes;
    }
    /// Piece n of what was read from DRAM.
    protocol::DdrtCommand to_xpoint(const Swap& s, unsigned n) const {
        return {xpoint_address(s, n),
                Swap::piece_bytes,
                of_.swaps.id_of(s) | n,
                of_.swaps.take_out(s, true, n),
                true,
                true};
    }

    const Parts of_;
    Event piece_here_, over_;
    /// Swaps with something to do next, a bit each.
    struct {
        std::uint64_t old = 0;     ///< those that go before demand
        std::uint64_t devices = 0; ///< with pieces to ask the devices for, or to write to DRAM
        std::uint64_t channel = 0; ///< with pieces to write to XPoint
    } due_;
};

} // namespace memsim::ohm
