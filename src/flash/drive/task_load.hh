#pragma once

#include "core/declare/stats.hh"
#include "core/kernel/simulation.hh"
#include "protocol/device_load.hh"

namespace memsim::flash {

/// What a device says of its load because of tasks of its own (garbage collection, wear levelling):
/// severe some time before the first begins, light when none is under way or due. A task that
/// becomes due while severe holds may begin as soon as severe is old enough. A value for State; its
/// owner calls tell() at the end of each wake.
struct TaskLoad {
    bool severe = false; ///< what is to be said
    bool said = false;   ///< what was said
    Tick since = 0;      ///< when severe began to hold
    Timer due;

    /// Whether a task may begin now. If not it is announced, to begin `ahead` later.
    bool may_begin(Tick now, Time ahead) {
        if (!severe) severe = true, since = now;
        return now >= since + ahead.raw;
    }
    bool announced(Tick now, Time ahead) const { return severe && now >= since + ahead.raw; }
    /// `busy`: a task is under way or due.
    template <class Load>
    void tell(Load& load, bool busy, Counter& announced) {
        severe = severe && busy;
        if (severe == said || !load.can_send()) return;
        using protocol::DevLoad;
        load.send({severe ? DevLoad::severe : DevLoad::light});
        said = severe;
        announced += severe;
    }
};

} // namespace memsim::flash
