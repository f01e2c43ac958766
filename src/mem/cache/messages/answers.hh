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
    void answer(protocol::MemResponse r, std::uint32_t line, bool here) {
        if (r.command == protocol::Command::read && use_.lines.bytes)
            r.contents = use_.lines.contents_of(line, r);
        send_up(r, line, here);
    }
    /// A write or atomic is answered `late` from now, after those before it.
    void answer_write(const protocol::MemRequest& r, Tick late) {
        if (!r.needs_response()) return;
        if (late == 0) return answer(protocol::answer(r), device_parts::TagArray::none, true);
        auto& queue = use_.state.late;
        const Tick last = queue.empty() ? 0 : queue.back().at;
        queue.push({std::max(last, use_.sim.now() + late), protocol::answer(r)});
    }
    /// A response of the level below to a forwarded request.
    void pass_on(const protocol::MemResponse& r) {
        send_up(r, device_parts::TagArray::none, false);
    }
    /// Sends what is due.
    void send_due() {
        const Tick now = use_.sim.now();
        auto &written = use_.state.late, &on_link = use_.state.partitions.late;
        while (!written.empty() && written.front().at <= now)
            answer(written.pop().answer, device_parts::TagArray::none, true);
        while (!on_link.empty() && on_link.front().at <= now) send(on_link.pop().answer);
    }
    /// When the next response is due.
    Tick next() const {
        const auto &written = use_.state.late, &on_link = use_.state.partitions.late;
        return std::min(written.empty() ? never : written.front().at,
                        on_link.empty() ? never : on_link.front().at);
    }

  private:
    void send_up(const protocol::MemResponse& r, std::uint32_t line, bool here) {
        const Tick now = use_.sim.now();
        if (!here) use_.sim.stamps().mark(r.stamps, protocol::Stage::response, now);
        if (use_.partitions.is_far(r.source)) [[unlikely]]
            if (const Tick at = use_.partitions.leaves(r, line, now); at > now)
                return use_.state.partitions.late.push({at, r});
        send(r);
    }
    void send(const protocol::MemResponse& r) {
        use_.sim.stamps().mark(r.stamps, static_cast<std::size_t>(use_.stage),
                               use_.sim.now() + use_.latency);
        use_.port.send(r);
    }

    Uses use_;
};

} // namespace memsim::mem::cache
