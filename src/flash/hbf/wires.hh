#pragma once

#include "core/base/clock.hh"
#include "core/declare/stats.hh"
#include "protocol/mem.hh"

#include <vector>

namespace memsim::flash {

/// Bytes of a host read on the wires of a stack: blocks of 64 bytes.
inline constexpr std::uint32_t hbf_block = 64;

/// What a read moves: the 64-byte blocks that its sectors touch.
inline std::uint32_t moved_bytes(const protocol::MemRequest& r) {
    if (r.sectors == 0)
        return static_cast<std::uint32_t>((r.address + r.bytes - 1) / hbf_block -
                                          r.address / hbf_block + 1) *
               hbf_block;
    std::uint32_t blocks = 0;
    std::uint64_t last = ~std::uint64_t {0};
    for_each_sector(r, [&](std::uint64_t sector, std::uint32_t) {
        const std::uint64_t block = sector * protocol::sector_bytes / hbf_block;
        blocks += block != last;
        last = block;
    });
    return blocks * hbf_block;
}

struct HbfWireStats {
    using group = void;
    Counter wire_bytes {Unit::byte, "Bytes on the wires, both directions"};
    Counter wire_energy {Unit::energy, "Energy of what the wires moved"};
};

/// The wires of all channels: to the host, then from it. Plain values for State.
struct HbfWiresState {
    std::vector<SerialWire> to_host, from_host; ///< by channel
};

/// A part: transfers take the wires in the order of their reservation.
class HbfWires {
  public:
    HbfWires(Rate rate, Energy of_bit, std::uint32_t channels, HbfWireStats& stats,
             HbfWiresState& state)
        : time_(rate), of_bit_(of_bit), stats_(stats), state_(state) {
        state.to_host.resize(channels);
        state.from_host.resize(channels);
    }
    /// Takes a channel's wires as soon as they are free; returns when the last byte has left.
    Tick to_host(std::uint32_t channel, std::uint32_t bytes, Tick now) {
        return reserve(state_.to_host[channel], bytes, now);
    }
    Tick from_host(std::uint32_t channel, std::uint32_t bytes, Tick now) {
        return reserve(state_.from_host[channel], bytes, now);
    }
    void check_loaded(Loader& l) const {
        for (const auto* all : {&state_.to_host, &state_.from_host})
            for (const SerialWire& w : *all)
                l.index("wires.remainder", static_cast<std::uint64_t>(w.remainder),
                        static_cast<std::uint64_t>(time_.rate()));
    }

  private:
    Tick reserve(SerialWire& wire, std::uint32_t bytes, Tick now) {
        stats_.wire_bytes += bytes;
        stats_.wire_energy += std::uint64_t {8} * bytes * static_cast<std::uint64_t>(of_bit_.raw);
        return wire.transfer(time_, bytes, now);
    }

    WireTime time_;
    Energy of_bit_;
    HbfWireStats& stats_;
    HbfWiresState& state_;
};

} // namespace memsim::flash
