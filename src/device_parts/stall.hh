#pragma once

#include "core/declare/elapsed.hh"

namespace memsim::device_parts {

/// Removes messages in order while `accept` returns true. `stall_time` runs while the first message
/// waits; `since` is State: when it began to wait, or never. Returns the number of waits that
/// ended.
template <class Port, class Accept>
unsigned take_in_order(Port& in, Tick now, Tick& since, ElapsedTime& stall_time, Accept&& accept) {
    unsigned ended = 0;
    for (; !in.empty(); in.pop()) {
        if (!accept(in.front())) {
            if (since == never) stall_time.begin(since = now);
            return ended;
        }
        if (since != never) {
            stall_time.end(since, now);
            since = never;
            ++ended;
        }
    }
    return ended;
}

} // namespace memsim::device_parts
