#pragma once

#include "core/kernel/component.hh"
#include "zng/network/flash_network.hh"

namespace memsim::test_flash {

using namespace memsim::literals;
using zng::FlashPacket;

/// An endpoint of a mesh: sends what the test gave it, then `count` random packets to others; takes
/// packets, each after a pause of up to `pause`; checks that packets of one source arrive in
/// order.
class Node final : public Model<Node> {
  public:
    struct Params {
        Param<unsigned> index {0, "Its number"};
        Param<unsigned> nodes {1, "How many there are"};
        Param<unsigned> count {0, "Random packets to send"};
        Param<Time> pause {0_ns, "Longest pause before a packet is taken"};
        Param<bool> echo {false, "Whether it sends copies of pages back, as a controller does"};
        Param<unsigned> depth {4, {1, 4096}, "Packets waiting or in flight to it"};
    };
    struct Ports {
        Out<FlashPacket> output {{.latency = 1_ns}, "To the mesh"};
        In<FlashPacket> input {{.depth = from<&Params::depth>}, "From it"};
    };
    struct Stats {
        Counter received {Unit::count, "Packets"};
        Counter disordered {Unit::count, "Packets behind a later one of their source"};
    };
    struct Step {
        Tick at = 0;
        FlashPacket packet;
        std::uint32_t byte = 0; ///< the first that is known of a received packet's contents
    };
    struct State {
        Fifo<Step> script;
        Fifo<FlashPacket> copies;
        std::vector<Step> log;
        std::uint32_t sent = 0;
        std::vector<std::uint32_t> seen; ///< the last number, by source
        Tick take_at = 0;
        Rng random;
        Timer next, take;
    };
    explicit Node(const Params& p) : params(p) {}
    void init() override { state.seen.assign(params.nodes, 0); }
    void start() override {
        if (!state.script.empty()) arm(state.next, state.script.front().at);
        if (params.count()) arm(state.next, Tick {1});
    }
    void wake() override;
    bool pending() const override { return state.sent < params.count; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    void take();
    std::uint32_t first_byte(Contents::Id contents);
};

} // namespace memsim::test_flash
