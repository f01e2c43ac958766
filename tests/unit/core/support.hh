#pragma once

#include "core/machine/machine.hh"

#include <catch2/catch.hpp>

/// What the tests of the kernel share: small components that send and take notes, and log when.
namespace memsim::test {

using namespace memsim::literals;

/// The sentence that f() fails with, or "" if it does not.
template <class F>
std::string error_of(F f) {
    try {
        f();
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

struct Note {
    std::uint64_t number = 0;
    std::uint32_t bytes = 0;
    static constexpr std::uint32_t largest_wire_bytes = 128;
    std::uint32_t wire_bytes() const { return bytes; }
};

struct HintNote {
    std::uint64_t number = 0;
    static constexpr bool is_hint = true;
    static constexpr std::uint32_t largest_wire_bytes = 8;
};

/// Sends `count` notes as fast as the link takes them.
class Source final : public Model<Source> {
  public:
    struct Params {
        Param<unsigned> count {10, "Notes to send"};
        Param<unsigned> bytes {8, "Size of each"};
        Param<Time> latency {10_ns, "Of the link"};
        Param<Rate> rate {Rate {0}, "Of the link; 0 is unlimited"};
        Param<Frequency> clock {Frequency {0}, "At whose edges it acts; 0: at any time"};
    };
    struct Ports {
        Out<Note> out {{.latency = from<&Params::latency>,
                        .rate = from<&Params::rate>,
                        .clock = from<&Params::clock>},
                       "Notes"};
    };
    struct Stats {
        Counter sent {Unit::count, "Notes sent"};
    };
    struct State {
        std::vector<Tick> sent_at;
        Timer first;
    };
    explicit Source(const Params& p) : params(p) {}
    void start() override { arm(state.first, 0); }
    void wake() override {
        while (state.sent_at.size() < params.count && port.out.can_send()) {
            port.out.send({state.sent_at.size(), params.bytes});
            state.sent_at.push_back(now());
            ++stat.sent;
        }
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};

/// Takes notes: one every `pause`, or all at once if that is 0; none at all when `stuck`.
class Sink final : public Model<Sink> {
  public:
    struct Params {
        Param<unsigned> depth {4, "Capacity of its queue"};
        Param<Time> pause {0_fs, "Between two notes"};
        Param<Frequency> clock {Frequency {0}, "At whose edges it looks; 0: at any time"};
        Param<bool> stuck {false, "Whether it never takes one", Change::tunable};
    };
    struct Ports {
        In<Note> in {{.depth = from<&Params::depth>, .clock = from<&Params::clock>}, "Notes"};
    };
    struct Stats {
        Counter taken {Unit::count, "Notes taken"};
    };
    struct State {
        std::vector<Tick> taken_at;
        Timer next;
    };
    explicit Sink(const Params& p) : params(p) {}
    void wake() override {
        ++wakes;
        if (params.stuck) return;
        while (!port.in.empty() && !state.next.armed()) {
            const Note n = port.in.pop();
            REQUIRE(n.number == state.taken_at.size());
            state.taken_at.push_back(now());
            ++stat.taken;
            if (params.pause->raw) arm(state.next, params.pause);
        }
    }
    std::optional<std::string> imbalance() const override {
        if (port.in.empty()) return {};
        return "notes were never taken";
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
    unsigned wakes = 0;
};

/// A machine of one source and one sink.
struct Pair {
    Machine machine;
    Source& source;
    Sink& sink;
    Pair(const Arguments& source_params, const Arguments& sink_params,
         QueueKind kind = QueueKind::fast)
        : machine(1, kind),
          source((add(source_params, sink_params), machine.get<Source>("source"))),
          sink(machine.get<Sink>("sink")) {}
    Stop run(Tick until = never) { return machine.run(until); }

  private:
    void add(const Arguments& a, const Arguments& b) {
        machine.add("source", "test.Source", a);
        machine.add("sink", "test.Sink", b);
        machine.bind("source", "out", "sink", "in");
        machine.build();
        machine.start();
    }
};

/// Keeps a dump as text.
struct TextSink final : StatSink {
    std::string text;
    void stat(const std::string& path, const std::string& name, const Stat&,
              std::string_view) override {
        text += path + "." + name + "\n";
    }
    void integer(std::string_view part, Int128 value, Unit) override {
        text += std::string(part) + "=" + to_text(value) + "\n";
    }
    void derived(std::string_view part, double value, Unit) override {
        text += std::string(part) + "~" + std::to_string(value) + "\n";
    }
    void bucket(std::uint64_t low, std::uint64_t high, std::uint64_t n) override {
        text += std::to_string(low) + ".." + std::to_string(high) + ":" + std::to_string(n) + "\n";
    }
};

} // namespace memsim::test
