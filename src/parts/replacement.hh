#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace memsim::parts {

/// Which line of a full set makes room: the one used longest ago, the one filled longest ago, or
/// any.
enum class Replacement : std::uint8_t { lru, fifo, random };
constexpr std::array<std::string_view, 3> names_of(Replacement) {
    return {"lru", "fifo", "random"};
}

} // namespace memsim::parts
