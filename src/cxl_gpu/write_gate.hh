#pragma once

#include "core/base/units.hh"
#include "protocol/device_load.hh"

namespace memsim::cxl_gpu {

/// Decides whether writes may be sent to an endpoint. A load at or above a level suspends them at
/// once; once per period it is checked whether the load has fallen. Loads are reported only with
/// responses: if none has arrived since the last check, a single write is sent to obtain one
/// (probe). A value for State.
struct WriteGate {
    protocol::DevLoad load = protocol::DevLoad::light;
    bool suspended = false;
    bool heard = false; ///< the load was reported since the last check
    bool probe = false; ///< a single write may be sent
    Tick look_at = 0;   ///< the next check, while suspended

    void report(protocol::DevLoad reported, protocol::DevLoad limit, Tick now, Tick period) {
        load = reported;
        heard = true;
        if (suspended || load < limit) return;
        suspended = true;
        look_at = now + period;
    }
    bool due(Tick now) const { return suspended && now >= look_at; }
    void judge_load(protocol::DevLoad limit, Tick now, Tick period) {
        suspended = load >= limit;
        probe = suspended && !heard;
        heard = false;
        look_at = now + period;
    }
};

} // namespace memsim::cxl_gpu
