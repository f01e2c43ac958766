#pragma once

#include "mem/cache/misses.hh"

namespace memsim::mem::cache {

/// Serves writes, and atomics that are performed further below. Each function returns `none` if it
/// served the request; otherwise it returns the cause of the stall and changes nothing.
class Writes {
  public:
    Writes(Core& core, Evictions& evictions, Misses& misses)
        : c_(core), evictions_(evictions), misses_(misses) {}

    /// Keeps the write in this cache.
    CacheStall stay(const Access& a);
    /// Performs an atomic whose sectors are valid.
    CacheStall perform(const Access& a);
    /// Forwards the request to the next level.
    CacheStall forward(const Access& a);

  private:
    SectorMask update(const Access& a, std::uint32_t line, bool drops);

    Core& c_;
    Evictions& evictions_;
    Misses& misses_;
};

} // namespace memsim::mem::cache
