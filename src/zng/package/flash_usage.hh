#pragma once

#include <cstdint>

namespace memsim::zng::package {

/// What the flash of a package holds. Each page is valid, invalid or erased. All pages of the data
/// blocks of the start hold data then; a page that is moved is valid again once it is programmed.
struct FlashUsage {
    std::uint64_t free_blocks = 0;
    std::uint64_t valid_pages = 0, invalid_pages = 0, erased_pages = 0;
};

} // namespace memsim::zng::package
