#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace memsim::parts {

/// Which line of a full set makes room: the one used longest ago, or the one filled longest ago.
enum class Replacement : std::uint8_t { lru, fifo };
constexpr std::array<std::string_view, 2> names_of(Replacement) { return {"lru", "fifo"}; }

} // namespace memsim::parts
