#pragma once

#include "../core/plan.hh"
#include "core/kernel/component.hh"
#include "core/machine/machine.hh"
#include "protocol/mem.hh"
#include "protocol/traffic.hh"

#include <sstream>

/// What tests of memory components share: a component that sends a plan and notes the answers.
namespace memsim::test_mem {

using namespace memsim::literals;
using protocol::Command;
using protocol::Mem;
using protocol::MemRequest;

/// Sends the requests of its plan, in order, none before its time.
class Driver final : public Model<Driver>, public protocol::StatesTraffic {
  public:
    struct Params {
        Param<unsigned> outstanding {1024, {1, 65536}, "Requests sent and not answered"};
        Param<unsigned> sources {0, "Requesters that it stands for, as a crossbar does"};
    };
    struct Ports {
        Requester<Mem> mem_side {{.depth = from<&Params::outstanding>}, "Where requests go"};
    };
    struct Stats {
        Counter answered {Unit::count, "Answers received"};
        Distribution latency {Unit::time, "From the time planned to the answer"};
    };
    struct Answer {
        Tick at = 0;
        protocol::MemResponse response;
    };
    struct State {
        test::Plan<MemRequest> plan;
        std::vector<Answer> answers;
        Timer next;
    };

    explicit Driver(const Params& p) : params(p) {}
    void start() override { arm(state.next, state.plan.due()); }
    void wake() override;
    bool pending() const override { return state.plan.pending(); }
    protocol::Traffic traffic(const PortBase&, unsigned) const override {
        protocol::Traffic known;
        known.sources = params.sources();
        return known;
    }

    /// Adds a request; tags count the requests of this driver.
    MemRequest& plan(Tick at, Command c, std::uint64_t address, std::uint32_t bytes,
                     bool posted = false) {
        MemRequest r;
        r.address = address;
        r.bytes = bytes;
        r.command = c;
        r.posted = posted;
        r.tag = state.plan.size();
        return state.plan.add(at, r);
    }
    void read(Tick at, std::uint64_t address, std::uint32_t bytes = 32) {
        plan(at, Command::read, address, bytes);
    }
    void write(Tick at, std::uint64_t address, std::uint32_t bytes = 32, bool posted = true) {
        plan(at, Command::write, address, bytes, posted);
    }
    /// When the request with this tag was answered; -1 if it was not.
    Tick answered(std::uint32_t tag) const {
        for (const Answer& a : state.answers)
            if (a.response.tag == tag) return a.at;
        return -1;
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

/// Sends planned hints.
class Hinter final : public Model<Hinter> {
  public:
    struct Params {
        Param<unsigned> unused {0, "Nothing"};
    };
    struct Ports {
        Requester<Mem> hints {{.depth = [](const void*) { return 1u; }}, "Where hints go"};
    };
    struct Stats {
        Counter lost {Unit::count, "Hints that found no room"};
    };
    struct State {
        test::Plan<MemRequest> plan;
        Timer next;
    };

    explicit Hinter(const Params& p) : params(p) {}
    void start() override { arm(state.next, state.plan.due()); }
    void wake() override {
        for (auto& plan = state.plan; plan.due() <= now(); ++plan.sent)
            if (!port.hints.offer(plan[plan.sent].message)) ++stat.lost;
        arm(state.next, state.plan.due());
    }
    void plan(Tick at, std::uint64_t address, std::uint32_t bytes) {
        state.plan.add(at, protocol::hint(address, bytes));
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

struct NoSink final : StatSink {
    void stat(const std::string&, const std::string&, const Stat&, std::string_view) override {}
    void integer(std::string_view, Int128, Unit) override {}
    void derived(std::string_view, double, Unit) override {}
    void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
};

/// The digest of everything counted so far.
inline std::string digest(Machine& m) {
    NoSink none;
    m.dump("end", none);
    return m.digest();
}

/// 'ways=2 latency=10ns' as arguments.
inline Arguments arguments(const std::string& text) {
    Arguments all;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        all.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
    return all;
}

template <class Total>
inline std::uint64_t value(const Total& c) {
    return static_cast<std::uint64_t>(c.value());
}

} // namespace memsim::test_mem
