#pragma once

#include "core/state/fifo.hh"
#include "mem/cache/banked_slots.hh"
#include "mem/cache/lines/lines.hh"
#include "mem/cache/stats.hh"

#include <algorithm>
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
/// A copy occupies the set with the same number of the other partition, in a way that no line of
/// that partition uses, or in one of `copy_ways`, whose lines a chip evicts for it; here they stay.
/// All slices are assumed to be filled equally, so the free ways of this slice's own set are
/// counted. A new copy replaces the oldest one. A write or an atomic drops the copy of its line.
///
/// The latency of both ways is added to the response, so a request from there is looked up too
/// early by half of it. Responses to misses are accepted beyond `far_queue`; MSHRs limit them.
class Partitions {
  public:
    struct Copy {
        SectorMask sectors = 0;
        Tick since = 0; ///< arrival of its last sector
    };
    struct State {
        std::vector<Copy> copies;                   ///< by line; empty without partitions
        Tick requests_free = 0, responses_free = 0; ///< ticks from which the link is free
        Fifo<Late> late;                            ///< responses on the link
    };
    /// `requesters`: number of them in both partitions; 0: there is one partition. All arguments
    /// outlive it.
    Partitions(const PartitionParams& p, std::uint32_t requesters, const Map& map,
               const BankedSlots& slots, const device_parts::TagArray& tags, Stats& stat,
               State& state);

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
        if (requesters_ != 0) state_.copies[tags_.number(line)] = {};
    }
    /// The line has another address.
    void replaced(std::uint32_t line) {
        if (requesters_ == 0) return;
        written(line);
        trim(tags_.number(line) / tags_.ways(), 0);
    }
    /// Lines are dropped by a command.
    void drop_copies() { std::ranges::fill(state_.copies, Copy {}); }

    void check_loaded(Loader& l) const;

  private:
    void count(const protocol::MemRequest& r, Tick now);
    /// Drops the oldest copies of a set until there is room for `more` others. Returns whether
    /// there is.
    bool trim(std::uint32_t set, std::uint32_t more);
    /// A message enters the link. Returns the tick at which its last byte has.
    Tick enter(Tick& free_at, std::uint32_t bytes, Tick now) const;

    const Map& map_;
    const BankedSlots& slots_;
    const device_parts::TagArray& tags_;
    Stats& stat_;
    State& state_;
    std::uint32_t requesters_; ///< 0: there is one partition
    bool upper_;
    Tick latency_;
    std::uint32_t width_, queue_, copy_ways_;
};

} // namespace memsim::mem::cache
