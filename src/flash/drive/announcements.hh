#pragma once

#include "core/declare/param.hh"
#include "flash/drive/task_load.hh"
#include "flash/ftl/ftl.hh"
#include "protocol/drive_task.hh"
#include "protocol/flash.hh"

#include <algorithm>

namespace memsim::flash {

using namespace memsim::literals;

struct AnnouncementParams {
    using group = void;
    Param<Time> announce {10_us,
                          {0_fs, 100_us},
                          "Time from the announcement of a collection or levelling to its start",
                          assumed()};
    Param<Fraction> announce_from {
        0_pct,
        {0_pct, 100_pct},
        "Share of the planes whose collections, in progress or due, are announced as severe "
        "load; fewer start without announcement",
        assumed("each task is announced")};
    Param<unsigned> observers {
        0, {0, 16}, "Ports that report the drive's internal tasks", from_wiring()};
};

/// Announces the internal tasks of a drive, which are collections and levelling: as severe load
/// before they begin, and to observers when they begin. Calls state the number of planes with a
/// task that is in progress or due. A part.
class TaskAnnouncements {
  public:
    /// Tasks of fewer than `planes` planes are not announced. `ahead`: from announcement to start.
    TaskAnnouncements(Time ahead, std::uint64_t planes, TaskLoad& load)
        : ahead_(ahead), planes_(std::max<std::uint64_t>(planes, 1)), load_(load) {}

    /// Whether a new task, one of `tasks`, may begin now. If not, it is announced.
    bool may_begin(std::uint32_t tasks, Tick now) {
        return !announces(tasks) || load_.may_begin(now, ahead_);
    }
    /// Whether the tasks that are due may begin.
    bool due_may_begin(std::uint32_t tasks, Tick now) const {
        return !announces(tasks) || load_.announced(now, ahead_);
    }
    /// The time when the announced tasks may begin.
    Tick begin_at() const { return load_.since + ahead_.raw; }
    /// Reports the load if it has changed; counts announcements.
    template <class Load>
    void report(Load& port, std::uint32_t tasks, Counter& announcements) {
        load_.report(port, announces(tasks), announcements);
    }
    /// Reports a task that begins to all observers. A report for a full port is dropped.
    template <class Observers>
    static void begins(Observers& observers, const protocol::FlashTimes& times, std::uint32_t plane,
                       const FtlBlock& block, bool levelling) {
        using protocol::DriveTaskKind;
        const Tick expected = block.valid * (times.read + times.program) + times.erase;
        for (unsigned i = 0; i < observers.size(); ++i)
            if (observers[i].can_send())
                observers[i].send(
                    {expected, block.valid, plane,
                     levelling ? DriveTaskKind::levelling : DriveTaskKind::collection});
    }

  private:
    bool announces(std::uint32_t tasks) const { return tasks > 0 && tasks >= planes_; }

    Time ahead_;
    std::uint64_t planes_;
    TaskLoad& load_;
};

} // namespace memsim::flash
