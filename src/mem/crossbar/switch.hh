#pragma once

#include "core/declare/stats.hh"
#include "core/kernel/port.hh"
#include "device_parts/interleave.hh"
#include "device_parts/virtual_queues.hh"
#include "mem/crossbar/shared_links.hh"

#include <array>
#include <bit>
#include <limits>

namespace memsim::mem {

/// One direction of a crossbar, a value for State.
template <class M>
struct Switch {
    device_parts::VirtualQueues<M> queues;
    std::vector<std::int64_t> input_free; ///< first cycle in which it is free
    std::vector<std::int64_t> output_free;
    std::vector<std::uint8_t> blocked; ///< outputs whose next message was blocked
    std::uint64_t held = 0;            ///< messages in the switch
    std::uint64_t bytes_held = 0;
    SharedLinks::Use links; ///< of groups of requesters

    void resize(unsigned inputs, unsigned outputs, unsigned buffer,
                device_parts::Arbitration arbitration) {
        queues.resize(inputs, outputs, buffer, arbitration);
        input_free.assign(inputs, 0);
        output_free.assign(outputs, 0);
        blocked.assign(outputs, 0);
    }
};

struct SwitchStats {
    Each<BookedCycles>& busy; ///< of an output
    Each<Counter>& stalls;    ///< of an output
    Each<Counter>& link_cycles;
    Each<Counter>& link_stalls;
};

/// The output of a message that waits for a response, which wakes the crossbar.
inline constexpr std::uint32_t held_back = ~0u;
/// No message waits for a cycle.
inline constexpr std::int64_t no_cycle = std::numeric_limits<std::int64_t>::max();

/// A cycle of one direction: moves all messages that can move. First each input accepts a message
/// into its buffer, then each output sends one. Requesters share links where their messages enter
/// and where their responses leave.
///
/// `From` and `To` are vectors of ports.
template <class M, class From, class To>
class SwitchCycle {
  public:
    SwitchCycle(std::int64_t cycle, Switch<M>& state, From& from, To& to, const SharedLinks& links,
                const device_parts::Divider& width, SwitchStats stats)
        : cycle_(cycle), s_(state), from_(from), to_(to), links_(links), width_(width),
          stat_(stats), shared_(links.any()) {}

    /// `prepare(port, input)` returns whether the input has a message. `route(message, input)`
    /// returns its output, or held_back.
    template <class Prepare, class Route>
    void enter(Prepare&& prepare, Route&& route) {
        if constexpr (of_requests)
            if (shared_)
                SharedLinks::visit_delayed(
                    s_.links, [&](std::uint32_t i) { return enter(i, prepare, route); });
        const std::uint32_t inputs = from_.size();
        for (std::uint32_t i = 0; i < inputs; ++i) {
            if (from_[i].empty()) continue;
            if (!of_requests || !shared_ || !s_.links.delayed[i]) enter(i, prepare, route);
        }
    }
    /// `send(message, output)` sends a message.
    template <class Send>
    void leave(Send&& send) {
        if (s_.held == 0) return;
        if constexpr (!of_requests)
            if (shared_)
                SharedLinks::visit_delayed(s_.links, [&](std::uint32_t o) {
                    return s_.queues.waiting(o) && leave(o, send);
                });
        s_.queues.for_each_waiting([&](std::uint32_t o) {
            if (of_requests || !shared_ || !s_.links.delayed[o]) leave(o, send);
        });
    }
    /// The next cycle in which a message may move.
    std::int64_t next() {
        // An input without space waits for an output, whose next cycle is counted already.
        for (std::uint32_t w = 0; more_ && w * 64 < from_.size(); ++w)
            for (std::uint64_t rest = left_[w]; rest; rest &= rest - 1) {
                const std::uint32_t i = w * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
                if (s_.queues.room(i)) at(std::max(s_.input_free[i], cycle_ + 1));
            }
        return next_;
    }

  private:
    static constexpr bool of_requests = requires(M m) { m.is_hint(); };

    void at(std::int64_t cycle) { next_ = std::min(next_, cycle); }
    std::int64_t cycles(std::uint32_t bytes) const {
        return static_cast<std::int64_t>(width_.quotient(bytes + width_.value() - 1));
    }
    /// Whether a link delays the next message of a requester; counts the delay.
    bool delays(std::uint32_t requester) {
        const std::uint32_t link = links_.delaying(requester, cycle_, s_.links);
        if (link == SharedLinks::none) return false;
        if (links_.delay(requester, link, s_.links)) ++stat_.link_stalls[link];
        at(links_.free_at(link, s_.links));
        return true;
    }
    void occupy(std::uint32_t requester, std::int64_t cycles) {
        links_.occupy(requester, cycle_, cycles, s_.links, [&](std::uint32_t link) {
            stat_.link_cycles[link] += static_cast<std::uint64_t>(cycles);
        });
    }
    /// Accepts a message of an input. Returns whether a link delays it.
    template <class Prepare, class Route>
    bool enter(std::uint32_t i, Prepare& prepare, Route& route) {
        auto& in = from_[i];
        if (!prepare(in, i)) return false;
        if (s_.input_free[i] <= cycle_ && s_.queues.room(i)) {
            if constexpr (of_requests)
                if (shared_ && delays(i)) return true;
            M m = in.front();
            const std::uint32_t output = route(m, i), bytes = m.wire_bytes();
            if (output == held_back) return false;
            in.pop();
            const std::int64_t taken = cycles(bytes);
            s_.input_free[i] = cycle_ + taken;
            if constexpr (of_requests)
                if (shared_) occupy(i, taken);
            ++s_.held;
            s_.bytes_held += bytes;
            s_.queues.push(i, output, m);
            if (in.empty()) return false;
        }
        left_[i / 64] |= std::uint64_t {1} << (i % 64);
        more_ = true;
        return false;
    }
    /// Sends a message of an output. Returns whether a link delays it.
    template <class Send>
    bool leave(std::uint32_t o, Send& send) {
        if (s_.output_free[o] > cycle_) return at(s_.output_free[o]), false;
        if (!to_[o].can_send()) { // the port wakes the crossbar when it can send
            if (!s_.blocked[o]) ++stat_.stalls[o];
            s_.blocked[o] = true;
            return false;
        }
        s_.blocked[o] = false;
        if constexpr (!of_requests)
            if (shared_ && delays(o)) return true;
        const M m = s_.queues.pop(o);
        const std::uint32_t bytes = m.wire_bytes();
        const std::int64_t taken = cycles(bytes);
        --s_.held;
        s_.bytes_held -= bytes;
        s_.output_free[o] = cycle_ + taken;
        if constexpr (!of_requests)
            if (shared_) occupy(o, taken);
        stat_.busy[o] += static_cast<std::uint64_t>(taken);
        send(m, o);
        if (s_.queues.waiting(o)) at(s_.output_free[o]);
        return false;
    }

    const std::int64_t cycle_;
    Switch<M>& s_;
    From& from_;
    To& to_;
    const SharedLinks& links_;
    const device_parts::Divider& width_;
    SwitchStats stat_;
    const bool shared_;
    std::int64_t next_ = no_cycle;
    std::array<std::uint64_t, 4> left_ {}; ///< bit per input with more messages
    bool more_ = false;
};

} // namespace memsim::mem
