#pragma once

#include <bit>
#include <cstdint>

namespace memsim::device_parts {

/// Calls f for every set bit, lowest first.
template <class F>
void for_each_bit(std::uint64_t set, F&& f) {
    for (; set; set &= set - 1) f(static_cast<std::uint32_t>(std::countr_zero(set)));
}

} // namespace memsim::device_parts
