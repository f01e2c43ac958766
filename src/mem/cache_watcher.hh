#pragma once

#include "parts/tag_array.hh"
#include "protocol/mem.hh"

namespace memsim::mem {

/// What a cache does with data, told to whoever keeps contents: requests and answers carry none.
/// Calls come in the order of the messages on each of the cache's links. Nothing in a run may
/// depend on a watcher; tests check with one that reads see the latest writes.
class CacheWatcher {
  public:
    virtual ~CacheWatcher() = default;
    /// A write or atomic from above has been served; the cache holds `kept` of its data.
    virtual void wrote(const protocol::MemRequest& r, parts::SectorMask kept) = 0;
    /// A message is on its way below: a fetch, a write-back of what the cache holds, or, called
    /// before wrote() of it, a write or atomic that is passed on.
    virtual void below(const protocol::MemRequest& r, bool passed_on) = 0;
    /// Data came; the cache takes it for the sectors of `taken`, of the others it has newer.
    virtual void filled(const protocol::MemResponse& r, parts::SectorMask taken) = 0;
    /// A request from above is answered with what the cache holds now, or with what just came.
    virtual void answered(const protocol::MemResponse& r) = 0;
};

} // namespace memsim::mem
