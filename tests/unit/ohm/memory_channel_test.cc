#include "ohm/channel/memory_channel.hh"

#include "core/kernel/component.hh"

#include <catch2/catch.hpp>

namespace memsim::memory_channel_test {

using namespace memsim::ohm;
using mem::DramWires;

namespace {

struct Wires {
    ChannelParams params;
    ChannelStats stats;
    ChannelState state;
    std::optional<MemoryChannel> channel;

    explicit Wires(bool memory_route) {
        channel.emplace(params, stats, state, memory_route);
        channel->init("controller", 1);
    }
    Tick book(std::uint32_t module, bool towards_module, DramWires wires) {
        return channel->book(module, 128, towards_module, true, 0, wires);
    }
};

constexpr Tick line = 2'133'333; ///< 128 bytes at 60 GB/s, 2133333.3 fs

} // namespace

TEST_CASE("the side bus carries a line while the channel does, each with its own turnaround",
          "[ohm]") {
    Wires w(true);
    const Tick lead = w.params.grant_latency->raw, turn = w.params.turnaround->raw;
    const Tick first = w.book(0, false, DramWires::data);
    CHECK(first == lead + line);
    CHECK(w.book(0, false, DramWires::side) == lead + line);
    const Tick second = w.book(0, true, DramWires::side); // the other direction
    CHECK(second == lead + line + turn + line);
    CHECK(w.channel->free_at() == first);
    CHECK(w.channel->free_at(DramWires::side) == second);
    CHECK(w.stats.migration_bytes.value() == 128);
    CHECK(w.stats.side_bytes.value() == 256);
    CHECK(w.stats.channel_time.value() == static_cast<Uint128>(line));
    CHECK(w.stats.side_time.value() == static_cast<Uint128>(2 * line));
    CHECK(w.channel->imbalance() == std::nullopt);
}

TEST_CASE("each bus of a memory channel has its own balance", "[ohm]") {
    for (auto lost : {&ChannelState::data, &ChannelState::beside}) {
        Wires w(true);
        w.book(0, false, DramWires::data);
        w.book(1, true, DramWires::side);
        CHECK(w.channel->imbalance() == std::nullopt);
        (w.state.*lost).bytes -= 32;
        CHECK(w.channel->imbalance() != std::nullopt);
    }
}

TEST_CASE("data in the DRAM's register uses no channel time", "[ohm]") {
    Wires w(false);
    mem::DramAccess a = w.channel->dram_access(0, 128);
    a.write = true;
    a.wires = DramWires::none;
    w.channel->enqueue(a, true, 0);
    while (w.channel->dram().next_action() != never)
        w.channel->dram().run(w.channel->dram().next_action());
    CHECK(w.channel->dram().pop_done().write);
    CHECK(w.channel->free_at() == 0);
    CHECK(w.stats.migration_bytes.value() == 0);
    CHECK(w.stats.dram_bytes.value() == 0);
    CHECK(w.channel->imbalance() == std::nullopt);
}

} // namespace memsim::memory_channel_test
