#pragma once

#include "protocol/mem.hh"

/// The seam between a cache and the level below. A component there that derives from TakesVictims
/// is sent, over the cache's own port and in order with everything else,
///   - each fetch, which it may answer alone, in part with what it gets for the rest, or not at
///   all;
///   - each write, atomic and write-back,
///   - `Command::victim`, posted: clean sectors of a line that made room. A line's dirty sectors
///     are written back before it,
///   - `Command::claim`, posted and without data: sectors that are written above and stay there,
///     when they become dirty, fetched or not. A copy of them is old from then on,
///   - `Command::invalidate`, posted: the cache was emptied of clean lines, or of one application's
///     lines (`application`); so must be whatever keeps copies for it.
/// A cache above anything else sends the first two only, and pays nothing.
namespace memsim::protocol {

class TakesVictims {
  public:
    virtual ~TakesVictims() = default;
};

} // namespace memsim::protocol
