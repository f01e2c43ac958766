#include "script.hh"

/// Copies to shared memory without registers: by the lanes of a warp (cp.async), and of tiles by
/// the copy engine (cp.async.bulk) with transaction barriers.
namespace memsim::copies_test {

using namespace memsim::test;
using gpu_program::TileCopy;
using gpu_program::WarpOpKind;
using gpu_program::WarpStreamWriter;

namespace {

/// So fast that all accesses of a warp arrive in one cycle.
const Arguments at_once {{"latency", "100ns"}, {"bandwidth", "500000GB/s"}, {"queue", "1000"}};
const Arguments of_sm {{"arithmetic_latency", "1"}, {"bulk_latency", "10"}, {"schedulers", "2"}};

struct Rig : ScriptRig {
    explicit Rig(const Script& s, const Arguments& memory = at_once)
        : ScriptRig(std::vector<Script> {s}, of_sm, 1, {}, memory) {
        trace();
    }
    /// The cycle, counted from the first issue, in which this warp issues its operation n.
    std::int64_t issue_of(unsigned warp, unsigned n) {
        for (const Issue& i : issues())
            if (i.warp == warp && n-- == 0) return i.cycle;
        FAIL("the warp has not issued so many operations");
        return 0;
    }
};

Script warps(unsigned n, const Script::Write& write) {
    Script s;
    s.warps = n;
    s.write = write;
    return s;
}

constexpr std::uint32_t all = ~0u;

} // namespace

TEST_CASE("Data of a copy can be used when their last pass of shared memory has ended, not earlier",
          "[sm][copies]") {
    const auto used_at = [](bool copy, std::uint64_t stride) {
        Rig rig(warps(1, [=](auto& w, unsigned) {
            if (copy)
                w.copy(16, all, 4, word(0, stride));
            else
                w.access(WarpOpKind::load, 16, all, 4, word(0, stride));
            w.barrier(all, 1);
        }));
        rig.run();
        CHECK(rig.sm().stat.shared_passes.total(never) == (copy ? stride / 4 : 0));
        return rig.issue_of(0, 1);
    };
    const std::int64_t loaded = used_at(false, 4);
    CHECK(used_at(true, 4) == loaded + 1);
    CHECK(used_at(false, 128) == loaded);
    CHECK(used_at(true, 128) == loaded + 32); // a cycle for each of 32 accesses
}

TEST_CASE("A wait for all but the last copies does not wait for those", "[sm][copies]") {
    const auto issued_at = [](std::uint64_t waits) {
        Rig rig(warps(1, [=](auto& w, unsigned) {
            w.copy(16, all, 4, word(0, 128)); // 32 passes
            w.copy(16, all, 4, word(32 * 128, 128));
            w.barrier(all, waits);
        }));
        rig.run();
        return rig.issue_of(0, 2);
    };
    CHECK(issued_at(0b01) == issued_at(0b10) + 32);
    CHECK(issued_at(0b11) == issued_at(0b01));
    CHECK(issued_at(0) == 2);
}

TEST_CASE("Arriving data occupy the port of shared memory", "[sm][copies]") {
    // A load that arrives a cycle after the data releases an access to shared memory.
    const auto stored_at = [](bool copy) {
        Rig rig(warps(1, [=](auto& w, unsigned) {
            if (copy)
                w.copy(16, all, 4, word(0, 128));
            else
                w.access(WarpOpKind::load, 16, all, 4, word(0, 128));
            w.access(WarpOpKind::load, 16, 1, 4, word(64 * 128, 4));
            w.shared(16, all, 1, false, 1);
        }));
        rig.run();
        return rig.issue_of(0, 2);
    };
    CHECK(stored_at(true) == stored_at(false) + 31);
}

TEST_CASE("An SM counts its copies, their bytes and the time that warps wait for them",
          "[sm][copies]") {
    Rig rig(warps(2, [](auto& w, unsigned index) {
        if (index == 0) {
            w.copy(16, all, 4, word(0, 4));
            w.copy(16, all, 16, word(4096, 16));
            w.compute(all, 20);
            w.barrier(all, 0b11);
        } else {
            w.bulk_copy(16, 1, TileCopy {8192, 256, 128, 3, 0});
            w.await(all, 0, {.bytes = 3 * 128});
            w.barrier(all);
        }
    }));
    rig.run();
    const auto& stat = rig.sm().stat.copies;
    CHECK(stat.copies.value() == 2);
    CHECK(stat.bulk_copies.value() == 1);
    CHECK(stat.copied_bytes.value() == 128 + 512 + 3 * 128);
    // In cycles of 1.2 GHz: from the operation before the wait to the end of the wait.
    const auto waited = (rig.issue_of(0, 3) - (2 + 20)) + (rig.issue_of(1, 2) - rig.issue_of(1, 1));
    CHECK(static_cast<double>(stat.copy_waits.value()) / 1e6 * 1.2 ==
          Approx(static_cast<double>(waited)).margin(0.01));
}

TEST_CASE("A transaction barrier opens when the last awaited byte is in shared memory",
          "[sm][copies]") {
    const auto opens_at = [](std::uint64_t bytes) {
        Rig rig(warps(2, [=](auto& w, unsigned index) {
            if (index == 0) w.bulk_copy(16, 1, TileCopy {0, 512, 256, 4, 3});
            if (index == 1) w.await(all, 3, {.bytes = bytes}), w.compute(all, 1);
        }));
        rig.run();
        return rig.issue_of(1, 1);
    };
    const std::int64_t first = opens_at(1);
    CHECK(opens_at(128) == first);
    CHECK(opens_at(129) == first + 1); // a line is accessed, and arrives, each cycle
    CHECK(opens_at(4 * 256 - 128) == first + 6);
    CHECK(opens_at(4 * 256 - 127) == first + 7);
    CHECK(opens_at(4 * 256) == first + 7);
    CHECK(opens_at(0) == opens_at(1) - first + 1); // it has opened before the wait
    Rig never_opens(warps(2, [](auto& w, unsigned index) {
        if (index == 0) w.bulk_copy(16, 1, TileCopy {0, 512, 256, 4, 3});
        if (index == 1) w.await(all, 3, {.bytes = 4 * 256 + 1});
    }));
    REQUIRE(never_opens.machine.run(never) == Stop::idle);
    CHECK(never_opens.machine.pending());
    CHECK(never_opens.sm().state.copies.barriers.waiting.size() == 1);
}

TEST_CASE("A warp that waits for threads issues in the cycle after the last of them arrives",
          "[sm][copies]") {
    const auto cycles = [](std::uint64_t awaited) { // from each of two arrivals
        Rig rig(warps(2, [=](auto& w, unsigned index) {
            if (index == 0) {
                w.compute(all, 30);
                w.arrive(0xff, 3);
                w.compute(all, 10);
                w.arrive(1, 3);
            } else {
                w.await(all, 3, {.arrivals = awaited});
                w.compute(all, 1);
            }
        }));
        rig.run();
        CHECK(rig.sm().stat.copies.arrivals.value() == 9);
        const std::int64_t opens = rig.issue_of(1, 1);
        return std::pair {opens - rig.issue_of(0, 1), opens - rig.issue_of(0, 3)};
    };
    CHECK(cycles(8).first == 1);
    CHECK(cycles(9).second == 1);
    Rig never_opens(warps(2, [](auto& w, unsigned index) {
        index == 0 ? w.arrive(all, 3) : w.await(all, 3, {.arrivals = 33});
    }));
    REQUIRE(never_opens.machine.run(never) == Stop::idle);
    CHECK(never_opens.machine.pending());
}

TEST_CASE("A transaction barrier opens when both its bytes and its threads have arrived",
          "[sm][copies]") {
    // Threads arrive `after` instructions, or the copy's data in about 150 cycles.
    const auto opens_at = [](unsigned after, const gpu_program::BarrierProgress& awaited) {
        Rig rig(warps(2, [=](auto& w, unsigned index) {
            if (index == 0) {
                w.bulk_copy(16, 1, TileCopy {0, 256, 256, 1, 0});
                w.compute(all, after);
                w.arrive(1, 0);
            } else {
                w.await(all, 0, awaited);
                w.compute(all, 1);
            }
        }));
        rig.run();
        return rig.issue_of(1, 1);
    };
    for (const unsigned after : {10u, 400u})
        CHECK(opens_at(after, {256, 1}) ==
              std::max(opens_at(after, {256, 0}), opens_at(after, {0, 1})));
    CHECK(opens_at(400, {256, 1}) > opens_at(10, {256, 1}) + 100);
}

TEST_CASE("An arrival takes a pass of shared memory and waits for its port", "[sm][copies]") {
    Rig rig(warps(2, [](auto& w, unsigned index) {
        if (index == 0) w.shared(16, all, 8, false), w.arrive(all, 0);
        if (index == 1) w.compute(all, 3), w.shared(16, all, 1, false);
    }));
    rig.run();
    CHECK(rig.sm().stat.shared_passes.total(never) == 8 + 1 + 1);
    CHECK(rig.issue_of(0, 1) == rig.issue_of(0, 0) + 8);
    CHECK(rig.issue_of(1, 1) == rig.issue_of(0, 0) + 9);
}

TEST_CASE("A ring of tiles keeps as many copies in flight as it has buffers", "[sm][copies]") {
    // One warp copies a tile when the other has released its buffer. The copies' latency is much
    // longer than all else, so that a round of the ring takes one latency.
    const auto ends_at = [](unsigned buffers) {
        constexpr unsigned tiles = 24;
        ScriptRig rig({warps(2,
                             [=](auto& w, unsigned index) {
                                 for (unsigned t = 0; t < tiles; ++t) {
                                     const unsigned full = t % buffers, empty = buffers + full;
                                     const std::uint64_t round = t / buffers;
                                     if (index == 0) {
                                         w.await(all, empty, {.arrivals = 32 * round});
                                         w.bulk_copy(16, 1, TileCopy {t * 256, 256, 256, 1, full});
                                     } else {
                                         w.await(all, full, {.bytes = 256 * (round + 1)});
                                         w.shared(16, all, 1, true);
                                         w.arrive(all, empty, 1);
                                     }
                                 }
                             })},
                      {{"bulk_latency", "2000"}}, 1, {}, at_once);
        rig.run();
        return static_cast<double>(rig.cycles());
    };
    const double two = ends_at(2);
    CHECK(two / 12 == Approx(2000 + 120).epsilon(0.05));
    CHECK(ends_at(4) == Approx(two / 2).epsilon(0.05));
    CHECK(ends_at(8) == Approx(two / 4).epsilon(0.08));
}

TEST_CASE("A bulk copy begins after its latency and has the result of its last byte",
          "[sm][copies]") {
    const auto ends_at = [](const char* latency) {
        Script s = warps(1, [](auto& w, unsigned) {
            w.bulk_copy(16, 1, TileCopy {0, 512, 256, 4, 0});
            w.barrier(all, 1);
        });
        ScriptRig rig({s}, {{"bulk_latency", latency}}, 1, {}, at_once);
        rig.trace();
        rig.run();
        return rig.issues().at(1).cycle;
    };
    CHECK(ends_at("170") == ends_at("10") + 160);
}

TEST_CASE("Rows of a tile that are no whole sectors count with their own bytes", "[sm][copies]") {
    Rig rig(warps(1, [](auto& w, unsigned) {
        w.bulk_copy(16, 1, TileCopy {112, 144, 48, 5, 0}); // parts of two lines, or of one
        w.await(all, 0, {.bytes = 5 * 48});
        w.compute(all, 1);
    }));
    rig.run();
    CHECK(rig.sm().stat.copies.copied_bytes.value() == 5 * 48);
}

TEST_CASE("The barriers of a block begin anew with the next one in its slot", "[sm][copies]") {
    Script s = warps(1, [](auto& w, unsigned) {
        w.bulk_copy(16, 1, TileCopy {0, 128, 128, 1, 0});
        w.await(all, 0, {.bytes = 128});
        w.compute(all, 1);
    });
    s.blocks = 2;
    ScriptRig rig({s}, {{"block_slots", "1"}}, 1, {{"block_slots", "1"}}, at_once);
    rig.run();
    // Each block waits for its own copy: the latency of the memory.
    CHECK(rig.cycles() > 2 * 120);
}

TEST_CASE("A run continues from the middle of copies as it would have ended", "[sm][copies]") {
    scripts() = {warps(3, [](auto& w, unsigned index) {
        if (index == 0) w.bulk_copy(16, 1, TileCopy {0, 512, 256, 40, 1});
        if (index == 1) w.await(all, 1, {.bytes = 40 * 256}), w.shared(16, all, 2, true);
        if (index == 2)
            for (unsigned i = 0; i < 4; ++i) w.copy(16, all, 8, word(i * 8192, 256), i ? 1 : 0);
    })};
    const auto built = [] {
        auto m = std::make_unique<Machine>();
        m->add("dispatcher", "gpu.Dispatcher", {{"sms", "1"}, {"applications", "1"}});
        m->add("host", "test.ScriptHost", {{"script", "0"}});
        m->add("sm", "gpu.Sm", of_sm);
        m->add("memory", "mem.SimpleMemory", {{"latency", "30ns"}, {"queue", "4"}});
        m->bind("host", "dispatcher", "dispatcher", "host[0]");
        m->bind("dispatcher", "sm_side[0]", "sm", "blocks");
        m->bind("sm", "mem_side", "memory", "cpu_side");
        m->build();
        return m;
    };
    const auto first = built(), second = built();
    first->start();
    const auto& copies = first->get<gpu::Sm>("sm").state.copies;
    Tick t = 0;
    while (copies.queue.empty() || copies.arrivals.empty() || copies.barriers.waiting.empty())
        first->run(t += 100'000);
    second->load(first->save());
    for (Machine* m : {first.get(), second.get()}) {
        REQUIRE(m->run(never) == Stop::idle);
        CHECK_FALSE(m->pending());
        CHECK(m->get<gpu::Sm>("sm").state.copies.copied == 40 * 256 + 4 * 32 * 8);
    }
    CHECK(first->sim().now() == second->sim().now());
    CHECK(first->get<gpu::Sm>("sm").stat.copies.copy_waits.value() ==
          second->get<gpu::Sm>("sm").stat.copies.copy_waits.value());
}

TEST_CASE("The copy engine and the loads of warps share the way to the L1 in turn",
          "[sm][copies]") {
    // The memory accepts an access each 16 ns, fewer than either of the two makes.
    const Arguments slow {{"latency", "10ns"}, {"bandwidth", "8GB/s"}, {"queue", "1"}};
    Rig rig(warps(3,
                  [](auto& w, unsigned index) {
                      if (index == 0) w.bulk_copy(16, 1, TileCopy {1 << 16, 128, 128, 64, 0});
                      if (index > 0)
                          for (unsigned i = 0; i < 8; ++i)
                              w.access(WarpOpKind::load, 16, all, 4, word(i * 4096, 128));
                  }),
            slow);
    auto& copies = rig.sm().state.copies;
    Tick t = 0;
    while (copies.bulk_issued == 0 || !copies.queue.empty()) rig.machine.run(t += 1'000'000);
    const auto& memory = rig.sm().stat.memory;
    const std::uint64_t of_warps =
        memory.requests.value() - rig.sm().state.accesses.accesses.size();
    CHECK(of_warps > 60);
    CHECK(of_warps < 70); // the engine has sent 64
    rig.run();
}

} // namespace memsim::copies_test
