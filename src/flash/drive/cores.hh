#pragma once

#include "core/kernel/simulation.hh"
#include "core/state/fifo.hh"

#include <utility>
#include <vector>

namespace memsim::flash {

/// A core of a drive's controller. A value for State.
struct DriveCore {
    static constexpr std::uint32_t none = ~0u;
    std::uint32_t command = none; ///< being processed
    Timer done;
};

/// The cores of a drive's controller. Each processes one command at a time for a fixed time; a
/// command goes to the first free core. If the time is 0 the cores are bypassed. A part.
class DriveCores {
  public:
    DriveCores(Time firmware, std::vector<DriveCore>& cores, Fifo<std::uint32_t>& waiting)
        : firmware_(firmware), cores_(cores), waiting_(waiting) {}

    bool takes_time() const { return firmware_.raw != 0; }
    void add(std::uint32_t command) { waiting_.push(command); }
    /// Calls begin(command) for each processed command, and arm(timer, time) for each one started.
    template <class Begin, class Arm>
    void start_commands(Begin&& begin, Arm&& arm) {
        if (!takes_time()) return;
        for (DriveCore& core : cores_) {
            if (core.command != DriveCore::none && !core.done.armed())
                begin(std::exchange(core.command, DriveCore::none));
            if (core.command == DriveCore::none && !waiting_.empty()) {
                core.command = waiting_.pop();
                arm(core.done, firmware_);
            }
        }
    }

  private:
    Time firmware_;
    std::vector<DriveCore>& cores_;
    Fifo<std::uint32_t>& waiting_;
};

} // namespace memsim::flash
