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

    /// Passes answers to `in`, then what it has to `outs`. Answers go first: the room that they
    /// make wakes nobody. `port_of(request)`: the number of its port, or, of a hint, nowhere;
    /// `hinted(sent)` is told of each hint, `sent(port, request)` of each request that leaves,
    /// `answered(answer)` of each answer.
    template <class In, class Outs, class PortOf, class Hinted, class Sent, class Answered>
    void pass(In& in, Outs& outs, PortOf&& port_of, Hinted&& hinted, Sent&& sent,
              Answered&& answered) {
        pass_answers(in, outs, answered);
        do take(in, outs, port_of, hinted);
        while (send(outs, sent)); // which makes room for more
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
    /// True if something was sent.
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
