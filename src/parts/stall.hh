#pragma once

#include "core/units.hh"

namespace memsim::parts {

/// Takes messages in their order for as long as `accept` says that there was room for one. While
/// the first is not accepted, `since` says since when; `ended` is told how long that was.
template <class Port, class Accept, class Ended>
void take_in_order(Port& in, Tick now, Tick& since, Accept&& accept, Ended&& ended) {
    for (; !in.empty(); in.pop()) {
        if (!accept(in.front())) {
            if (since == never) since = now;
            return;
        }
        if (since != never) {
            ended(Time {now - since});
            since = never;
        }
    }
}

} // namespace memsim::parts
