#pragma once

#include "mem/cache/evictions.hh"
#include "mem/cache/state.hh"

namespace memsim::mem::cache {

/// Executes invalidate and flush commands. A flush walks through the sets as long as there is space
/// for its write-backs; it waits at a line with writes that wait for a fetch. It is answered when
/// the next level has acknowledged the write-backs and the fetches that it dropped have arrived.
/// The walk itself takes no time (assumption: tags are read in parallel with accesses).
class Commands {
  public:
    /// They outlive it.
    struct Uses {
        const Config& config;
        Lines& lines;
        Outlet& outlet;
        Evictions& evictions;
        Stats& stat;
        std::uint64_t& owed; ///< requests without a response
        Flush& flush;
    };
    explicit Commands(const Uses& uses) : use_(uses) {}

    /// Drops all clean sectors. Returns `none` if done, else the cause of the stall.
    CacheStall invalidate();
    /// `port`: the source of the request. walk() continues the flush.
    CacheStall flush(const protocol::MemRequest& r, std::uint32_t port);
    void walk();
    /// Whether accesses of an application wait for the end of the walk.
    bool holds(std::uint16_t application) const {
        return use_.flush.walking && flushes(application);
    }
    /// A write-back of the flush was acknowledged; a fetch that the flush dropped has arrived.
    void acknowledged() { --use_.flush.unacked; }
    void dropped_came() { --use_.flush.dropped; }
    /// Returns true once after the end of a flush, for the caller to answer it.
    bool finished();
    bool busy() const { return use_.flush.walking || use_.flush.unacked || use_.flush.dropped; }

  private:
    bool flushes(std::uint32_t application) const {
        const std::uint16_t flushed = use_.flush.request.application;
        return flushed == protocol::every_application || flushed == application;
    }
    void tell_below(std::uint16_t application);

    Uses use_;
};

} // namespace memsim::mem::cache
