#pragma once

#include "core/state/hash_map.hh"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace memsim::device_parts {

/// Selects the pages to transfer together with faulted ones, like NVIDIA's open driver: each region
/// of an address space (2 MiB) is a binary tree over blocks (64 KiB). A fault requests its whole
/// block, then the largest subtree around it of which more than `share` per cent is on the device
/// or requested. A value for State.
class DensityTrees {
  public:
    static constexpr std::string_view archived_as = "DensityTrees";
    template <class Archive>
    void archive(Archive& a) {
        a(regions_);
        if constexpr (Loading<Archive>)
            a.check(regions_.all([&](std::uint64_t, const Pages& p) {
                return region_ == 0 || p.size() == region_;
            }),
                    "has regions of another size");
    }

    /// Requires: powers of two, in pages; a block is no larger than a region. An address space, and
    /// with it its last region, ends at `pages`.
    void resize(std::uint64_t block, std::uint64_t region, std::uint64_t pages, unsigned share) {
        block_ = block, region_ = region, pages_ = pages, share_ = share;
    }

    /// The device was asked to hold a page, or to evict one. Both are reported in separate orders,
    /// so a page may be claimed again before its eviction is reported.
    void claimed(std::uint16_t application, std::uint64_t page) { ++at(application, page); }
    void evicted(std::uint16_t application, std::uint64_t page) {
        MEMSIM_ASSERT(holds(application, page), "a page is evicted that was not present");
        --at(application, page);
    }
    bool holds(std::uint16_t application, std::uint64_t page) const {
        const Pages* p = regions_.find(key(application, page));
        return p && (*p)[page % region_] & count;
    }

    /// First, fault() is called for each page of a batch of faults;
    void fault(std::uint16_t application, std::uint64_t page) {
        faults_.push_back({page, application});
        at(application, page) |= asked;
        const std::uint64_t first = page / block_ * block_, end = std::min(first + block_, pages_);
        for (std::uint64_t p = first; p < end; ++p) at(application, p) |= wanted;
    }
    /// then expand() calls bring(application, page) for all pages to transfer with them: fault by
    /// fault, by ascending page, each once.
    template <class Bring>
    void expand(Bring&& bring) {
        for (const Fault& f : faults_) {
            const Range r = around(f.application, f.page);
            for (std::uint64_t p = r.first; p < r.end; ++p) {
                std::uint8_t& page = at(f.application, p);
                if (page & (count | asked)) continue;
                page |= asked;
                bring(f.application, p);
            }
        }
        for (const Fault& f : faults_)
            for (std::uint8_t& page : regions_[key(f.application, f.page)]) page &= count;
        faults_.clear();
    }

  private:
    static constexpr std::uint8_t count = 0x3f; ///< claims without an eviction
    static constexpr std::uint8_t wanted = 0x40, asked = 0x80;
    using Pages = std::vector<std::uint8_t>; ///< of one region
    struct Range {
        std::uint64_t first, end;
    };
    struct Fault {
        std::uint64_t page;
        std::uint16_t application;
    };

    std::uint64_t key(std::uint16_t application, std::uint64_t page) const {
        return std::uint64_t {application} << 48 | page / region_;
    }
    std::uint8_t& at(std::uint16_t application, std::uint64_t page) {
        Pages& p = regions_[key(application, page)];
        p.resize(region_);
        return p[page % region_];
    }
    Range around(std::uint16_t application, std::uint64_t page) {
        const Pages& pages = regions_[key(application, page)];
        const std::uint64_t base = page / region_ * region_;
        Range best {};
        for (std::uint64_t size = block_; size <= region_; size *= 2) {
            const std::uint64_t first = page / size * size, end = std::min(first + size, pages_);
            std::uint64_t here = 0;
            for (std::uint64_t p = first; p < end; ++p) here += pages[p - base] != 0;
            if (size == block_ || here * 100 > (end - first) * share_) best = {first, end};
        }
        return best;
    }

    HashMap<Pages> regions_;    ///< that were ever requested
    std::vector<Fault> faults_; ///< between fault() and expand(); empty otherwise
    std::uint64_t block_ = 0, region_ = 0, pages_ = 0;
    unsigned share_ = 50;
};

} // namespace memsim::device_parts
