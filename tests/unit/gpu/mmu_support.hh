#pragma once

#include "../core/plan.hh"
#include "../mem/driver.hh"
#include "gpu/mmu/mmu.hh"
#include "gpu/mmu/tlb.hh"

#include <catch2/catch.hpp>

#include <functional>

/// What the tests of TLBs, MMU, PCIe and host share.
namespace memsim::test_mmu {

using namespace memsim::literals;
using protocol::Command;
using protocol::Mem;
using protocol::MemRequest;
using test_mem::arguments;
using test_mem::value;

/// Sends planned page orders and notes when each was done.
class Mover final : public Model<Mover> {
  public:
    struct Params {};
    struct Ports {
        Requester<protocol::PageControl> orders {{.depth = [](const void*) { return 64u; }},
                                                 "To the MMU"};
    };
    struct Stats {};
    struct Done {
        Tick at = 0;
        protocol::PageOrderReply reply;
    };
    struct State {
        test::Plan<protocol::PageOrder> plan;
        std::vector<Done> done;
        Timer next;
    };
    explicit Mover(const Params& p) : params(p) {}
    void start() override { arm(state.next, state.plan.due()); }
    void wake() override;
    protocol::PageOrder& plan(Tick at, protocol::PageOrderKind kind, std::uint64_t page,
                              std::uint64_t frame = 0);

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

/// A memory of fixed latency with several ports that records its requests, and keeps for
/// each address the tag of the last write, as its contents.
class Recorder final : public Model<Recorder> {
  public:
    struct Params {
        Param<unsigned> inputs {1, {1, 64}, "Ports"};
        Param<Time> latency {100_ns, {1_fs, 1_ms}, "To the answer"};
        Param<unsigned> queue {64, {1, 4096}, "Requests in flight to a port"};
    };
    struct Ports {
        Many<Responder<Mem>> cpu_side {
            from<&Params::inputs>,
            {.depth = from<&Params::queue>, .latency = from<&Params::latency>},
            "Requests"};
    };
    struct Stats {};
    struct Seen {
        Tick at = 0;
        std::uint32_t input = 0;
        std::uint64_t content = 0; ///< before it; 0: as it was at the start
        MemRequest request;
    };
    struct State {
        std::vector<Seen> seen;
        HashMap<std::uint64_t> contents;
    };
    explicit Recorder(const Params& p) : params(p) {}
    void wake() override;

    const Params params;
    Ports port;
    Stats stat;
    State state;
};

/// The SMs' side: a driver and a TLB each, in front of one Recorder ('memory'), and an MMU whose
/// walks read 'tables'. The default frame size is 4 KiB.
struct Bench {
    Machine m {7};
    unsigned tlbs;

    Bench(const std::string& tlb = "", const std::string& mmu = "", unsigned n = 1,
          bool mover = false, const std::string& memory = "")
        : tlbs(n) {
        const std::string count = std::to_string(n);
        m.add("mmu", "gpu.Mmu", with(mmu, {{"tlbs", count}}));
        m.add("tables", "test_mmu.Recorder", {{"latency", "200ns"}});
        m.add("memory", "test_mmu.Recorder", with(memory, {{"inputs", count}}));
        m.bind("mmu", "walk_side", "tables", "cpu_side[0]");
        if (mover) {
            m.add("mover", "test_mmu.Mover", {});
            m.bind("mover", "orders", "mmu", "mover_side[0]");
        }
        for (unsigned i = 0; i < n; ++i) add(i, tlb);
    }
    static std::string at(const char* name, unsigned i) {
        return std::string(name) + "[" + std::to_string(i) + "]";
    }
    static Arguments with(const std::string& text, Arguments more) {
        for (auto& a : arguments(text)) more.push_back(a);
        return more;
    }
    void add(unsigned i, const std::string& tlb) {
        m.add(at("driver", i), "test_mem.Driver", {});
        m.add(at("tlb", i), "gpu.Tlb", with(tlb, {{"empties_l1", "false"}}));
        m.bind(at("driver", i), "mem_side", at("tlb", i), "cpu_side");
        m.bind(at("tlb", i), "mem_side", "memory", at("cpu_side", i));
        m.bind(at("tlb", i), "mmu_side", "mmu", at("tlb_side", i));
        m.bind("mmu", at("shootdowns", i), at("tlb", i), "shootdowns");
    }
    test_mem::Driver& driver(unsigned i = 0) { return m.get<test_mem::Driver>(at("driver", i)); }
    gpu::Tlb& tlb(unsigned i = 0) { return m.get<gpu::Tlb>(at("tlb", i)); }
    gpu::Mmu& mmu() { return m.get<gpu::Mmu>("mmu"); }
    Mover& mover() { return m.get<Mover>("mover"); }
    Recorder& memory() { return m.get<Recorder>("memory"); }
    /// Builds, lets `plan` fill the drivers, runs to the end and checks the balances.
    void run(const std::function<void()>& plan) {
        m.build();
        plan();
        m.start();
        m.run(never);
        CHECK_FALSE(m.pending());
        CHECK(m.imbalances() == std::vector<std::string> {});
    }
};

// The way of a request that hits: to the TLB, to the memory, and back.
inline constexpr Tick hit_time = (1_fs + 833'334_fs + 100_ns + 1_fs).raw;
inline constexpr Tick to_mmu_and_back = (10_ns + 10_ns).raw;
inline constexpr Tick walk_read = (1_fs + 200_ns).raw;

} // namespace memsim::test_mmu
