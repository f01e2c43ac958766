#pragma once

#include "core/machine/functional.hh"
#include "core/state/hash_map.hh"
#include "protocol/mem.hh"

namespace memsim::test_ohm {

using namespace memsim::literals;

/// Sends a script of requests at given times and writes down when each tag was answered. Where the
/// machine carries contents, each write has a number, and each read must find that of the last one
/// sent before it.
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
        Counter wrong_reads {Unit::count, "Sectors read that were not as written last"};
    };
    struct Step {
        Tick at = 0;
        protocol::MemRequest request;
    };
    struct Seen {
        Tick at = 0;
        std::uint32_t tag = 0;
    };
    using Orders = std::array<std::uint32_t, 16>;
    struct State {
        Fifo<Step> script;
        std::vector<Seen> log;
        std::uint32_t writes = 0;
        HashMap<std::uint32_t> latest; ///< the number of a sector's last write
        HashMap<Orders> expected;      ///< by a read's tag
        Timer next;
    };

    explicit Sender(const Params& p) : params(p) {}
    void start() override {
        if (!state.script.empty()) arm(state.next, state.script.front().at);
    }
    void wake() override {
        auto& out = port.mem_side;
        while (!out.empty()) {
            const protocol::MemResponse r = out.pop();
            state.log.push_back({now(), r.tag});
            if (r.command == protocol::Command::read && sim().contents().enabled()) compare(r);
        }
        while (!state.script.empty() && state.script.front().at <= now() && out.can_send()) {
            protocol::MemRequest r = state.script.pop().request;
            if (sim().contents().enabled() && !r.is_hint()) prepare(r);
            out.send(r);
            ++stat.sent;
        }
        if (!state.script.empty() && state.script.front().at > now())
            arm(state.next, state.script.front().at);
    }
    /// The number of the write that a byte's sector was left by, wherever it lies now.
    std::uint32_t content(std::uint64_t address) const {
        FunctionalAccess look {address / SectorBytes::size * SectorBytes::size, 0, false, {}};
        look_through(port.mem_side, look);
        return look.data.known & 1 ? look.data.order[0] : 0;
    }
    /// What the host copies in: a sector, as store of that number.
    void copy_in(std::uint64_t address, std::uint32_t number) {
        FunctionalAccess in {address, 0, true, {}};
        in.data.known = SectorBytes::all;
        in.data.order.fill(number);
        look_through(port.mem_side, in);
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

  private:
    void prepare(protocol::MemRequest& r) {
        if (r.command == protocol::Command::read) {
            Orders& orders = state.expected[r.tag] = {};
            for_each_sector(r, [&](std::uint64_t sector, std::uint32_t i) {
                const std::uint32_t* const number = state.latest.find(sector);
                orders[i] = number ? *number : 0;
            });
            return;
        }
        r.contents = sim().contents().create();
        ++state.writes;
        for_each_sector(r, [&](std::uint64_t sector, std::uint32_t i) {
            SectorBytes s;
            s.known = SectorBytes::all;
            s.order.fill(state.writes);
            s.bytes.fill(static_cast<std::uint8_t>(state.writes));
            state.latest[sector] = state.writes;
            sim().contents()[r.contents].pieces.push_back({i, s});
        });
    }
    void compare(const protocol::MemResponse& r) {
        const Orders& orders = *state.expected.find(r.tag);
        for (const Contents::Piece& p : sim().contents()[r.contents].pieces)
            stat.wrong_reads += (p.data.known & 1 ? p.data.order[0] : 0) != orders[p.sector];
        sim().contents().release(r.contents);
    }
};

} // namespace memsim::test_ohm
