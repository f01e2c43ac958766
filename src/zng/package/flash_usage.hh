#pragma once

#include <cstdint>

namespace memsim::zng::package {

/// Counts of blocks and pages of a package. Each page is valid, invalid or erased. Initially, all
/// pages of data blocks are valid. A moved page is valid again once it is programmed.
struct FlashUsage {
    std::uint64_t free_blocks = 0;
    std::uint64_t valid_pages = 0, invalid_pages = 0, erased_pages = 0;
};

} // namespace memsim::zng::package
