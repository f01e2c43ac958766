#pragma once

#include "parts/virtual_queues.hh"

namespace memsim::parts {

/// Requests that came in by one port and wait for theirs of several. Each waits for its own port
/// only, until all places are taken. A hint is passed on if its port takes it at once, and before
/// nobody who waits for that port; else it is dropped. A value for State.
template <class Request>
struct FanOut {
    VirtualQueues<Request> queues;
    std::uint32_t held = 0;

    static constexpr std::uint32_t nowhere = ~0u;

    void resize(std::uint32_t ports, std::uint32_t places) { queues.resize(1, ports, places); }

    /// Takes what there is room for. `port_of(request)`: the number of its port, or, of a hint,
    /// nowhere; `hinted(sent)` is told of each hint.
    template <class In, class Outs, class PortOf, class Hinted>
    void take(In& in, Outs& out, PortOf&& port_of, Hinted&& hinted) {
        while (!in.empty()) {
            if (in.front().is_hint()) {
                const Request hint = in.pop();
                const std::uint32_t o = port_of(hint);
                hinted(o != nowhere && !queues.waiting(o) && out[o].offer(hint));
                continue;
            }
            if (!queues.room(0)) break;
            const Request r = in.pop();
            queues.push(0, port_of(r), r);
            ++held;
        }
    }
    /// Sends what can be; `sent(port, request)` is told of each. True if there was one.
    template <class Outs, class Sent>
    bool send(Outs& out, Sent&& sent) {
        bool moved = false;
        queues.for_each_waiting([&](std::uint32_t o) {
            for (; queues.waiting(o) && out[o].can_send(); moved = true) {
                const Request r = queues.pop(o);
                out[o].send(r);
                --held;
                sent(o, r);
            }
        });
        return moved;
    }
};

} // namespace memsim::parts
