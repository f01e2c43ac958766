#pragma once

#include "mem/cache/evictions.hh"

namespace memsim::mem::cache {

/// Commands for a cache itself: invalidate and flush. A flush walks through the sets as far as
/// there is room for its write-backs, and is answered when the level below has them, and when what
/// it dropped has come. The walk itself takes no time (assumption: tags are read beside the
/// accesses).
class Commands {
  public:
    struct Flush {
        bool walking = false;
        std::uint64_t set = 0;     ///< the next to be looked at
        std::uint32_t unacked = 0; ///< write-backs that the level below has not answered
        std::uint32_t dropped = 0; ///< fetches that it dropped and that have not come
        std::uint32_t port = 0;    ///< where it came from: 0 cpu_side, else 1 + control port
        protocol::MemRequest request;
    };
    Commands(Core& core, Evictions& evictions, Flush& flush)
        : c_(core), evictions_(evictions), flush_(flush) {}

    /// Empties the cache of what is clean. Serves the command or says why it cannot be.
    CacheStall invalidate();
    /// `port`: where it came from. Its walk goes on by walk().
    CacheStall flush(const protocol::MemRequest& r, std::uint32_t port);
    void walk();
    /// Whether accesses of an application wait until the walk is over.
    bool holds(std::uint16_t application) const { return flush_.walking && flushes(application); }
    /// A write-back of the flush is answered; a fetch that it dropped has come.
    void acknowledged() { --flush_.unacked; }
    void dropped_came() { --flush_.dropped; }
    /// Whether a flush is over that nobody has been told of; says so once.
    bool finished();
    bool busy() const { return flush_.walking || flush_.unacked || flush_.dropped; }

  private:
    bool flushes(std::uint32_t application) const {
        const std::uint16_t flushed = flush_.request.application;
        return flushed == protocol::every_application || flushed == application;
    }
    void tell_below(std::uint16_t application);

    Core& c_;
    Evictions& evictions_;
    Flush& flush_;
};

} // namespace memsim::mem::cache
