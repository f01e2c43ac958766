#pragma once

#include "core/declare/stats.hh"
#include "core/kernel/simulation.hh"
#include "protocol/device_load.hh"

namespace memsim::flash {

/// The load that a device reports because of internal tasks (garbage collection, wear levelling):
/// severe some time before the first task begins, light when none is in progress or due. A task
/// that becomes due during severe load may begin when the announcement is old enough. A value for
/// State; its owner calls report() at the end of each wake.
struct TaskLoad {
    bool severe = false;   ///< load to report
    bool reported = false; ///< load last reported
    Tick since = 0;        ///< start of severe load
    Timer due;

    /// Whether a task may begin now. If not, it is announced and may begin `ahead` later.
    bool may_begin(Tick now, Time ahead) {
        if (!severe) severe = true, since = now;
        return now >= since + ahead.raw;
    }
    bool announced(Tick now, Time ahead) const { return severe && now >= since + ahead.raw; }
    /// `busy`: a task is in progress or due.
    template <class Load>
    void report(Load& load, bool busy, Counter& announced) {
        severe = severe && busy;
        if (severe == reported || !load.can_send()) return;
        using protocol::DevLoad;
        load.send({severe ? DevLoad::severe : DevLoad::light});
        reported = severe;
        announced += severe;
    }
};

} // namespace memsim::flash
