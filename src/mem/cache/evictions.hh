#pragma once

#include "mem/cache/core.hh"

namespace memsim::mem::cache {

/// How a line makes room: its dirty sectors are written back; its clean ones are offered below,
/// where somebody takes victims.
class Evictions {
  public:
    explicit Evictions(Core& core) : c_(core) {}

    /// Gives a way of its set to the request's line, if what leaves and `messages` more have room.
    /// `written`: to a line that is written, which a reserved way holds if there are some.
    CacheStall take_way(const Access& a, bool written, std::uint32_t messages, std::uint32_t& line);
    /// Sends the dirty sectors of a line below; answered, if `who` says for whom.
    void write_back(std::uint32_t line, const Forwarded* who);

  private:
    void evict(std::uint32_t line);
    void offer(std::uint32_t line, SectorMask clean);

    Core& c_;
};

} // namespace memsim::mem::cache
