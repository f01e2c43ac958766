#pragma once

#include "gpu/mmu/mmu.hh"
#include "support.hh"
#include "zng/ftl/flash_controller.hh"
#include "zng/ftl/garbage_collector.hh"
#include "zng/package/package.hh"

/// ZnG's way from virtual addresses to flash pages, made small: wanderers, TLBs, MMU with its
/// table, L2 slices, gates, controllers, packages, and the garbage collector.
namespace memsim::test_zng {

/// Random reads, writes and atomics of one application's virtual blocks.
class Wanderer final : public Model<Wanderer> {
  public:
    struct Params {
        Param<unsigned> application {0, "Its address space"};
        Param<unsigned> count {1000, "Requests"};
        Param<unsigned> first {0, "Its first line"};
        Param<unsigned> lines {1000, "Lines from there on, one in `stride`"};
        Param<unsigned> stride {1, "Lines from one that it uses to the next"};
        Param<unsigned> writes {50, "Per cent of requests"};
        Param<unsigned> atomics {5, "Per cent"};
        Param<Time> gap {200_ns, "Longest pause between two"};
    };
    struct Ports {
        Requester<protocol::Mem> mem {{.depth = [](const void*) { return 32u; }}, "To the TLB"};
    };
    struct Stats {
        Counter answered {Unit::count, "Answers"};
        Counter last {Unit::time, "When the last one came"};
    };
    struct State {
        std::uint32_t sent = 0, out = 0;
        Tick ready_at = 1;
        Rng random;
        Timer next;
    };
    explicit Wanderer(const Params& p) : params(p) {}
    void start() override { arm(state.next, state.ready_at); }
    void wake() override;
    bool pending() const override { return state.sent < params.count || state.out > 0; }
    const Params params;
    Ports port;
    Stats stat;
    State state;
};

/// Passes requests on to a flash controller and looks at each: its address must be that of a block
/// that its application has now, or had when the merge in progress began.
class Gate final : public Model<Gate>, public Functional {
  public:
    struct Params {
        Param<unsigned> applications {2, "Address spaces"};
        Param<unsigned> blocks {16, "Of each"};
        Param<Bytes> block {48_KiB, "Size of one"};
    };
    struct Ports {
        Responder<protocol::Mem> above {{.depth = [](const void*) { return 16u; }}, "Slices"};
        Requester<protocol::Mem> below {{.depth = [](const void*) { return 16u; }}, "Controller"};
    };
    struct Stats {
        Counter passed {Unit::count, "Requests"};
        Counter astray {Unit::count, "To blocks that are not their application's"};
    };
    struct State {};
    explicit Gate(const Params& p) : params(p) {}
    void wake() override;
    void functional(const PortBase&, FunctionalAccess& access) override {
        look_through(port.below, access);
    }
    /// Bound by the test: responses are the test's, not the machine's.
    void ask(const gpu::Mmu& mmu) { mmu_ = &mmu; }
    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    const gpu::Mmu* mmu_ = nullptr;
};

struct Ftl {
    unsigned wanderers = 2; ///< each of the application of its number
    unsigned slices = 2, controllers = 2, packages = 2;
    unsigned blocks = 40;  ///< of a plane
    unsigned pages = 12;   ///< of one
    unsigned span = 1;     ///< planes of a mapped block
    bool across = false;   ///< which are of all packages
    bool assist = false;   ///< an SM that runs scripts() runs the helper thread
    bool redirect = false; ///< a read-only L2, whose ways thrashing controllers pin for writes
    bool gates = true;     ///< not where machines are saved, since they ask the MMU past all links
    const char* driver = "test_zng.Wanderer"; ///< or test.DataDriver, with parameters of its own
    Arguments wanderer {}, package {}, controller {}, collector {}, mmu {}, l2 {};
    Arguments second {}; ///< of wanderer[1], over `wanderer`

    /// Mapped blocks of each application: 16 flash blocks.
    unsigned blocks_each() const { return 16 / span; }
    Arguments geometry() const {
        return {{"dies", "2"},
                {"planes", "2"},
                {"blocks", std::to_string(blocks)},
                {"pages", std::to_string(pages)}};
    }
    void add(Machine& m) const;
    /// Bound to the components built.
    void look(Machine& m) const;
};

} // namespace memsim::test_zng
