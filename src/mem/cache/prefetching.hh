#pragma once

#include "mem/cache/misses.hh"

namespace memsim::mem::cache {

/// What a hint does: each line that it names is fetched if something of it is missing and there is
/// room, or else dropped.
class Prefetching {
  public:
    /// `demand_mshrs`: what hints leave free.
    Prefetching(Core& core, Evictions& evictions, Misses& misses, std::uint32_t demand_mshrs)
        : c_(core), evictions_(evictions), misses_(misses), demand_mshrs_(demand_mshrs) {}

    /// The next line's part of a hint of which `done` bytes are done; 0: nothing is left.
    std::uint32_t next_part(const protocol::MemRequest& h, std::uint32_t done) const {
        const std::uint64_t address = h.address + done;
        const std::uint64_t to_end = c_.map.line_bytes() - (address & (c_.map.line_bytes() - 1));
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(to_end, h.bytes - std::min(h.bytes, done)));
    }
    /// A read of that part.
    static protocol::MemRequest part(const protocol::MemRequest& h, std::uint32_t done,
                                     std::uint32_t bytes);
    /// The bank is free. `held`: accesses of its application wait for a flush.
    void hint(const Access& a, bool held);

  private:
    Core& c_;
    Evictions& evictions_;
    Misses& misses_;
    std::uint32_t demand_mshrs_;
};

} // namespace memsim::mem::cache
