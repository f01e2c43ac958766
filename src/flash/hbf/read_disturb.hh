#pragma once

#include "core/state/fifo.hh"
#include "core/state/hash_map.hh"

#include <cstdint>

namespace memsim::flash {

/// Senses of each block since its last erase, and blocks whose refresh is due. A value for State.
struct ReadDisturb {
    HashMap<std::uint64_t> senses; ///< by number of the block
    Fifo<std::uint64_t> due;       ///< blocks that have not been reported

    /// The block was sensed `times` times; true if the count has reached a multiple of `limit`.
    bool sense(std::uint64_t block, std::uint64_t times, std::uint64_t limit) {
        std::uint64_t& n = senses[block];
        const std::uint64_t before = n / limit;
        n += times;
        return n / limit != before;
    }
    void erase(std::uint64_t block) { senses.erase(block); }
};

} // namespace memsim::flash
