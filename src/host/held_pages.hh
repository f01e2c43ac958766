#pragma once

#include "core/base/bits.hh"
#include "core/state/hash_map.hh"
#include "device_parts/page_prefetcher.hh"

namespace memsim::host {

using device_parts::PageName;

/// The pages that a device was asked to hold and has not given up. Claims are counted, because a
/// page may be claimed again before its eviction is known. A value for State.
class HeldPages {
  public:
    static constexpr std::string_view archived_as = "HeldPages";
    template <class Archive>
    void archive(Archive& a) {
        a(claims_);
    }
    void claimed(const PageName& p) { ++claims_[key(p)]; }
    void evicted(const PageName& p) {
        std::uint32_t* const claims = claims_.find(key(p));
        MEMSIM_ASSERT(claims, "a page is evicted that was not held");
        if (--*claims == 0) claims_.erase(key(p));
    }
    bool holds(const PageName& p) const { return claims_.find(key(p)); }

    static std::uint64_t key(const PageName& p) {
        return std::uint64_t {p.application} << 48 | p.page;
    }
    static PageName named(std::uint64_t key) {
        return {key & low_bits(48), static_cast<std::uint16_t>(key >> 48)};
    }

  private:
    HashMap<std::uint32_t> claims_;
};

} // namespace memsim::host
