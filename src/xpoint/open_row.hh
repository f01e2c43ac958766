#pragma once

#include <cstdint>

namespace memsim::xpoint {

/// The row that a partition keeps open, and which of its lines were written since it was opened: a
/// bit each. A value for State.
struct OpenRow {
    static constexpr std::uint64_t none = ~std::uint64_t {0};
    std::uint64_t row = none;
    std::uint64_t dirty = 0;
};

} // namespace memsim::xpoint
