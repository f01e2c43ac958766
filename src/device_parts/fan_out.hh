#pragma once

#include "device_parts/virtual_queues.hh"

namespace memsim::device_parts {

/// Requests from one input port that wait for one of several output ports. Each waits only for its
/// own port, until all places are in use. A hint is forwarded if its port accepts it at once and no
/// request waits for that port; otherwise it is dropped. A value for State.
template <class Request>
struct FanOut {
    VirtualQueues<Request> queues;
    std::uint32_t held = 0;

    static constexpr std::uint32_t nowhere = ~0u;

    void resize(std::uint32_t ports, std::uint32_t places) { queues.resize(1, ports, places); }

    /// Forwards responses to `in`, then requests to `outs`. Responses go first, because the space
    /// that they free causes no wake-up. `port_of(request)`: number of its port, or nowhere for a
    /// hint. Calls hinted(sent) for each hint, sent(port, request) for each forwarded request, and
    /// answered(answer) for each response.
    template <class In, class Outs, class PortOf, class Hinted, class Sent, class Answered>
    void pass(In& in, Outs& outs, PortOf&& port_of, Hinted&& hinted, Sent&& sent,
              Answered&& answered) {
        pass_answers(in, outs, answered);
        do take(in, outs, port_of, hinted);
        while (send(outs, sent)); // frees space for more
    }
    template <class In, class Outs, class Answered>
    void pass_answers(In& in, Outs& outs, Answered&& answered) {
        for (std::uint32_t o = 0; o < outs.size(); ++o)
            while (!outs[o].empty() && in.can_send()) {
                const auto answer = outs[o].pop();
                answered(answer);
                in.send(answer);
            }
    }

  private:
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
    /// Returns true if a request was sent.
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

} // namespace memsim::device_parts
