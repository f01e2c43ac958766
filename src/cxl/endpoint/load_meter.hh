#pragma once

#include "core/base/units.hh"
#include "protocol/device_load.hh"

#include <algorithm>

/// The load reported by a device port (DevLoad).
namespace memsim::cxl {

using namespace memsim::literals;
using protocol::DevLoad;
using protocol::load_of;

/// The time that responses have waited for credits of the host (egress port back-pressure, CXL 3.1,
/// 3.3.4). The load is moderate or severe if the blocked share of the last complete window reaches
/// the respective limit.
struct EgressPressure {
    Tick window_began = 0;
    Tick blocked_in_window = 0;
    Tick since = 0; ///< time up to which the state is accounted
    bool blocked = false;
    Tick last = 0; ///< blocked time in the last complete window

    /// Sets whether responses wait from now on.
    void set(Tick now, bool is_blocked, Tick window) {
        if (is_blocked == blocked) return;
        account(now, window);
        blocked = is_blocked;
    }
    DevLoad load(Tick now, Tick window, Fraction moderate, Fraction severe) const {
        EgressPressure until_now = *this;
        until_now.account(now, window);
        const Int128 share = Int128 {until_now.last} * Fraction {100_pct}.raw / window;
        return share >= severe.raw     ? DevLoad::severe
               : share >= moderate.raw ? DevLoad::moderate
                                       : DevLoad::light;
    }

  private:
    void account(Tick now, Tick window) {
        if (now - window_began >= window) {
            add(window_began + window);
            last = blocked_in_window;
            blocked_in_window = 0;
            window_began += window;
            const Tick more = (now - window_began) / window * window; // windows without a change
            if (more) last = blocked ? window : 0;
            window_began += more;
            since = window_began;
        }
        add(now);
    }
    void add(Tick until) {
        if (blocked) blocked_in_window += until - since;
        since = until;
    }
};

} // namespace memsim::cxl
