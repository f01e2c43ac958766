#pragma once

#include "core/kernel/component.hh"
#include "core/machine/machine.hh"
#include "protocol/ddrt.hh"

/// A scripted memory controller for tests of xpoint.Module: sends commands at given times, grants
/// whatever is ready at once (a slot of `slot` behind the one before), and records the responses.
/// Where the machine carries contents, what a step writes bears its number, as store of that
/// number.
namespace memsim::test_xpoint {

using namespace memsim::literals;

class Probe final : public Model<Probe> {
  public:
    struct Params {
        Param<Time> slot {4_ns, "Length of a slot of the channel"};
        Param<Time> grant_latency {5_ns, "Of the grant"};
        Param<Time> command_latency {1_ns, "Of commands"};
        Param<unsigned> depth {64, "Answers outstanding"};
        Param<bool> grants {true, "Grant at once; else never"};
    };
    struct Ports {
        Requester<protocol::Ddrt> commands {
            {.depth = from<&Params::depth>, .latency = from<&Params::command_latency>}, "Commands"};
        Requester<protocol::DdrtTransfer> transfers {
            {.depth = from<&Params::depth>, .latency = from<&Params::grant_latency>}, "Grants"};
    };
    struct Stats {
        Counter sent {Unit::count, "Commands sent"};
    };
    struct Step {
        Tick at = 0;
        protocol::DdrtCommand command;
        std::uint32_t number = 0;
    };
    using Numbers = std::array<std::uint32_t, 2>; ///< of the data read, for each 128 bytes
    struct Seen {
        Tick at = 0;
        std::uint32_t id = 0;
        bool data = false;
        Numbers numbers {};
        bool taken = false; ///< a snarfed line's place is free again
    };
    struct State {
        Fifo<Step> script;
        std::vector<Seen> log;
        Tick channel_free = 0;
        Tick last_sent = 0;
        Timer next;
        Fifo<std::uint32_t> ready;
    };

    explicit Probe(const Params& p) : params(p) {}
    void start() override {
        if (!state.script.empty()) arm(state.next, state.script.front().at);
    }
    void wake() override {
        while (!port.commands.empty()) {
            const protocol::DdrtReady r = port.commands.pop();
            state.log.push_back({now(), r.id, false, {}, r.taken});
            if (params.grants() && !r.taken) state.ready.push(r.id);
        }
        while (!state.ready.empty() && port.transfers.can_send()) {
            const Tick begin = std::max(state.channel_free, now() + params.grant_latency->raw);
            state.channel_free = begin + params.slot->raw;
            port.transfers.send({state.ready.pop(), state.channel_free});
        }
        while (!port.transfers.empty()) {
            const protocol::DdrtData d = port.transfers.pop();
            state.log.push_back({now(), d.id, true, numbers(d.contents)});
        }
        while (!state.script.empty() && state.script.front().at <= now() &&
               port.commands.can_send()) {
            port.commands.send(with_contents(state.script.pop()));
            state.last_sent = now();
            ++stat.sent;
        }
        if (!state.script.empty() && state.script.front().at > now())
            arm(state.next, state.script.front().at);
    }
    /// Time of the response to `id`: ready, or data.
    Tick when(std::uint32_t id, bool data) const {
        for (const Seen& s : state.log)
            if (s.id == id && s.data == data) return s.at;
        return never;
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    protocol::DdrtCommand with_contents(const Step& s) {
        protocol::DdrtCommand c = s.command;
        if (!sim().contents().enabled()) return c;
        if (!c.write && !c.snarf) return c;
        c.contents = sim().contents().create();
        for_each_sector(c, [&](std::uint64_t, std::uint32_t i) {
            SectorBytes b;
            b.known = SectorBytes::all;
            b.order.fill(s.number);
            sim().contents()[c.contents].pieces.push_back({i, b});
        });
        return c;
    }
    Numbers numbers(Contents::Id id) {
        Numbers found {};
        if (!id) return found;
        for (const Contents::Piece& p : sim().contents()[id].pieces)
            if (p.sector % 4 == 0) found[p.sector / 4] = p.data.known & 1 ? p.data.order[0] : 0;
        sim().contents().release(id);
        return found;
    }
};

} // namespace memsim::test_xpoint
