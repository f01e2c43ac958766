#pragma once

#include "core/kernel/policy.hh"

#include <cstdint>
#include <vector>

namespace memsim::device_parts {

/// A page of an application's address space.
struct PageName {
    std::uint64_t page = 0;
    std::uint16_t application = 0;
    bool operator==(const PageName&) const = default;
};

/// Selects pages to transfer to a memory together with missed ones: pages that a host transfers to
/// a device, or units that a DRAM reads from a drive. The owner reports which pages the memory was
/// asked to hold and which it evicted.
class PagePrefetcher : public PolicyBase {
  public:
    static constexpr std::string_view family = "page prefetcher";

    /// Called once before use: size of a page, and number of pages of an address space (at least
    /// one).
    virtual void resize(std::uint64_t page_bytes, std::uint64_t pages) = 0;
    /// False if it never requests pages; the owner then need not report any.
    virtual bool prefetches() const { return true; }
    /// The memory was asked to hold a page, or to evict one. A host reports both in its own order,
    /// so a page may be claimed again before its eviction is reported.
    virtual void claimed(const PageName& page) = 0;
    virtual void evicted(const PageName& page) = 0;
    /// Appends the pages to transfer together with a batch of misses, each once, without those of
    /// the batch. The caller skips pages that are already present.
    virtual void bring(const std::vector<PageName>& misses, std::vector<PageName>& with_them) = 0;
};

} // namespace memsim::device_parts
