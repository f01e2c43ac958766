#pragma once

#include "core/base/units.hh"
#include "protocol/device_load.hh"

namespace memsim::cxl_gpu {

/// Whether writes may go to an endpoint. Load of a level and above suspends them at once; whether
/// it has fallen is looked at once a period. Loads come with responses only: when none has come
/// since the last look, a single write has to ask (probe). A value for State.
struct WriteGate {
    protocol::DevLoad load = protocol::DevLoad::light;
    bool suspended = false;
    bool heard = false; ///< of the load since the last look
    bool probe = false; ///< a single write may go
    Tick look_at = 0;   ///< the next look, while suspended

    void report(protocol::DevLoad reported, protocol::DevLoad limit, Tick now, Tick period) {
        load = reported;
        heard = true;
        if (suspended || load < limit) return;
        suspended = true;
        look_at = now + period;
    }
    bool due(Tick now) const { return suspended && now >= look_at; }
    void look(protocol::DevLoad limit, Tick now, Tick period) {
        suspended = load >= limit;
        probe = suspended && !heard;
        heard = false;
        look_at = now + period;
    }
};

} // namespace memsim::cxl_gpu
