#pragma once

#include "core/machine/machine.hh"
#include "ohm/channel/xpoint_module.hh"
#include "ohm/two_level/controller.hh"
#include "sender.hh"

namespace memsim::test_ohm {

using Clean = std::vector<std::string>;

/// A sender, one controller with 32 lines of 128 bytes and two XPoint modules, 8 times as large.
struct TwoLevel {
    Machine machine {1};
    std::uint32_t tag = 0;

    explicit TwoLevel(const Arguments& controller = {}, const Arguments& module = {}) {
        machine.carry_contents();
        machine.add("sender", "test_ohm.Sender", {{"outstanding", "64"}});
        Arguments c {{"controllers", "1"}, {"dram", "4KiB"}, {"ratio", "8"}};
        c.insert(c.end(), controller.begin(), controller.end());
        machine.add("controller", "ohm.TwoLevelController", c);
        machine.bind("sender", "mem_side", "controller", "cpu_side");
        for (const char* m : {"0", "1"}) {
            const std::string path = std::string("module") + m;
            const std::string of = std::string("[") + m + "]";
            Arguments a {{"capacity", "16KiB"}};
            a.insert(a.end(), module.begin(), module.end());
            machine.add(path, "ohm.XpointModule", a);
            machine.bind("controller", "commands" + of, path, "commands");
            machine.bind("controller", "transfers" + of, path, "transfers");
        }
        machine.build();
    }
    const ohm::TwoLevelController& controller() {
        return machine.get<ohm::TwoLevelController>("controller");
    }
    const ohm::XpointModule& module(unsigned i) {
        return machine.get<ohm::XpointModule>("module" + std::to_string(i));
    }
    Sender& sender() { return machine.get<Sender>("sender"); }
    std::uint32_t send(Tick at, std::uint64_t address, protocol::Command command,
                       std::uint32_t bytes = 128, bool posted = false) {
        protocol::MemRequest r;
        r.address = address, r.bytes = bytes, r.command = command, r.tag = tag, r.posted = posted;
        sender().state.script.push({at, r});
        return tag++;
    }
    Tick latency(std::uint32_t t, Tick sent) { return sender().when(t) - sent; }
    Clean run_to_end() {
        machine.start();
        if (machine.run(never) != Stop::idle) return {"it did not come to its end"};
        return machine.pending() ? machine.wait_report() : machine.imbalances();
    }
};

inline constexpr std::uint64_t cache = 4096; ///< addresses so far apart share a set

/// The differences between the platforms of two-level mode.
inline const std::vector<Arguments>& two_level_platforms() {
    static const std::vector<Arguments> all {
        {},
        {{"auto_rw", "true"}},
        {{"auto_rw", "true"}, {"reverse_write", "true"}},
        {{"migration_channel", "dedicated"}},
        {{"auto_rw", "true"}, {"migration_channel", "dedicated"}},
        {{"reverse_write", "true"}, {"reverse_hold", "nothing"}},
        {{"auto_rw", "true"}, {"reverse_write", "true"}, {"reverse_hold", "channel"}},
    };
    return all;
}

} // namespace memsim::test_ohm
