#pragma once

#include "mem/cache/lines/partitions.hh"
#include "mem/cache/state.hh"

namespace memsim::mem::cache {

/// Responses to the requesters. Some leave later than now: those to writes and atomics that the
/// array must take first, and those to the other partition.
class Answers {
  public:
    /// They outlive it.
    struct Uses {
        Responder<protocol::Mem>& port;
        Lines& lines;
        Partitions& partitions;
        SimulationRef sim;
        State& state;
        Stage stage;
        Tick latency;
    };
    explicit Answers(const Uses& uses) : use_(uses) {}

    /// `line`: of a read's sectors, else none. `here`: the time since the request arrived was spent
    /// in this cache, not below.
    void answer(protocol::MemResponse r, std::uint32_t line, bool here);
    /// A write or atomic is answered `late` from now, after those before it.
    void answer_write(const protocol::MemRequest& r, Tick late);
    /// A response of the level below to a forwarded request.
    void pass_on(const protocol::MemResponse& r) {
        send_up(r, device_parts::TagArray::none, false);
    }
    /// Sends what is due.
    void send_due();
    /// When the next response is due.
    Tick next() const;

  private:
    void send_up(const protocol::MemResponse& r, std::uint32_t line, bool here);
    void send(const protocol::MemResponse& r);

    Uses use_;
};

} // namespace memsim::mem::cache
