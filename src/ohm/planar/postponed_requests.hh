#pragma once

#include "ohm/planar/page_demand.hh"

namespace memsim::ohm {

struct PostponedStats {
    using group = void;
    Counter buffer_reads {Unit::count, "Demand reads served from a swap buffer"};
    Counter requests_postponed {Unit::count, "Requests that waited for a swap of their page"};
};

/// Coordinates swaps and requests to their pages. A swap waits for outstanding requests to its
/// pages. A later request is served from the swap buffer if it is a read, its piece is present and
/// no earlier write to the pages waits. Otherwise it waits until it can be served or the swap ends.
/// A view over State.
class PostponedRequests {
  public:
    /// All references must outlive the object. `limit`: requests that may wait.
    PostponedRequests(std::uint32_t limit, const SwapParams& params, PostponedStats& stats,
                      Fifo<std::uint32_t>& waiting, PageSwaps& swaps, PageDemand& demand,
                      PageDemand::Done done)
        : limit_(limit), params_(params), stats_(stats), waiting_(waiting), swaps_(swaps),
          demand_(demand), done_(std::move(done)) {}

    std::uint32_t count() const { return waiting_.size(); }
    /// Whether a request to a page being swapped can be accepted.
    bool has_room(const Swap& s, const Placement::Page& p, protocol::Command command) const {
        return waiting_.size() < limit_ || served(s, p.slot, p.offset, command);
    }
    /// Serves a request to a page being swapped from the buffer, or queues it.
    void take(std::uint32_t id, Swap& s);
    /// Makes the swap wait for outstanding requests to its pages.
    void make_still(Swap& s);
    /// A request is complete: a swap that waited for it waits for one request less.
    void finished(const PageRequest& q) {
        if (q.blocks_swap != Group::none) --swaps_[q.blocks_swap].waits_for;
    }
    /// Serves reads whose piece is now in the buffer, up to the first write to one of the pages.
    void serve(Swap& s);
    /// Resumes the requests that waited for a completed swap.
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
