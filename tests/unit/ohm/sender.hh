#pragma once

#include "core/component.hh"
#include "protocol/mem.hh"

namespace memsim::test_ohm {

using namespace memsim::literals;

/// Sends a script of requests at given times and writes down when each tag was answered.
class Sender final : public Model<Sender> {
  public:
    struct Params {
        Param<unsigned> outstanding {256, "Requests without an answer"};
        Param<Time> latency {1_ns, "To the memory"};
    };
    struct Ports {
        Requester<protocol::Mem> mem_side {
            {.depth = from<&Params::outstanding>, .latency = from<&Params::latency>}, "Requests"};
    };
    struct Stats {
        Counter sent {Unit::count, "Requests sent"};
    };
    struct Step {
        Tick at = 0;
        protocol::MemRequest request;
    };
    struct Seen {
        Tick at = 0;
        std::uint32_t tag = 0;
    };
    struct State {
        Fifo<Step> script;
        std::vector<Seen> log;
        Timer next;
    };

    explicit Sender(const Params& p) : params(p) {}
    void start() override {
        if (!state.script.empty()) arm(state.next, state.script.front().at);
    }
    void wake() override {
        auto& out = port.mem_side;
        while (!out.empty()) state.log.push_back({now(), out.pop().tag});
        while (!state.script.empty() && state.script.front().at <= now() && out.can_send()) {
            out.send(state.script.pop().request);
            ++stat.sent;
        }
        if (!state.script.empty() && state.script.front().at > now())
            arm(state.next, state.script.front().at);
    }
    Tick when(std::uint32_t tag) const {
        for (const Seen& s : state.log)
            if (s.tag == tag) return s.at;
        return never;
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

} // namespace memsim::test_ohm
