#pragma once

#include "core/machine/functional.hh"
#include "core/state/fifo.hh"
#include "core/state/free_list.hh"
#include "protocol/mem.hh"

namespace memsim::mem::cache {

/// Whose answer a message below brings.
struct Forwarded {
    std::uint32_t tag = 0; ///< the request's from above, and its source
    std::uint16_t source = 0;
    bool flushed = false; ///< a flush waits for it: the answer is for nobody above
    bool evicted = false; ///< as that, no flush
};

/// The way from a cache to the level below. Everything leaves in order through one queue, so that
/// no fetch overtakes the write-back of its line. Tags of fetches are below `fetches`; those of
/// other messages that are answered are given out here.
class Outlet {
  public:
    struct State {
        Fifo<protocol::MemRequest> queue; ///< waiting to go
        std::vector<Forwarded> forwarded; ///< whose answers are expected
        FreeList free;                    ///< of their places
    };
    struct Limits {
        std::uint32_t queue, fetches, forwarded;
        Stage stage;
        Time latency;
    };
    Outlet(const Limits& limits, Requester<protocol::Mem>& port, Simulation& sim, State& state)
        : limits_(limits), port_(port), sim_(sim), s_(state) {
        s_.queue.reserve(limits.queue);
        s_.forwarded.resize(limits.forwarded);
        for (std::uint32_t i = limits.forwarded; i-- > 0;) s_.free.push_back(i);
    }

    bool room(std::uint32_t messages) const { return s_.queue.size() + messages <= limits_.queue; }
    bool empty() const { return s_.queue.empty(); }
    std::uint32_t size() const { return s_.queue.size(); }
    /// There is room.
    void send(const protocol::MemRequest& r) {
        if (s_.queue.empty() && port_.can_send())
            go(r);
        else
            s_.queue.push(r);
    }
    /// Sends what waits as far as the port takes it.
    void drain() {
        while (!s_.queue.empty() && port_.can_send()) go(s_.queue.pop());
    }

    bool can_expect() const { return !s_.free.empty(); }
    /// The tag of a message whose answer is for `who`.
    std::uint32_t expect(const Forwarded& who) {
        const std::uint32_t place = s_.free.back();
        s_.free.pop_back();
        s_.forwarded[place] = who;
        return limits_.fetches + place;
    }
    bool is_fetch(std::uint32_t tag) const { return tag < limits_.fetches; }
    /// Its answer has come: whose it is.
    Forwarded answered(std::uint32_t tag);
    /// A flush begins: it waits for what is being written back; how much that is.
    std::uint32_t await_evicted();
    bool expects_none() const { return s_.free.size() == s_.forwarded.size(); }

    /// What messages that wait say of a sector, the newest first.
    void functional(FunctionalAccess& access) const;

  private:
    void go(const protocol::MemRequest& r) {
        sim_.stamps().mark(r.stamps, static_cast<std::size_t>(limits_.stage),
                           sim_.now() + limits_.latency.raw);
        port_.send(r);
    }

    Limits limits_;
    Requester<protocol::Mem>& port_;
    Simulation& sim_;
    State& s_;
};

} // namespace memsim::mem::cache
