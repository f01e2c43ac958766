#pragma once

#include "core/state/fifo.hh"
#include "mem/cache/accounting.hh"
#include "mem/cache/banked_slots.hh"

#include <vector>

namespace memsim::mem::cache {

struct Late { ///< a response that waits
    Tick at = 0;
    protocol::MemResponse answer;
};

/// The two partitions of an L2, as one of its slices sees them. Half of the requesters belong to
/// the other partition. Their requests, and the responses to them, pass the link between the
/// partitions, one after another in each direction. Sectors that they read are copied into their
/// partition: later reads of these sectors from there pass no link.
///
/// A chip keeps a copy in the other partition, where it replaces a line or another copy. Here it
/// occupies a way of its line's own set: all slices are assumed to be filled equally, so as many
/// lines leave. The replacement policy selects the line or copy to replace; a dirty line stays
/// (assumption), and then there is no copy. A copy is dropped if its line is evicted or written.
///
/// The latency of both ways is added to the response, so a request from there is looked up too
/// early by half of it. Responses to misses are accepted beyond `far_queue`; MSHRs limit them.
class Partitions {
  public:
    struct State {
        std::vector<Tick> arrivals; ///< of a way's copy, its last sector; empty without partitions
        Tick requests_free = 0, responses_free = 0; ///< ticks from which the link is free
        Fifo<Late> late;                            ///< responses on the link
    };
    /// They outlive it.
    struct Uses {
        const Map& map;
        const BankedSlots& slots;
        Lines& lines;
        Accounting& accounting;
        Stats& stat;
        State& state;
        const std::uint32_t& reserved; ///< ways for written lines
    };
    /// `requesters`: number of them in both partitions; 0: there is one partition.
    Partitions(const PartitionParams& p, std::uint32_t requesters, const Uses& uses);

    /// Whether the requester belongs to the other partition.
    bool is_far(std::uint16_t source) const {
        return requesters_ != 0 && (2u * source >= requesters_) != upper_;
    }
    /// The tick from which a request from there may be looked up, at most `now` if it may be now.
    Tick free(Tick now) const;
    /// Counts a request that was looked up; one from there occupies the link.
    void requested(const protocol::MemRequest& r, Tick now) {
        if (requesters_ != 0) [[unlikely]]
            count(r, now);
    }
    /// When the response to a request from there leaves this slice; `now` for a read of a copy.
    /// `line`: of a read's sectors, else none.
    Tick leaves(const protocol::MemResponse& r, std::uint32_t line, Tick now);

    /// The line is written.
    void written(std::uint32_t line) {
        if (requesters_ != 0) drop_copy(line);
    }
    /// Whether a way that is not empty holds a copy.
    bool holds_copy(std::uint32_t way) const { return use_.lines.tags.tag(way) >= lines_; }
    /// The line or copy leaves its way.
    void leaving(std::uint32_t way);
    /// Lines are dropped by a command.
    void drop_copies();
    /// The number of lines that tags can name; the tag of a copy is its line's plus this number.
    std::uint64_t lines() const { return lines_; }

    void check_loaded(Loader& l) const;

  private:
    void count(const protocol::MemRequest& r, Tick now);
    /// Replaces a way of the line's set by a copy of the line; none if no way may be replaced.
    std::uint32_t take_way(std::uint32_t line);
    void drop_copy(std::uint32_t line);
    /// The way of the line's copy, or none.
    std::uint32_t way_of_copy(std::uint32_t line) const;
    std::uint64_t set_of(std::uint32_t line) const;
    /// A message enters the link. Returns the tick at which its last byte has.
    Tick enter(Tick& free_at, std::uint32_t bytes, Tick now) const;

    Uses use_;
    std::uint32_t requesters_; ///< 0: there is one partition
    std::uint64_t lines_;
    bool upper_;
    Tick latency_;
    std::uint32_t width_, queue_;
};

} // namespace memsim::mem::cache
