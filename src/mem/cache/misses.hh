#pragma once

#include "mem/cache/evictions.hh"
#include "mem/cache/lines/mshr_use.hh"
#include "mem/cache/messages/claims.hh"

namespace memsim::mem::cache {

/// Serves accesses whose sectors are missing: the access waits in an MSHR, and sectors that are not
/// yet requested are fetched.
class Misses {
  public:
    /// They outlive it.
    struct Uses {
        const Config& config;
        const Map& map;
        Lines& lines;
        MshrUse& mshr_use;
        Outlet& outlet;
        Banks& banks;
        Accounting& accounting;
        Claims& claims;
        Evictions& evictions;
        SimulationRef sim;
        Stats& stat;
        std::uint64_t& owed;     ///< requests without a response
        std::uint64_t& fetching; ///< bytes in flight from the next level
    };
    explicit Misses(const Uses& uses) : use_(uses) {}

    /// Returns `none` if served. Otherwise returns the cause of the stall and changes nothing.
    CacheStall miss(const Access& a);
    /// Fetches sectors of a line on behalf of r. Requires: the outlet has space.
    void fetch(std::uint32_t mshr, std::uint64_t line, SectorMask sectors, protocol::MemRequest r);
    /// Requires: an MSHR is free.
    std::uint32_t take_mshr(std::uint32_t line);

  private:
    Uses use_;
};

} // namespace memsim::mem::cache
