#pragma once

#include "core/base/units.hh"

namespace memsim {

/// Implemented by an EndsRuns (core/kernel/component.hh) that knows before a tick that it will
/// neither use Simulation::launches() nor end the run in it. These are acts below. If all EndsRuns
/// of a machine give notice, they may be in different partitions (core/parallel/windows.hh).
///
/// Requires  The component acts in wake() only.
class GivesNotice {
  public:
    virtual ~GivesNotice() = default;
    /// The least time between the sending of a message and an act that it causes; 0: unknown.
    virtual Time notice() const = 0;
    /// The component does not act before this tick if no component executes a tick before `next`.
    /// It is notice() after `next` or later, unless a message in flight may cause an act. Called
    /// between ticks if notice() is not 0.
    virtual Tick quiet_until(Tick next) const = 0;
};

} // namespace memsim
