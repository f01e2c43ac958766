#pragma once

#include "core/machine/machine.hh"
#include "mem/dram/presets/preset.hh"
#include "mem/dram/schedule/scheduler.hh"

#include <catch2/catch.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

/// What the tests of this folder share.
namespace memsim::mem {

using namespace memsim::literals;

/// A table in which nothing but tRCD, tCL and tRP takes long: a test raises the one figure it is
/// about, so that it fails when that constraint is not kept.
inline DramTiming quiet() {
    return {.source = "test",
            .tCK = 1_ns,
            .rate = 64_GBps, // 64 B in 1 ns
            .burst = 64,
            .ranks = 2,
            .groups = 2,
            .banks_per_group = 2,
            .row = 1_KiB,
            .tCL = 10_ns,
            .tCWL = 8_ns,
            .tRCDRD = 5_ns,
            .tRCDWR = 5_ns,
            .tRP = 5_ns,
            .tRAS = 5_ns,
            .tRC = 10_ns,
            .tRRD_S = 1_ns,
            .tRRD_L = 1_ns,
            .tFAW = 0_ns,
            .tCCD_S = 1_ns,
            .tCCD_L = 1_ns,
            .tWTR_S = 1_ns,
            .tWTR_L = 1_ns,
            .tRTP = 1_ns,
            .tWR = 1_ns,
            .tRTRS = 0_ns,
            .tRFC = 20_ns,
            .tREFI = 0_ns};
}

/// Banks of quiet(): two groups of two in each of two ranks.
enum Bank : std::uint32_t { first = 0, same_group = 1, same_rank = 2, other_rank = 4 };

/// A device under test.
struct Dut {
    DramTiming timing;
    DramDeviceState state;
    DramDevice device;

    explicit Dut(const DramTiming& t) : timing(t), device(t, 1_ns, state) { device.init(); }
    bool probe(DramCommand c, std::uint32_t bank, Time at) const {
        return device.earliest(c, bank) <= at.raw;
    }
    Dut& issue(DramCommand c, std::uint32_t bank, Time at, std::uint32_t row = 7) {
        INFO("command " << static_cast<int>(c) << " at " << at.raw);
        CHECK(probe(c, bank, at));
        device.issue(c, bank, row, at.raw);
        return *this;
    }
    void ready_at(DramCommand c, std::uint32_t bank, Time at) const {
        CHECK_FALSE(probe(c, bank, at - 1_fs));
        CHECK(probe(c, bank, at));
    }
};

/// A scheduler under test, with its own bus, and perhaps a side bus.
struct Scheduled {
    DramTiming timing;
    Counter activates {Unit::count, ""}, precharges {Unit::count, ""}, refreshes {Unit::count, ""},
        hits {Unit::count, ""}, misses {Unit::count, ""}, conflicts {Unit::count, ""},
        forwarded {Unit::count, ""}, bus_bytes {Unit::byte, ""};
    ElapsedTime bus_busy {""}, side_busy {""};
    DramDeviceState device_state;
    mem::DataBusState bus_state, side_state;
    DramSchedulerState state;
    mem::DataBus bus, side;
    DramDevice device;
    DramScheduler dram;
    Tick now = 0;

    explicit Scheduled(const DramTiming& t, const DramScheduler::Config& figures = {},
                       bool with_side = false)
        : timing(t), bus({t.rate, t.tRTRS, 0_fs, t.tRTW}, bus_state),
          side({t.rate, t.tRTRS, 0_fs, t.tRTW}, side_state),
          device(t, bus.transfer_time(t.burst), device_state),
          dram(figures, device, bus, state,
               {activates, precharges, refreshes, hits, misses, conflicts, forwarded, bus_bytes,
                bus_busy},
               with_side ? std::optional(DramSide {side, side_busy}) : std::nullopt) {
        dram.init("test", 1);
    }
    /// Lets everything happen before `until`.
    void run_to(Time until) {
        while (dram.next_action() < until.raw) {
            now = std::max(now, dram.next_action());
            dram.run(now);
        }
        now = until.raw;
    }
    void read(std::uint32_t context, std::uint32_t bank, std::uint32_t row,
              std::uint32_t column = 0, std::uint16_t bursts = 1) {
        dram.enqueue({context, bank, row, column, bursts, false}, now);
    }
    void write(std::uint32_t context, std::uint32_t bank, std::uint32_t row,
               std::uint32_t column = 0) {
        dram.enqueue({context, bank, row, column, 1, true}, now);
    }
    struct Seen {
        std::uint32_t context;
        Tick at;
    };
    /// All that is done, after everything has run.
    std::vector<Seen> finish() { return finish(100_us); }
    std::vector<Seen> finish(Time until) {
        run_to(until);
        std::vector<Seen> all;
        while (dram.next_done() != never) {
            const DramDone d = dram.pop_done();
            all.push_back({d.context, d.at});
        }
        return all;
    }
};

inline std::vector<std::uint32_t> order_of(const std::vector<Scheduled::Seen>& all) {
    std::vector<std::uint32_t> contexts;
    for (const auto& s : all) contexts.push_back(s.context);
    return contexts;
}

struct NoSink final : StatSink {
    void stat(const std::string&, const std::string&, const Stat&, std::string_view) override {}
    void integer(std::string_view, Int128, Unit) override {}
    void derived(std::string_view, double, Unit) override {}
    void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
};

/// The sentence that f() fails with, or "" if it does not.
inline std::string error_of(const std::function<void()>& f) {
    try {
        f();
    } catch (const ConfigError& e) {
        return e.what();
    }
    return "";
}

/// A generator and a memory controller, perhaps with a monitor between.
inline std::unique_ptr<Machine> machine(const Arguments& generator, const Arguments& dram,
                                        bool monitored = false, QueueKind kind = QueueKind::fast) {
    auto m = std::make_unique<Machine>(7, kind);
    m->add("gen", "mem.TrafficGen", generator);
    if (monitored) {
        m->add("monitor", "mem.Monitor", {});
        m->bind("gen", "mem_side", "monitor", "cpu_side");
    }
    m->add("dram", "mem.DramController", dram);
    m->bind(monitored ? "monitor" : "gen", "mem_side", "dram", "cpu_side");
    m->build();
    return m;
}

/// What a finished run leaves: nothing in flight, its balance, its digest.
inline std::string digest_after(Machine& m) {
    CHECK_FALSE(m.pending());
    CHECK(m.imbalances().empty());
    NoSink sink;
    m.dump("end", sink);
    return m.digest();
}

} // namespace memsim::mem
