#pragma once

#include "device_parts/unit_record.hh"
#include "host/held_pages.hh"
#include "protocol/mem.hh"

#include <algorithm>

namespace memsim::host {

/// Pages named by hints, until the next batch of faults. Each page is recorded once; beyond `most`
/// the oldest is dropped. A value for State.
struct HintedPages {
    device_parts::UnitRecord keys; ///< HeldPages::key() of each page

    /// `end`: number of pages of an address space.
    void add(const protocol::MemRequest& hint, std::uint64_t page_bytes, std::uint64_t end,
             std::uint32_t most) {
        const std::uint64_t behind = (hint.address + hint.bytes + page_bytes - 1) / page_bytes;
        for (std::uint64_t p = hint.address / page_bytes; p < std::min(behind, end); ++p)
            keys.add(HeldPages::key({p, hint.application}), most);
    }
    /// Appends the pages to those transferred with a batch, except pages that are already included.
    void join(const std::vector<PageName>& faults, std::vector<PageName>& with_them) {
        if (keys.empty()) return;
        const auto prefetched = static_cast<std::ptrdiff_t>(with_them.size());
        keys.take_all([&](std::uint64_t key) {
            const PageName page = HeldPages::named(key);
            const auto first = with_them.begin(), last = first + prefetched;
            if (std::find(first, last, page) == last && !std::ranges::count(faults, page))
                with_them.push_back(page);
        });
    }
};

} // namespace memsim::host
