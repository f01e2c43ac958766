#pragma once

#include "mem/cache/misses.hh"

namespace memsim::mem::cache {

/// Executes hints. Each line of a hint is fetched if sectors are missing and resources are free;
/// otherwise it is dropped.
class Prefetching {
  public:
    /// They outlive it.
    struct Uses {
        const Config& config;
        const Map& map;
        Lines& lines;
        MshrUse& mshr_use;
        Outlet& outlet;
        Banks& banks;
        Evictions& evictions;
        Misses& misses;
        Stats& stat;
    };
    explicit Prefetching(const Uses& uses) : use_(uses) {}

    /// Bytes of the hint in the next line after the first `done` bytes; 0 at the end.
    std::uint32_t next_part(const protocol::MemRequest& h, std::uint32_t done) const {
        const std::uint64_t address = h.address + done;
        const std::uint64_t to_end =
            use_.map.line_bytes() - (address & (use_.map.line_bytes() - 1));
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(to_end, h.bytes - std::min(h.bytes, done)));
    }
    /// A read of that part.
    static protocol::MemRequest part(const protocol::MemRequest& h, std::uint32_t done,
                                     std::uint32_t bytes);
    /// Requires: the bank is free. `held`: accesses of the application wait for a flush.
    void hint(const Access& a, bool held);

  private:
    Uses use_;
};

} // namespace memsim::mem::cache
