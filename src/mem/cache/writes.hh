#pragma once

#include "mem/cache/misses.hh"

namespace memsim::mem::cache {

/// What a write does, or an atomic that is performed further down. Each serves the request or says,
/// having changed nothing, why it cannot be.
class Writes {
  public:
    Writes(Core& core, Evictions& evictions, Misses& misses)
        : c_(core), evictions_(evictions), misses_(misses) {}

    /// It stays here.
    CacheStall stay(const Access& a);
    /// An atomic whose sectors are valid is performed here.
    CacheStall perform(const Access& a);
    /// It goes on below.
    CacheStall forward(const Access& a);

  private:
    SectorMask update(const Access& a, std::uint32_t line, bool drops);

    Core& c_;
    Evictions& evictions_;
    Misses& misses_;
};

} // namespace memsim::mem::cache
