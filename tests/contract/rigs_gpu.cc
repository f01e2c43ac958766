#include "../unit/gpu/asker.hh"
#include "../unit/gpu/script.hh"
#include "oracle.hh"

/// Rigs of SMs under hand-written streams that use all that an SM has, and of several applications
/// on one machine.
namespace memsim::test::rigs_gpu {

namespace {

using gpu_program::WarpOpKind;

/// Loads, stores, atomics, reductions, shared memory, matrix operations, arithmetic, barriers and
/// stretches, drawn anew for each block (their numbers are the functional state).
Script mixture(unsigned blocks, unsigned warps) {
    Script s;
    s.launches = 3, s.blocks = blocks, s.warps = warps;
    s.registers_per_thread = 33, s.shared_bytes = 5000;
    s.footprint = 1 << 16;
    s.write = [](gpu_program::WarpStreamWriter& w, unsigned warp) {
        Rng random(warp, "mixture");
        for (unsigned i = 0; i < 40; ++i) {
            const auto mask = static_cast<gpu_program::u32>(random.next()) | 1;
            const std::uint64_t waits = random.below(3) ? 0 : random.below(16);
            const auto address = word(random.below(1 << 14), random.below(200));
            if (random.below(3) == 0) w.needs_arithmetic(random.below(16));
            switch (random.below(10)) {
            case 0:
            case 1:
                w.access(WarpOpKind::load, 16 * i, mask, 4, address, nullptr, waits);
                break;
            case 2:
                w.access(WarpOpKind::store, 16 * i, mask, 4, address, nullptr, waits);
                break;
            case 3:
                w.access(WarpOpKind::atomic, 16 * i, mask, 4, address, nullptr, waits);
                break;
            case 4:
                w.access(WarpOpKind::reduce, 16 * i, mask, 4, address, nullptr, waits);
                break;
            case 5:
                w.shared(16 * i, mask, 1 + static_cast<unsigned>(random.below(32)), i % 2, waits);
                break;
            case 6:
                w.matrix(mask, 1 + static_cast<unsigned>(random.below(4000)), waits);
                break;
            case 7:
                w.arithmetic(static_cast<gpu_program::ArithmeticUnit>(random.below(4)), mask,
                             1 + static_cast<unsigned>(random.below(9)), random.below(2), waits);
                break;
            default:
                w.compute(mask, 1 + static_cast<unsigned>(random.below(30)), waits);
            }
            if (i % 10 == 9) w.barrier(~0u, waits);
        }
    };
    return s;
}

/// Copies to shared memory by lanes and by the copy engine, and accesses beside them.
Script copying(unsigned blocks, unsigned warps) {
    Script s = mixture(blocks, warps);
    s.write = [](gpu_program::WarpStreamWriter& w, unsigned warp) {
        Rng random(warp, "copying");
        std::array<gpu_program::BarrierProgress, 3> own {}; // of each barrier, by this warp
        for (unsigned i = 0; i < 40; ++i) {
            const auto mask = static_cast<gpu_program::u32>(random.next()) | 1;
            const std::uint64_t waits = random.below(3) ? 0 : random.below(16);
            const auto address = word(random.below(1 << 14), random.below(200));
            const auto number = static_cast<unsigned>(random.below(3));
            switch (random.below(7)) {
            case 0:
            case 1:
                w.copy(16 * i, mask, 8, address, waits);
                break;
            case 2: {
                const gpu_program::TileCopy tile {random.below(1 << 14), random.below(500),
                                                  1 + static_cast<unsigned>(random.below(300)),
                                                  1 + static_cast<unsigned>(random.below(8)),
                                                  number};
                own[number].bytes += tile.bytes();
                w.bulk_copy(16 * i, 1, tile, waits);
                break;
            }
            case 3: // for its own copies and arrivals, so that no warp waits for what never comes
                w.await(~0u, number, own[number], waits);
                break;
            case 4:
                w.shared(16 * i, mask, 1 + static_cast<unsigned>(random.below(8)), i % 2, waits);
                break;
            case 5:
                own[number].arrivals += bits_set(mask);
                w.arrive(mask, number, waits);
                break;
            default:
                w.access(WarpOpKind::load, 16 * i, mask, 4, address, nullptr, waits);
            }
            if (i % 10 == 9) w.barrier(~0u, waits);
        }
    };
    return s;
}

void machine_of(Machine& m, const std::vector<Script>& applications, const Arguments& dispatcher,
                const Arguments& sm) {
    scripts() = applications;
    Arguments all {{"sms", "2"}, {"applications", std::to_string(applications.size())}};
    all.insert(all.end(), dispatcher.begin(), dispatcher.end());
    m.add("dispatcher", "gpu.Dispatcher", all);
    for (std::size_t i = 0; i < applications.size(); ++i) {
        const std::string host = "host[" + std::to_string(i) + "]";
        m.add(host, "test.ScriptHost",
              {{"script", std::to_string(i)}, {"launch_latency", "300ns"}});
        m.bind(host, "dispatcher", "dispatcher", "host");
    }
    m.add("network", "mem.Crossbar", {{"inputs", "2"}, {"outputs", "1"}});
    for (unsigned i = 0; i < 2; ++i) {
        const std::string n = "[" + std::to_string(i) + "]";
        m.add("sm" + n, "gpu.Sm", sm);
        m.add("l1" + n, "mem.Cache", {{"capacity", "3KiB"}, {"ways", "6"}});
        m.bind("dispatcher", "sm_side" + n, "sm" + n, "blocks");
        m.bind("sm" + n, "mem_side", "l1" + n, "cpu_side");
        m.bind("l1" + n, "mem_side", "network", "cpu_side" + n);
    }
    m.add("memory", "mem.SimpleMemory", {{"queue", "8"}});
    m.bind("network", "mem_side[0]", "memory", "cpu_side");
}

} // namespace

static const RigFor wide_sm {"gpu.Sm", [](Machine& m) {
                                 machine_of(m, {mixture(7, 5)}, {},
                                            {{"schedulers", "2"},
                                             {"issue_width", "2"},
                                             {"arithmetic_latency", "5"},
                                             {"tensor_cores", "2"},
                                             {"tensor_interval", "6"},
                                             {"fp32_lanes", "16"},
                                             {"int32_lanes", "32"},
                                             {"special_lanes", "4"},
                                             {"scheduler", "loose_round_robin"}});
                             }};
static const RigFor narrow_sm {
    "gpu.Sm", [](Machine& m) {
        machine_of(m, {mixture(5, 7)}, {}, {{"arithmetic_latency", "1"}, {"accesses", "32"}});
    }};
static const RigFor copying_sm {
    "gpu.Sm", [](Machine& m) {
        machine_of(m, {copying(5, 4)}, {}, {{"schedulers", "2"}, {"bulk_latency", "40"}});
    }};
static const RigFor narrow_copying_sm {
    "gpu.Sm", [](Machine& m) {
        machine_of(m, {copying(7, 6)}, {},
                   {{"accesses", "32"}, {"outstanding", "16"}, {"bulk_latency", "1"}});
    }};
static const RigFor asked_sm {
    "gpu.Sm", [](Machine& m) {
        machine_of(m, {mixture(5, 4)}, {}, {{"schedulers", "2"}});
        for (const std::string n : {"[0]", "[1]"}) {
            m.add("asker" + n, "test.LookaheadAsker", {{"count", "50"}, {"operations", "3"}});
            m.bind("asker" + n, "queries", "sm" + n, "queries");
            m.bind("sm" + n, "upcoming", "asker" + n, "answers");
        }
    }};
static const RigFor sharing {"gpu.Dispatcher", [](Machine& m) {
                                 machine_of(m, {mixture(9, 3), mixture(5, 6)},
                                            {{"partition", "shared"}}, {{"schedulers", "4"}});
                             }};
static const RigFor repeating {
    "gpu.Dispatcher", [](Machine& m) {
        machine_of(m, {mixture(3, 2), mixture(30, 4)}, {{"when_one_ends", "repeat"}}, {});
    }};
static const RigFor stopping {
    "gpu.Dispatcher", [](Machine& m) {
        machine_of(m, {mixture(3, 2), mixture(30, 4)}, {{"when_one_ends", "stop"}}, {});
    }};
static const RigFor script_host {"test.ScriptHost",
                                 [](Machine& m) { machine_of(m, {mixture(2, 2)}, {}, {}); }};

} // namespace memsim::test::rigs_gpu
