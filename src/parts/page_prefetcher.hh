#pragma once

#include "core/kernel/policy.hh"

#include <cstdint>
#include <vector>

namespace memsim::parts {

/// A page of an application's address space.
struct PageName {
    std::uint64_t page = 0;
    std::uint16_t application = 0;
    bool operator==(const PageName&) const = default;
};

/// Decides which pages come to a memory beside those that are missed: those that a host brings to a
/// device, units that a DRAM brings from a drive. It hears which pages the memory has been asked to
/// hold and which it gave up.
class PagePrefetcher : public PolicyBase {
  public:
    static constexpr std::string_view family = "page prefetcher";

    /// Once, before it is used: bytes of a page, and pages of an address space (at least one).
    virtual void resize(std::uint64_t page_bytes, std::uint64_t pages) = 0;
    /// False: it never asks for a page, and need not be told of any.
    virtual bool prefetches() const { return true; }
    /// The memory has been asked to hold a page, or was told to make room. A host tells both in an
    /// order of their own, so that a page may be claimed again before it is known to have gone.
    virtual void claimed(const PageName& page) = 0;
    virtual void evicted(const PageName& page) = 0;
    /// The pages of a batch of misses. Appends those to be brought with them, each once and none of
    /// the batch. Whoever asks leaves out those that are there.
    virtual void bring(const std::vector<PageName>& misses, std::vector<PageName>& with_them) = 0;
};

} // namespace memsim::parts
