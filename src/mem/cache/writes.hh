#pragma once

#include "mem/cache/misses.hh"

namespace memsim::mem::cache {

/// Serves writes, and atomics that are performed further below. Each function returns `none` if it
/// served the request; otherwise it returns the cause of the stall and changes nothing.
class Writes {
  public:
    /// They outlive it.
    struct Uses {
        const Config& config;
        Lines& lines;
        MshrUse& mshr_use;
        Outlet& outlet;
        Banks& banks;
        Accounting& accounting;
        Claims& claims;
        Evictions& evictions;
        Misses& misses;
        Stats& stat;
        std::uint64_t& owed;           ///< requests without a response
        const std::uint32_t& reserved; ///< ways for written lines
    };
    explicit Writes(const Uses& uses) : use_(uses) {}

    /// Keeps the write in this cache.
    CacheStall stay(const Access& a);
    /// Performs an atomic whose sectors are valid.
    CacheStall perform_atomic(const Access& a);
    /// Forwards the request to the next level.
    CacheStall forward(const Access& a);

  private:
    SectorMask update(const Access& a, std::uint32_t line, bool drops);

    Uses use_;
};

} // namespace memsim::mem::cache
