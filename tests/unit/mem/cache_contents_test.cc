#include "cache_rig.hh"
#include "core/registry.hh"

#include <deque>
#include <map>

/// Reads return the newest version, through hierarchies of caches of every policy. Messages carry
/// no data: a shadow of each cache and of the memory, fed by what the caches say that they do,
/// carries a version for each 32 bytes beside them.
namespace memsim::test_contents {

using namespace memsim::literals;
using mem::Cache;
using mem::CacheWatcher;
using protocol::Command;
using protocol::Mem;
using test_mem::value;
using Versions = std::map<std::uint64_t, std::uint64_t>; ///< by sector number
using protocol::MemRequest;
using protocol::MemResponse;

/// Calls f(sector number) for the sectors of a message.
template <class M, class F>
void for_each_sector(const M& m, F&& f) {
    for (std::uint32_t from = 0; from < m.bytes;) {
        const protocol::Part part = protocol::next_part(m, from, 32);
        for (std::uint64_t s = (m.address + part.offset) / 32;
             s <= (m.address + part.offset + part.bytes - 1) / 32; ++s)
            f(s);
        from = part.offset + part.bytes;
    }
}

/// The data on the two links of one connection, message by message.
struct Wires {
    std::deque<Versions> down; ///< of writes and atomics
    std::deque<Versions> up;   ///< of answers to reads and atomics
};

/// The data of one cache.
struct Shadow final : CacheWatcher {
    Shadow(Wires& above, Wires& under) : above(above), under(under) {}
    void wrote(const MemRequest&, parts::SectorMask kept) override {
        const Versions data = std::move(above.down.front());
        above.down.pop_front();
        for (const auto& [sector, version] : data)
            if (kept >> (sector % 4) & 1) held[sector] = version;
    }
    void below(const MemRequest& r, bool passed_on) override {
        if (!protocol::has_data(r.command)) return;
        if (passed_on) {
            under.down.push_back(above.down.front());
            return;
        }
        Versions data;
        for_each_sector(r, [&](std::uint64_t s) { data[s] = held[s]; });
        under.down.push_back(data);
    }
    void filled(const MemResponse& r, parts::SectorMask taken) override {
        const Versions data = std::move(under.up.front());
        under.up.pop_front();
        for_each_sector(r, [&](std::uint64_t s) {
            if (taken >> (s % 4) & 1) held[s] = data.at(s);
        });
    }
    void answered(const MemResponse& r) override {
        if (r.command == Command::write) return;
        Versions data;
        for_each_sector(r, [&](std::uint64_t s) { data[s] = held[s]; });
        above.up.push_back(data);
    }
    Wires& above;
    Wires& under;
    Versions held;
};

/// The memory at the end: answers in order, `delay` after the request.
class Store final : public Model<Store> {
  public:
    struct Params {
        Param<Time> delay {50_ns, "To the answer"};
    };
    struct Ports {
        Responder<Mem> side {{.depth = [](const void*) { return 4u; }, .latency = 40_ns}, "Side"};
    };
    struct Stats {
        Counter requests {Unit::count, "Requests"};
    };
    struct State {
        Tick free_at = 0;
        Timer next;
    };
    explicit Store(const Params& p) : params(p) {}
    void wake() override {
        auto& in = port.side;
        while (!in.empty() && state.free_at <= now()) {
            const MemRequest r = in.pop();
            ++stat.requests;
            state.free_at = now() + 7'000'000;
            if (r.command == Command::write) {
                for (const auto& [s, v] : wires->down.front()) held[s] = v;
                wires->down.pop_front();
            } else {
                Versions data;
                for_each_sector(r, [&](std::uint64_t s) { data[s] = held[s]; });
                wires->up.push_back(data);
            }
            if (r.needs_response()) in.send(protocol::answer(r));
        }
        if (!in.empty()) arm(state.next, state.free_at);
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
    Wires* wires = nullptr;
    Versions held;
};
static const Registration<Store> store_registered {"Test: a memory of versions."};

/// Random accesses to a few lines, checked.
class Writer final : public Model<Writer> {
  public:
    struct Params {
        Param<unsigned> count {6000, "Requests"};
        Param<unsigned> lines {24, "Lines that they go to"};
    };
    struct Ports {
        Requester<Mem> mem {{.depth = [](const void*) { return 12u; }}, "Memory"};
    };
    struct Stats {
        Counter wrong {Unit::count, "Sectors read that were older than the last write before"};
    };
    struct State {
        Rng random;
        std::uint32_t sent = 0;
        Tick due = 0;
        Timer next;
    };
    explicit Writer(const Params& p) : params(p) {}
    void start() override { arm(state.next, 1); }
    bool pending() const override { return state.sent < params.count(); }
    void wake() override {
        while (!port.mem.empty()) {
            const MemResponse r = port.mem.pop();
            if (r.command == Command::write) continue;
            for (const auto& [s, v] : wires->up.front())
                if (v < expected[r.tag].at(s)) ++stat.wrong;
            wires->up.pop_front();
            expected.erase(r.tag);
        }
        while (state.sent < params.count() && state.due <= now() && port.mem.can_send()) send();
        if (state.sent < params.count() && state.due > now()) arm(state.next, state.due);
    }
    void send() {
        MemRequest r;
        const auto line = state.random.below(params.lines());
        r.address = line * 128;
        r.bytes = 128;
        r.sectors = static_cast<std::uint16_t>(1 + state.random.below(15));
        while ((r.sectors & 1) == 0) r.sectors >>= 1, r.address += 32;
        r.bytes = 32 * static_cast<std::uint32_t>(std::bit_width(r.sectors));
        const auto kind = state.random.below(8);
        r.command = kind < 4 ? Command::write : Command::read;
        if (r.command == Command::write) {
            r.posted = state.random.below(2);
            r.partial = static_cast<std::uint16_t>(state.random.below(16) & r.sectors);
        }
        r.tag = state.sent++;
        Versions data;
        for_each_sector(r, [&](std::uint64_t s) { data[s] = latest[s]; });
        if (r.command != Command::write) expected[r.tag] = data;
        if (r.command != Command::read) {
            for (auto& [s, v] : data) v = latest[s] = state.sent;
            wires->down.push_back(data);
        }
        port.mem.send(r);
        state.due = now() + static_cast<Tick>(state.random.below(20'000'000));
    }
    const Params params;
    Ports port;
    Stats stat;
    State state;
    Wires* wires = nullptr;
    Versions latest;
    std::map<std::uint32_t, Versions> expected;
};
static const Registration<Writer> writer_registered {"Test: writes versions and reads them."};

/// writer - L1 - L2 - store.
struct Hierarchy {
    Hierarchy(std::uint64_t seed, const std::string& l1, const std::string& l2)
        : m(seed), first(wires[0], wires[1]), second(wires[1], wires[2]) {
        auto cache = [&](const char* path, const std::string& text, const std::string& common) {
            m.add(path, "mem.Cache", test_mem::arguments(common + " " + text));
        };
        m.add("writer", "test_contents.Writer", {});
        cache("l1", l1, "capacity=512B ways=2 latency=3ns mshrs=3 targets=2 mem_queue=3");
        cache("l2", l2, "capacity=1KiB ways=4 latency=5ns mshrs=4 targets=3 mem_queue=4");
        m.add("store", "test_contents.Store", {});
        m.bind("writer", "mem", "l1", "cpu_side");
        m.bind("l1", "mem_side", "l2", "cpu_side");
        m.bind("l2", "mem_side", "store", "side");
        m.build();
        m.get<Cache>("l1").watch(first);
        m.get<Cache>("l2").watch(second);
        m.get<Store>("store").wires = &wires[2];
        m.get<Writer>("writer").wires = &wires[0];
    }
    std::uint64_t run() {
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        REQUIRE_FALSE(m.pending());
        REQUIRE(m.imbalances().empty());
        for (const Wires& w : wires) REQUIRE((w.down.empty() && w.up.empty()));
        return value(m.get<Writer>("writer").stat.wrong);
    }
    Machine m;
    std::array<Wires, 3> wires;
    Shadow first, second;
};

TEST_CASE("reads return the newest version through all policies", "[mem][cache]") {
    const std::vector<std::string> l1 {
        "write_policy=write_through",
        "write_policy=write_through write_allocate=true",
        "write_policy=write_through write_allocate=true fetch_on_write=false banks=2",
        "write_policy=write_evict replacement=fifo",
        "write_policy=write_evict reserved_ways=1 write_cycles=5",
        "write_policy=write_back",
        "write_policy=write_back write_allocate=true replacement=random",
        "write_policy=write_back write_allocate=true fetch_on_write=false",
        "write_policy=write_back write_allocate=true fetch_on_write=false reserved_ways=1"};
    const std::vector<std::string> l2 {
        "write_policy=write_back write_allocate=true set_hash=xor_fold",
        "write_policy=write_back write_allocate=true fetch_on_write=false banks=3 write_cycles=5",
        "write_policy=write_through", "write_policy=write_evict reserved_ways=2"};
    std::uint64_t seed = 0;
    for (const auto& a : l1)
        for (const auto& b : l2) {
            INFO("L1 " << a << ", L2 " << b);
            Hierarchy h(++seed, a, b);
            CHECK(h.run() == 0);
        }
}

} // namespace memsim::test_contents
