#pragma once

#include <cstdint>

namespace memsim::xpoint {

/// The open row of a partition, and a mask of its lines written since it was opened. A value for
/// State.
struct OpenRow {
    static constexpr std::uint64_t none = ~std::uint64_t {0};
    std::uint64_t row = none;
    std::uint64_t dirty = 0;
};

} // namespace memsim::xpoint
