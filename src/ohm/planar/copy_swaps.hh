#pragma once

#include "ohm/channel/module_side.hh"
#include "ohm/planar/page_demand.hh"

#include <functional>

namespace memsim::ohm {

/// Swaps by the memory controller, in pieces of 256 bytes over the channel: read from DRAM, read
/// from XPoint, write to XPoint, write to DRAM. With auto-read/write, XPoint snarfs the data read
/// from DRAM, which is then not sent there. Pieces use only idle time of the channel; pieces of old
/// swaps precede demand.
class CopySwaps {
  public:
    using Event = std::function<void(Swap&)>;
    struct Parts { ///< all must outlive the object
        const SwapParams& params;
        const ChannelParams& channel_params;
        SwapStats& stats;
        const Placement& placement;
        PageSwaps& swaps;
        MemoryChannel& channel;
        ModuleSide& modules;
        device_parts::SectorStore& dram; ///< contents of the DRAM
        Contents& contents;
        const std::vector<Fifo<std::uint32_t>>& to_module; ///< queued demand, by module
        ReadyReads& ready;    ///< data that its reads of XPoint have ready
        mem::DramWires wires; ///< wires of migration transfers
    };

    /// `piece_here`: called when the buffer receives a piece. `over`: called when all pieces are
    /// written.
    CopySwaps(const Parts& of, Event piece_here, Event over)
        : of_(of), piece_here_(std::move(piece_here)), over_(std::move(over)) {}

    // Steps of the owner's wake, in their order. A bool result means that something changed.
    // collect_due() collects the swaps that can act; later steps only reduce their number.
    void collect_due(Tick now);
    bool feed_old(Tick now) { return has_pieces() && request_pieces(due_.devices & due_.old, now); }
    bool feed_young(Tick now) {
        return has_pieces() && request_pieces(due_.devices & ~due_.old, now);
    }
    bool has_pieces() const { return due_.devices; }
    /// Whether transfers wait for the channel.
    bool waits() const { return due_.channel || !of_.ready.empty(); }
    bool book(bool old_ones, Tick now);
    /// Whether an old swap needs a place in the module and the channel at the same time.
    bool old_writes(std::uint32_t module) const;

    void check_loaded(Loader& l) const;
    void piece_from_dram(std::uint32_t context);
    void piece_from_xpoint(std::uint32_t id, Contents::Id contents);
    /// A piece has left for XPoint.
    void left(std::uint32_t id);
    /// Calls consider(time) for each time at which state can change without an event.
    template <class F>
    void consider(F&& consider, Tick now) const {
        const Tick free = of_.channel.free_at(of_.wires), lead = of_.channel.lead();
        if (!of_.ready.empty()) {
            const bool first = of_.swaps.old(of_.swaps.of(of_.ready.front().id), now);
            consider(free - (first ? lead : of_.channel_params.grant_latency->raw));
        }
        for (std::uint64_t rest = of_.swaps.live(); rest; rest &= rest - 1) {
            const Swap& s = of_.swaps[static_cast<std::size_t>(std::countr_zero(rest))];
            consider(of_.swaps.old_at(s)); // its transfers gain priority
            if (s.pieces_to_xpoint() && of_.modules.quiet(s.module))
                consider(free - (of_.swaps.old(s, now) ? lead : 0));
        }
    }

  private:
    bool request_pieces(std::uint64_t which, Tick now);
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
    /// The command that carries piece n, read from DRAM.
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
    /// Swaps that can act next, one bit each.
    struct {
        std::uint64_t old = 0;     ///< those that precede demand
        std::uint64_t devices = 0; ///< with pieces to read from the devices or to write to DRAM
        std::uint64_t channel = 0; ///< with pieces to write to XPoint
    } due_;
};

} // namespace memsim::ohm
