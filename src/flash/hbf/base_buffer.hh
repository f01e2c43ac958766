#pragma once

#include "core/state/hash_map.hh"

#include <cstdint>
#include <vector>

namespace memsim::flash {

/// The SRAM of a stack's base die: pages that were sensed last, first in, first out (the
/// latency-hiding buffer of H3, IEEE CAL 2026). A value for State.
class HbfBaseBuffer {
  public:
    static constexpr std::string_view archived_as = "HbfBaseBuffer";
    template <class Archive>
    void archive(Archive& a) {
        a(places_), a(pages_), a(next_);
    }
    void check_loaded(Loader& l) const {
        if (!pages_.empty()) l.index("base.next", next_, pages_.size());
        l.check(places_.all([&](std::uint64_t, std::uint32_t p) { return p < pages_.size(); }),
                "has a page in a place that it does not have");
    }

    void resize(std::uint32_t pages) { pages_.assign(pages, none); }
    bool has(std::uint64_t page) const { return places_.find(page); }
    void insert(std::uint64_t page) {
        if (pages_.empty() || has(page)) return;
        if (pages_[next_] != none) places_.erase(pages_[next_]);
        pages_[next_] = page;
        places_[page] = next_;
        next_ = (next_ + 1) % static_cast<std::uint32_t>(pages_.size());
    }
    void forget(std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t page = first; page < first + count && !places_.empty(); ++page)
            if (const std::uint32_t* const place = places_.find(page)) {
                pages_[*place] = none;
                places_.erase(page);
            }
    }

  private:
    static constexpr std::uint64_t none = ~std::uint64_t {0};
    HashMap<std::uint32_t> places_; ///< of pages
    std::vector<std::uint64_t> pages_;
    std::uint32_t next_ = 0; ///< place that is replaced next
};

} // namespace memsim::flash
