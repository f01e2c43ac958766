#pragma once

#include "mem/cache/core.hh"

namespace memsim::mem::cache {

/// Evicts lines. Dirty sectors are written back. Clean sectors are offered to the next level if it
/// accepts victims.
class Evictions {
  public:
    explicit Evictions(Core& core) : c_(core) {}

    /// Allocates a way of the set to the line of the request, if the outlet has space for the
    /// evicted sectors and `messages` more. `written`: the line is written and may use a reserved
    /// way.
    CacheStall take_way(const Access& a, bool written, std::uint32_t messages, std::uint32_t& line);
    /// Writes the dirty sectors of a line back. With `origin`, the write-back is acknowledged.
    void write_back(std::uint32_t line, const Forwarded* origin);

  private:
    void evict(std::uint32_t line);
    void offer(std::uint32_t line, SectorMask clean);

    Core& c_;
};

} // namespace memsim::mem::cache
