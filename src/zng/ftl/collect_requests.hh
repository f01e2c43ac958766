#pragma once

#include "core/state/fifo.hh"
#include "device_parts/named.hh"
#include "zng/ftl/merges.hh"
#include "zng/layout/geometry.hh"
#include "zng/network/flash_network.hh"

namespace memsim::zng {

/// The requests of the collector to the flash controllers: moves and erases of merges, and
/// extensions of log blocks. All requests about a package use one controller. A part.
///
/// Models        limits of pages that are moved at once, for each block and for each package; all
///               merges and their blocks send in turn, one page each.
/// Ordering      The pages of a block are moved in order. Data blocks are erased before log blocks.
///
/// `Ports` is a list of ports by controller, such as Many<Requester<Collect>>.
class CollectRequests {
  public:
    struct Limits {
        std::uint32_t ahead = 0;       ///< outstanding moves per block and plane
        std::uint32_t moves = 0;       ///< pages moved at once within a package
        std::uint32_t ratio = 0;       ///< data blocks of a log block, at most
        std::uint32_t controllers = 0; ///< flash controllers
    };
    /// `package_moves`: by package, pages that are being moved. `extensions`: not yet sent.
    CollectRequests(const Flash& flash, const Limits& limits, MergeTableState& merges,
                    std::vector<std::uint32_t>& package_moves, Fifo<CollectRequest>& extensions)
        : flash_(flash), limits_(limits), merges_(merges), package_moves_(package_moves),
          extensions_(extensions) {}

    /// Extends a log block with block `to`, in all of its planes.
    void extend(std::uint32_t log, std::uint32_t to) {
        CollectRequest r;
        r.op = CollectOp::extend;
        r.data = r.log = log;
        r.to = to;
        for (r.page = 0; r.page < flash_.span; ++r.page) extensions_.push(r);
    }
    template <class Ports>
    void send_extensions(Ports& ports) {
        while (!extensions_.empty()) {
            const CollectRequest& next = extensions_.front();
            auto& to = ports[controller_of(next.log, next.page)];
            if (!to.can_send()) return;
            to.send(extensions_.pop());
        }
    }
    template <class Ports>
    void send_moves(Ports& ports) {
        for (bool sent = true; sent;) {
            sent = false;
            for (const std::uint32_t i : merges_.active) {
                const Merge& m = merges_.merges[i];
                if (m.phase != MergePhase::moving) continue;
                for (std::uint32_t n = 0; n < m.moves.size(); ++n) sent |= send_move(i, n, ports);
            }
        }
    }
    template <class Ports>
    void send_erases(std::uint32_t merge, Ports& ports) {
        Merge& m = merges_.merges[merge];
        const std::size_t moves = m.moves.size(), blocks = moves + m.logs.size();
        for (; m.erased < blocks * flash_.span; ++m.erased) {
            const std::uint32_t block = m.erased / flash_.span;
            CollectRequest r;
            r.op = CollectOp::erase;
            r.tag = merge * limits_.ratio;
            r.data = block < moves ? m.moves[block].blocks.from : m.logs[block - moves];
            r.page = m.erased % flash_.span;
            auto& to = ports[controller_of(r.data, r.page)];
            if (!to.can_send()) return;
            to.send(r);
        }
    }

    std::uint32_t merge_of(std::uint32_t tag) const { return tag / limits_.ratio; }
    /// A page of a move has arrived. Returns the move if this was its last page, else null.
    const DataMove* moved(const CollectResponse& r) {
        Merge& m = device_parts::named(merges_.merges, merge_of(r.tag));
        DataMove& move = device_parts::named(m.moves, r.tag % limits_.ratio);
        --package_moves_[flash_.package_of(move.blocks.from, r.page)];
        if (++move.done < flash_.mapped_pages()) return nullptr;
        --m.left;
        return &move;
    }
    /// A block was erased in one plane. Returns whether this was the last erase of its merge.
    bool erased(const CollectResponse& r) {
        return --device_parts::named(merges_.merges, merge_of(r.tag)).left == 0;
    }
    void check_loaded(Loader& l, std::uint64_t blocks) const {
        for (std::uint32_t i = 0; i < extensions_.size(); ++i)
            for (const std::uint32_t b : {extensions_[i].log, extensions_[i].to})
                l.index("extensions", b, blocks);
    }

  private:
    std::uint32_t controller_of(std::uint32_t block, std::uint32_t page) const {
        return flash_.package_of(block, page) % limits_.controllers;
    }
    template <class Ports>
    bool send_move(std::uint32_t merge, std::uint32_t n, Ports& ports) {
        const Merge& m = merges_.merges[merge];
        DataMove& move = merges_.merges[merge].moves[n];
        const std::uint32_t package = flash_.package_of(move.blocks.from, move.sent);
        auto& to = ports[controller_of(move.blocks.from, move.sent)];
        if (move.sent == move.granted || move.sent - move.done == limits_.ahead * flash_.span ||
            package_moves_[package] == limits_.moves || !to.can_send())
            return false;
        CollectRequest r;
        r.tag = merge * limits_.ratio + n;
        r.data = move.blocks.from, r.log = m.log;
        r.to = move.blocks.to, r.to_log = move.blocks.to_log;
        r.page = move.sent++;
        to.send(r);
        ++package_moves_[package];
        return true;
    }

    const Flash& flash_;
    const Limits limits_;
    MergeTableState& merges_;
    std::vector<std::uint32_t>& package_moves_;
    Fifo<CollectRequest>& extensions_;
};

} // namespace memsim::zng
