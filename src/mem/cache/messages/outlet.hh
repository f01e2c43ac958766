#pragma once

#include "core/machine/functional.hh"
#include "core/state/fifo.hh"
#include "core/state/free_list.hh"
#include "protocol/mem.hh"

namespace memsim::mem::cache {

/// Identifies the requester of a message whose response is awaited.
struct Forwarded {
    std::uint32_t tag = 0; ///< of the request from above, with its source
    std::uint16_t source = 0;
    bool flushed = false; ///< sent by a flush: no requester above expects the response
    bool evicted = false; ///< sent by an eviction outside a flush
};

/// Sends messages from a cache to the next level, in order through one queue, so that a fetch never
/// overtakes the write-back of its line. Tags below `fetches` belong to fetches. The outlet assigns
/// the tags of other messages that expect a response.
class Outlet {
  public:
    struct State {
        Fifo<protocol::MemRequest> queue; ///< messages that wait for the port
        std::vector<Forwarded> forwarded; ///< messages whose responses are awaited
        FreeList free;                    ///< free entries of `forwarded`
    };
    struct Limits {
        std::uint32_t queue, fetches, forwarded;
        Stage stage;
        Time latency;
    };
    Outlet(const Limits& limits, Requester<protocol::Mem>& port, SimulationRef sim, State& state)
        : limits_(limits), port_(port), sim_(sim), state_(state) {
        state_.queue.reserve(limits.queue);
        state_.forwarded.resize(limits.forwarded);
        for (std::uint32_t i = limits.forwarded; i-- > 0;) state_.free.push_back(i);
    }

    bool room(std::uint32_t messages) const {
        return state_.queue.size() + messages <= limits_.queue;
    }
    bool empty() const { return state_.queue.empty(); }
    std::uint32_t size() const { return state_.queue.size(); }
    /// Requires: room(1).
    void send(const protocol::MemRequest& r) {
        if (state_.queue.empty() && port_.can_send())
            send_now(r);
        else
            state_.queue.push(r);
    }
    /// Sends queued messages as long as the port accepts them.
    void drain() {
        while (!state_.queue.empty() && port_.can_send()) send_now(state_.queue.pop());
    }

    bool can_expect() const { return !state_.free.empty(); }
    /// Reserves the tag of a message whose response belongs to `origin`.
    std::uint32_t expect(const Forwarded& origin) {
        const std::uint32_t place = state_.free.back();
        state_.free.pop_back();
        state_.forwarded[place] = origin;
        return limits_.fetches + place;
    }
    bool is_fetch(std::uint32_t tag) const { return tag < limits_.fetches; }
    /// Releases the tag of a response and returns its requester.
    Forwarded answered(std::uint32_t tag);
    /// A flush waits for the write-backs already sent. Returns their number.
    std::uint32_t await_evicted();
    bool expects_none() const { return state_.free.size() == state_.forwarded.size(); }

    /// Applies queued messages to a functional access, the newest first.
    void functional(FunctionalAccess& access) const;

  private:
    void send_now(const protocol::MemRequest& r) {
        sim_.stamps().mark(r.stamps, static_cast<std::size_t>(limits_.stage),
                           sim_.now() + limits_.latency.raw);
        port_.send(r);
    }

    Limits limits_;
    Requester<protocol::Mem>& port_;
    SimulationRef sim_;
    State& state_;
};

} // namespace memsim::mem::cache
