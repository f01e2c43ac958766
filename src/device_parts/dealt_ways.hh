#pragma once

#include <cstdint>
#include <vector>

namespace memsim::device_parts {

/// The ways of the chunks of `rounds` rounds, dealt like shuffled cards: each way gets as many
/// chunks as another one, in a random order. The loads of the ways therefore differ over a short
/// range of addresses, as those of a GPU's channels do, and agree over a long one. A chunk's
/// position is the number of chunks before it that its way has.
class DealtWays {
  public:
    /// With fewer rounds the loads of ways differ less, and with 16 hardly for a stream that has
    /// 2 MB on its way. Inferred from NVIDIA's chips (python/memsim/systems/nvidia_parts.py,
    /// HASHED).
    static constexpr std::uint64_t rounds = 256;

    /// The table of this number of ways, which all users share.
    static const DealtWays& of(std::uint32_t ways);

    explicit DealtWays(std::uint32_t ways);
    std::uint64_t chunks() const { return way_.size(); }
    std::uint32_t way(std::uint64_t chunk) const { return way_[chunk]; }
    std::uint32_t position(std::uint64_t chunk) const { return position_[chunk]; }
    std::uint32_t chunk(std::uint64_t way, std::uint64_t position) const {
        return chunk_[way * rounds + position];
    }

  private:
    std::vector<std::uint16_t> way_, position_; ///< of each chunk
    std::vector<std::uint32_t> chunk_;          ///< of each way and position
};

} // namespace memsim::device_parts
