#pragma once

#include "core/kernel/component.hh"
#include "core/state/free_list.hh"
#include "device_parts/named.hh"
#include "protocol/mem.hh"

namespace memsim::mem {

struct SentStats {
    using group = void;
    Counter reads {Unit::count, "Reads answered"};
    Counter writes {Unit::count, "Writes and atomics answered"};
    Counter bytes {Unit::byte, "Bytes of reads and writes"};
    Distribution read_latency {Unit::time, "Time from sending a read to its response"};
    Distribution write_latency {Unit::time, "Time from sending a write to its response"};
    PerSecond bandwidth {bytes, "Bytes answered per second of simulated time"};
};

/// The outstanding requests of a traffic source, by tag. A part.
class SentRequests {
  public:
    /// Plain values for State.
    struct State {
        std::vector<Tick> sent_at;
        FreeList free;
    };

    SentRequests(State& state, SentStats& stats, Simulation& sim)
        : state_(state), stats_(stats), sim_(sim) {}
    /// `most`: the maximum number of outstanding requests, which the port enforces.
    static void init(State& s, unsigned most) {
        s.sent_at.assign(most, 0);
        s.free.clear();
        for (unsigned i = most; i-- > 0;) s.free.push_back(i);
    }
    static std::size_t under_way(const State& s) { return s.sent_at.size() - s.free.size(); }

    /// Assigns tag and stamps to a request that is sent now.
    void send(protocol::MemRequest& r) {
        r.tag = state_.free.back();
        state_.free.pop_back();
        state_.sent_at[r.tag] = sim_.now();
        r.stamps = sim_.stamps().open(sim_.now(), r.address);
    }
    void answered(const protocol::MemResponse& r) {
        sim_.contents().release(r.contents);
        const Time taken {sim_.now() - device_parts::named(state_.sent_at, r.tag)};
        state_.free.push_back(r.tag);
        stats_.bytes += r.payload();
        const bool read = r.command == protocol::Command::read;
        ++(read ? stats_.reads : stats_.writes);
        (read ? stats_.read_latency : stats_.write_latency).sample(taken);
        sim_.stamps().close(r.stamps, static_cast<std::size_t>(protocol::Stage::response),
                            sim_.now());
    }

  private:
    State& state_;
    SentStats& stats_;
    Simulation& sim_;
};

} // namespace memsim::mem
