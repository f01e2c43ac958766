#pragma once

#include "ohm/planar/page_demand.hh"

namespace memsim::ohm {

struct PostponedStats {
    using group = void;
    Counter buffer_reads {Unit::count, "Demand reads served from a swap buffer"};
    Counter requests_postponed {Unit::count, "Requests that waited for a swap of their page"};
};

/// What swaps and requests to their pages have to do with each other. A swap waits for requests
/// under way to its pages. A request that comes later is served from the swap buffer if it is a
/// read, its piece is there and no write to the pages waits before it; else it waits until it can
/// be, or the swap is over. A view over State.
class PostponedRequests {
  public:
    /// All outlive it. `limit`: how many may wait.
    PostponedRequests(std::uint32_t limit, const SwapParams& params, PostponedStats& stats,
                      Fifo<std::uint32_t>& waiting, PageSwaps& swaps, PageDemand& demand,
                      PageDemand::Done done)
        : limit_(limit), params_(params), stats_(stats), waiting_(waiting), swaps_(swaps),
          demand_(demand), done_(std::move(done)) {}

    std::uint32_t count() const { return waiting_.size(); }
    /// Whether a request to a page that the swap moves can be taken.
    bool has_room(const Swap& s, const Placement::Page& p, protocol::Command command) const {
        return waiting_.size() < limit_ || served(s, p.slot, p.offset, command);
    }
    /// A request to a page that the swap moves: it is served, or waits.
    void take(std::uint32_t id, Swap& s);
    /// The swap's pages must be still before their data is read: it waits for what is under way.
    void make_still(Swap& s);
    /// A request is done: the swap that waited for it waits for one less.
    void finished(const PageRequest& q) {
        if (q.blocks_swap != Group::none) --swaps_[q.blocks_swap].waits_for;
    }
    /// Reads whose piece is in the buffer now, up to the first write to one of the pages.
    void serve(Swap& s);
    /// The swap is over: what waited for it goes on.
    void release(Swap& s);

  private:
    bool served(const Swap& s, std::uint64_t slot, std::uint32_t offset,
                protocol::Command command) const {
        return command == protocol::Command::read && s.postponed_writes == 0 &&
               params_.buffer_reads() && s.has(slot, offset);
    }
    void read_buffer(std::uint32_t id, const Swap& s);

    std::uint32_t limit_;
    const SwapParams& params_;
    PostponedStats& stats_;
    Fifo<std::uint32_t>& waiting_;
    PageSwaps& swaps_;
    PageDemand& demand_;
    PageDemand::Done done_;
};

} // namespace memsim::ohm
