#pragma once

#include <cstdint>
#include <vector>

namespace memsim::device_parts {

/// The ways of the chunks of several rounds over all ways, dealt like shuffled cards: each way gets
/// as many chunks as another one, in a random order. The loads of the ways therefore differ over a
/// short range of addresses, as those of a GPU's channels do, and agree over a long one. One round
/// is not shuffled. A chunk's position is the number of chunks before it that its way has.
class DealtWays {
  public:
    /// The table of these numbers, which all users share.
    static const DealtWays& of(std::uint32_t ways, std::uint32_t rounds);

    DealtWays(std::uint32_t ways, std::uint32_t rounds);
    std::uint64_t chunks() const { return way_.size(); }
    std::uint32_t way(std::uint64_t chunk) const { return way_[chunk]; }
    std::uint32_t position(std::uint64_t chunk) const { return position_[chunk]; }
    std::uint32_t chunk(std::uint64_t way, std::uint64_t position) const {
        return chunk_[way * rounds_ + position];
    }

  private:
    std::uint32_t rounds_;
    std::vector<std::uint16_t> way_, position_; ///< of each chunk
    std::vector<std::uint32_t> chunk_;          ///< of each way and position
};

} // namespace memsim::device_parts
