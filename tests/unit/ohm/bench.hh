#pragma once

#include "core/machine/machine.hh"
#include "ohm/channel/xpoint_module.hh"
#include "ohm/planar/controller.hh"
#include "sender.hh"

/// A sender, one planar controller and two XPoint modules. The default is 8 groups of 1 + 8 pages.
namespace memsim::test_ohm {

inline constexpr Tick ns = 1'000'000;

/// The controller parameters of a platform (python/memsim/systems/ohm.py).
inline Arguments platform(const std::string& name) {
    const Arguments swap {{"swap_function", "true"}, {"behind_writes", "true"}};
    Arguments a;
    if (name == "hetero")
        a = {{"routes", "electrical"}};
    else if (name == "auto-rw")
        a = {{"auto_rw", "true"}};
    else if (name == "ohm-wom" || name == "ohm-bw")
        a = swap;
    else if (name == "dedicated")
        a = {{"migration_channel", "dedicated"}};
    else if (name == "hold" || name == "hold all")
        a = {{"swap_hold", name == "hold" ? "channel" : "controller"}, {"swap_patience", "0fs"}};
    if (name == "ohm-wom") a.push_back({"routes", "wom"});
    if (name == "ohm-bw") a.push_back({"routes", "half_coupled"});
    return a;
}
inline const std::vector<std::string> platforms {"hetero", "ohm-base",  "auto-rw", "ohm-wom",
                                                 "ohm-bw", "dedicated", "hold",    "hold all"};
inline Arguments operator+(Arguments a, const Arguments& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

struct Bench {
    Machine machine;
    std::uint32_t tag = 0;

    explicit Bench(const Arguments& controller = {}, const Arguments& module = {},
                   const Arguments& sender = {}, QueueKind kind = QueueKind::fast)
        : machine(1, kind) {
        machine.carry_contents();
        machine.add("sender", "test_ohm.Sender", sender);
        Arguments c {{"controllers", "1"}, {"dram", "16KiB"}};
        c.insert(c.end(), controller.begin(), controller.end());
        machine.add("controller", "ohm.PlanarController", c);
        machine.bind("sender", "mem_side", "controller", "cpu_side");
        const bool swaps =
            machine.get<ohm::PlanarController>("controller").params.swap.swap_function();
        for (const char* m : {"0", "1"}) {
            const std::string path = std::string("module") + m;
            const std::string of = std::string("[") + m + "]";
            Arguments a {{"capacity", "64KiB"}};
            if (swaps) a.push_back({"swaps", "4"});
            a.insert(a.end(), module.begin(), module.end());
            machine.add(path, "ohm.XpointModule", a);
            machine.bind("controller", "commands" + of, path, "commands");
            machine.bind("controller", "transfers" + of, path, "transfers");
            if (swaps) machine.bind("controller", "sequences" + of, path, "dram[0]");
        }
        machine.build();
    }
    ohm::PlanarController& controller() { return machine.get<ohm::PlanarController>("controller"); }
    ohm::XpointModule& module(unsigned i) {
        return machine.get<ohm::XpointModule>("module" + std::to_string(i));
    }
    Sender& sender() { return machine.get<Sender>("sender"); }

    /// Returns the tag.
    std::uint32_t send(Tick at, std::uint64_t address, protocol::Command command,
                       std::uint32_t bytes = 128, bool posted = false) {
        protocol::MemRequest r;
        r.address = address, r.bytes = bytes, r.command = command, r.posted = posted;
        r.tag = tag;
        sender().state.script.push({at, r});
        return tag++;
    }
    std::uint32_t read(Tick at, std::uint64_t address, std::uint32_t bytes = 128) {
        return send(at, address, protocol::Command::read, bytes);
    }
    std::uint32_t write(Tick at, std::uint64_t address, bool posted = false) {
        return send(at, address, protocol::Command::write, 128, posted);
    }
    /// The address of a place: slot 0 begins in DRAM.
    std::uint64_t at(std::uint64_t group, std::uint64_t slot, std::uint32_t offset = 0) {
        return controller().placement().address_of({0, group, slot, offset});
    }
    /// From sending to the answer's arrival.
    Tick latency(std::uint32_t t, Tick sent) { return sender().when(t) - sent; }

    /// To its end, which must be a clean one.
    std::vector<std::string> run_to_end() {
        machine.start();
        return finish();
    }
    std::vector<std::string> finish() {
        std::vector<std::string> wrong = machine.imbalances();
        if (machine.run(never) != Stop::idle) wrong.push_back("it did not come to its end");
        wrong = machine.imbalances();
        if (machine.pending()) wrong = machine.wait_report();
        return wrong;
    }

    std::string digest() {
        struct Sink : StatSink {
            void stat(const std::string&, const std::string&, const Stat&,
                      std::string_view) override {}
            void integer(std::string_view, Int128, Unit) override {}
            void derived(std::string_view, double, Unit) override {}
            void bucket(std::uint64_t, std::uint64_t, std::uint64_t) override {}
        } sink;
        machine.dump("end", sink);
        return machine.digest();
    }
};

template <class Total>
inline std::uint64_t value(const Total& c) {
    return static_cast<std::uint64_t>(c.value());
}

} // namespace memsim::test_ohm
