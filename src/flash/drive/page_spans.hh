#pragma once

#include "core/base/bits.hh"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace memsim::flash {

/// Sectors of one logical page, as a mask.
struct PageSpan {
    std::uint32_t lpn = 0;
    std::uint32_t sectors = 0;

    std::uint32_t count() const { return static_cast<std::uint32_t>(std::popcount(sectors)); }
};

/// The part of [sector, sector + sectors) in the page of `sector`. A page has at most 32 sectors.
inline PageSpan first_span(std::uint64_t sector, std::uint64_t sectors,
                           std::uint32_t page_sectors) {
    const auto first = static_cast<std::uint32_t>(sector % page_sectors);
    const auto n =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(sectors, page_sectors - first));
    return {static_cast<std::uint32_t>(sector / page_sectors), low_bits<std::uint32_t>(n) << first};
}

/// Calls f(span) for each page that contains some of these sectors.
template <class F>
void for_each_span(std::uint64_t sector, std::uint64_t sectors, std::uint32_t page_sectors, F&& f) {
    while (sectors) {
        const PageSpan span = first_span(sector, sectors, page_sectors);
        f(span);
        sector += span.count(), sectors -= span.count();
    }
}

} // namespace memsim::flash
