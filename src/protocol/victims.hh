#pragma once

#include "protocol/mem.hh"

/// The interface between a cache and the level below. A component below that derives from
/// TakesVictims receives, over the cache's own port and in order with all other messages:
///   - each fetch, which it may answer alone, in part together with data from further below, or
///     not at all;
///   - each write, atomic and write-back;
///   - `Command::victim`, posted: clean sectors of an evicted line. The line's dirty sectors are
///     written back before it;
///   - `Command::claim`, posted and without data: sectors that are written above and stay there,
///     sent when they become dirty, fetched or not. Copies of them are stale from then on;
///   - `Command::invalidate`, posted: the cache has dropped its clean lines, or the lines of one
///     application (`application`); copies kept for it must be dropped, too.
/// A cache above any other component sends only the first two, at no cost.
namespace memsim::protocol {

class TakesVictims {
  public:
    static constexpr bool constant = true;
    virtual ~TakesVictims() = default;
};

} // namespace memsim::protocol
