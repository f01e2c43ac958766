#include "gpu/sm/lookahead.hh"

#include "asker.hh"
#include "core/kernel/registry.hh"
#include "script.hh"

/// The answers of an SM to queries for upcoming accesses of its warps.
namespace memsim::test {

static const Registration<LookaheadAsker> lookahead_asker {
    "Asks an SM what its warps access next (a test's)."};

} // namespace memsim::test

using namespace memsim;
using namespace memsim::test;
using gpu_program::WarpOpKind;

namespace {

/// The first lanes' addresses of what a warp accesses next.
std::vector<std::uint64_t>
upcoming(const std::function<void(gpu_program::WarpStreamWriter&)>& write, unsigned most,
         std::uint64_t outstanding = 0, std::uint8_t latest = 0) {
    std::vector<std::uint8_t> stream;
    gpu_program::StreamCounts counts;
    gpu_program::WarpStreamWriter writer(stream, counts);
    write(writer);
    writer.exit(~0u);
    std::vector<std::uint64_t> seen;
    gpu_program::WarpOp op;
    gpu::for_each_upcoming({stream, 0, outstanding, latest}, most, op,
                           [&](const gpu_program::WarpOp& o) { seen.push_back(o.address[0]); });
    return seen;
}

using Addresses = std::vector<std::uint64_t>;

void load(gpu_program::WarpStreamWriter& w, std::uint64_t at, std::uint64_t waits = 0) {
    w.access(WarpOpKind::load, 16, ~0u, 4, word(at, 4), nullptr, waits);
}

/// One SM and its memory, which takes 1 us.
struct Machines {
    Machine m;
    explicit Machines(const Script& script, const Arguments& asker = {}) {
        scripts() = {script};
        m.add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}});
        m.add("host", "test.ScriptHost", {{"script", "0"}});
        m.add("sm", "gpu.Sm", {{"schedulers", "2"}});
        m.add("memory", "mem.SimpleMemory", {{"latency", "1us"}});
        m.bind("host", "dispatcher", "dispatcher", "host");
        m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
        m.bind("sm", "mem_side", "memory", "cpu_side");
        if (!asker.empty()) {
            m.add("asker", "test.LookaheadAsker", asker);
            m.bind("asker", "queries", "sm", "queries");
            m.bind("sm", "upcoming", "asker", "answers");
        }
        m.build();
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        REQUIRE(m.imbalances().empty());
    }
    std::string statistics() {
        Saver s;
        m.get<gpu::Sm>("sm").save_stats(s);
        m.get<gpu::Dispatcher>("dispatcher").save_stats(s);
        m.get<mem::SimpleMemory>("memory").save_stats(s);
        return s.bytes;
    }
    const std::vector<protocol::UpcomingAccesses>& seen() {
        return m.get<LookaheadAsker>("asker").state.seen;
    }
};

} // namespace

TEST_CASE("A look-ahead returns the next memory operations of a warp, at most as many as requested",
          "[sm]") {
    const auto write = [](auto& w) {
        load(w, 128);
        w.compute(~0u, 5);
        w.access(WarpOpKind::store, 16, ~0u, 4, word(256, 4));
        w.barrier(~0u);
        w.shared(16, ~0u, 1, true);
        load(w, 384);
    };
    CHECK(upcoming(write, 8) == Addresses {128, 256, 384});
    CHECK(upcoming(write, 2) == Addresses {128, 256});
    CHECK(upcoming(write, 0).empty());
}

TEST_CASE("Nothing past an operation whose operands are not there is known", "[sm]") {
    // Bit 0 of the ring is the latest result, bit 1 the one before it.
    const auto waits_for = [](std::uint64_t waits) {
        return [waits](auto& w) {
            w.access(WarpOpKind::store, 16, ~0u, 4, word(128, 4), nullptr, waits);
            load(w, 256);
        };
    };
    CHECK(upcoming(waits_for(1), 4, 0b01) == Addresses {});
    CHECK(upcoming(waits_for(1), 4, 0b10) == Addresses {128, 256});
    CHECK(upcoming(waits_for(2), 4, 0b10) == Addresses {});
    CHECK(upcoming(waits_for(1), 4, 0b01, 63) == Addresses {128, 256}); // the ring turns
    CHECK(upcoming(waits_for(1), 4, std::uint64_t {1} << 63, 63) == Addresses {});
    // A load that has not issued has no result either; those before it keep their numbers.
    const auto behind = [](std::uint64_t waits) {
        return [waits](auto& w) {
            load(w, 128);
            w.compute(~0u, 1, waits);
            load(w, 256);
        };
    };
    CHECK(upcoming(behind(1), 4) == Addresses {128});
    CHECK(upcoming(behind(2), 4) == Addresses {128, 256});
    CHECK(upcoming(behind(2), 4, 0b01) == Addresses {128});
}

TEST_CASE("An SM answers with the lines of each warp's next operations and marks the last message",
          "[sm]") {
    Script s;
    s.warps = 2;
    s.write = [](auto& w, unsigned warp) {
        load(w, 0);
        w.barrier(~0u, 1); // waits for the memory: the next operations are not known before
        if (warp == 0) return;
        w.access(WarpOpKind::store, 48, ~0u, 4, word(1024, 32));
        load(w, 8192);
    };
    // After 500 ns the loads are outstanding, and neither warp has upcoming operations. After 1.1
    // us they have completed, and only the memory's work on the stores remains.
    Machines early(s, {{"period", "500ns"}});
    REQUIRE(early.seen().size() == 1);
    CHECK(early.seen()[0].count == 0);
    CHECK(early.seen()[0].last);

    Script known = s;
    known.write = [](auto& w, unsigned warp) {
        w.compute(~0u, 40 + 40 * warp); // 22 cycles each: the warp does nothing else at 100 ns
        w.access(WarpOpKind::store, 48, ~0u, 4, word(1024, 32));
        load(w, 8200 + 4096 * warp);
        load(w, 0);
    };
    Machines both(known, {{"period", "100ns"}, {"queue", "1"}});
    REQUIRE(both.seen().size() == 6); // 8 lines take two messages, and the load's two one
    for (unsigned i = 0; i < 6; ++i) {
        const protocol::UpcomingAccesses& a = both.seen()[i];
        CHECK(a.warp == i / 3);
        CHECK(a.operation == (i % 3 == 2));
        CHECK(a.write == (i % 3 != 2));
        CHECK(a.pc == (i % 3 == 2 ? 16 : 48));
        CHECK(a.count == (i % 3 == 0 ? 6 : 2));
        CHECK(a.last == (i == 5));
        const std::uint64_t first[] = {1024, 1024 + 6 * 128, 8192 + 4096ull * a.warp};
        for (unsigned line = 0; line < a.count; ++line)
            CHECK(a.lines[line] == first[i % 3] + 128 * line);
    }
}

TEST_CASE(
    "Upcoming accesses have addresses of the warp's application, from the start of their line",
    "[sm]") {
    Script s;
    s.write = [](auto& w, unsigned) {
        w.compute(~0u, 40);
        w.access(WarpOpKind::atomic, 32, 1, 4, word(8200, 0));
        w.access(WarpOpKind::reduce, 48, 1, 4, word(64, 0));
    };
    for (const bool performed : {true, false}) {
        scripts() = {s, s};
        Machine m;
        m.add("dispatcher", "gpu.Dispatcher",
              {{"sms", "1"}, {"applications", "2"}, {"partition", "shared"}, {"bases", "0B,1MiB"}});
        m.add("sm", "gpu.Sm", {{"atomics", performed ? "performed" : "loads"}});
        m.add("memory", "mem.SimpleMemory", {});
        m.add("asker", "test.LookaheadAsker", {{"period", "100ns"}});
        for (const std::string i : {"0", "1"}) {
            m.add("host" + i, "test.ScriptHost", {{"script", i}});
            m.bind("host" + i, "dispatcher", "dispatcher", "host[" + i + "]");
        }
        m.bind("dispatcher", "sm_side[0]", "sm", "blocks");
        m.bind("sm", "mem_side", "memory", "cpu_side");
        m.bind("asker", "queries", "sm", "queries");
        m.bind("sm", "upcoming", "asker", "answers");
        m.build();
        m.start();
        REQUIRE(m.run(never) == Stop::idle);
        const auto& seen = m.get<LookaheadAsker>("asker").state.seen;
        REQUIRE(seen.size() == 4);
        for (unsigned i = 0; i < 4; ++i) {
            const protocol::UpcomingAccesses& a = seen[i];
            CHECK(a.application == i / 2);
            CHECK(a.operation == i % 2);
            REQUIRE(a.count == 1);
            CHECK(a.lines[0] == (1u << 20) * (i / 2) + (i % 2 ? 0 : 8192));
            CHECK(a.write == performed); // as the accesses will be
        }
    }
}

TEST_CASE("Ended warps report no upcoming accesses", "[sm]") {
    Script s;
    s.write = [](auto& w, unsigned) { load(w, 0); };
    Machines m(s, {{"period", "5us"}});
    REQUIRE(m.seen().size() == 1);
    CHECK(m.seen()[0].count == 0);
    CHECK(m.seen()[0].last);
}

TEST_CASE("Queries change no result", "[sm]") {
    Script s;
    s.blocks = 6, s.warps = 5;
    s.write = [](auto& w, unsigned warp) {
        for (unsigned i = 0; i < 30; ++i) {
            load(w, 4096 * warp + 512 * i);
            w.compute(~0u, i % 7, i % 2);
            w.access(WarpOpKind::atomic, 32, ~0u, 4, word(64 * i, 4), nullptr, i % 3);
            if (i % 10 == 9) w.barrier(~0u);
        }
    };
    Machines asked(s, {{"count", "200"}, {"period", "97ns"}, {"operations", "3"}});
    CHECK(asked.seen().size() > 500);
    CHECK(asked.statistics() == Machines(s).statistics());
}
