#pragma once

#include "protocol/flash.hh"

namespace memsim::protocol {

/// A flash device requests that its host rewrites a block: reads have disturbed its cells.
struct BlockRefresh {
    FlashPlace place;          ///< of the block's first page, in its channel
    std::uint16_t channel = 0; ///< of the device
    std::uint64_t senses = 0;  ///< of the block since its last erase

    static constexpr std::uint32_t largest_wire_bytes = 16;
};

} // namespace memsim::protocol
