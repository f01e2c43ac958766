#pragma once

#include "mem/cache/accounting.hh"
#include "mem/cache/banked_slots.hh"
#include "mem/cache/lines/partitions.hh"
#include "mem/cache/messages/outlet.hh"

namespace memsim::mem::cache {

/// Evicts lines. Dirty sectors are written back. Clean sectors are offered to the next level if it
/// accepts victims.
class Evictions {
  public:
    /// They outlive it.
    struct Uses {
        const Config& config;
        const Map& map;
        Lines& lines;
        Outlet& outlet;
        Banks& banks;
        Accounting& accounting;
        Partitions& partitions;
        Stats& stat;
        const std::uint32_t& reserved; ///< ways for written lines
    };
    explicit Evictions(const Uses& uses) : use_(uses) {}

    /// Allocates a way of the set to the line of the request, if the outlet has space for the
    /// evicted sectors and `messages` more. `written`: the line is written and may use a reserved
    /// way.
    CacheStall take_way(const Access& a, bool written, std::uint32_t messages, std::uint32_t& line);
    /// Writes the dirty sectors of a line back. With `origin`, the write-back is acknowledged.
    void write_back(std::uint32_t line, const Forwarded* origin);

  private:
    void evict(std::uint32_t line);
    void offer(std::uint32_t line, SectorMask clean);

    Uses use_;
};

} // namespace memsim::mem::cache
