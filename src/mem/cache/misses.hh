#pragma once

#include "mem/cache/evictions.hh"

namespace memsim::mem::cache {

/// Serves accesses whose sectors are missing: the access waits in an MSHR, and sectors that are not
/// yet requested are fetched.
class Misses {
  public:
    Misses(Core& core, Evictions& evictions) : c_(core), evictions_(evictions) {}

    /// Returns `none` if served. Otherwise returns the cause of the stall and changes nothing.
    CacheStall miss(const Access& a);
    /// Fetches sectors of a line on behalf of r. Requires: the outlet has space.
    void fetch(std::uint32_t mshr, std::uint64_t line, SectorMask sectors, protocol::MemRequest r);
    /// Requires: an MSHR is free.
    std::uint32_t take_mshr(std::uint32_t line);

  private:
    Core& c_;
    Evictions& evictions_;
};

} // namespace memsim::mem::cache
