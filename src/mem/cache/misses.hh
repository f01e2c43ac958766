#pragma once

#include "mem/cache/evictions.hh"

namespace memsim::mem::cache {

/// What an access does that needs sectors which are not here: it waits in an MSHR, and what nobody
/// has asked for is fetched.
class Misses {
  public:
    Misses(Core& core, Evictions& evictions) : c_(core), evictions_(evictions) {}

    /// Serves the request or says, having changed nothing, why it cannot be.
    CacheStall miss(const Access& a);
    /// Asks below for sectors of a line on behalf of r; there is room.
    void fetch(std::uint32_t mshr, std::uint64_t line, SectorMask sectors, protocol::MemRequest r);
    /// There is one free.
    std::uint32_t take_mshr(std::uint32_t line);

  private:
    Core& c_;
    Evictions& evictions_;
};

} // namespace memsim::mem::cache
