#pragma once

#include "device_parts/residency.hh"
#include "gpu/mmu/page_map.hh"
#include "protocol/translation.hh"

namespace memsim::gpu {

struct EvictionParams {
    using group = void;
    Param<PolicyName<device_parts::PagePolicy>> eviction {
        "lru",
        "Policy that selects the page to evict when device memory is full; a use is a "
        "translation request, because the MMU does not see hits of L1 TLBs",
        usual_policy()};
};

struct EvictionStats {
    using group = void;
    Counter evictions {Unit::count, "Pages evicted by another page"};
    Counter dirty_evictions {Unit::count, "Evicted pages that had been written to"};
    Counter unused_prefetches {Unit::count,
                               "Evicted pages that were prefetched and never requested"};
};

/// The pages in device memory that a host has transferred, by frame number. A value for State.
class DevicePages {
  public:
    static constexpr std::string_view archived_as = "DevicePages";
    template <class Archive>
    void archive(Archive& a) {
        a(policy_), a(resident_);
    }

    void init(const Component& owner, const EvictionParams& p, const PlacementParams& pages) {
        policy_.make(p.eviction, owner, "eviction");
        resident_.resize(pages.frames(), *policy_);
        first_ = pages.first_frame();
    }
    std::optional<std::uint64_t> find(std::uint64_t key) const {
        const std::uint32_t f = resident_.find(key);
        if (f == device_parts::Residency::none || !resident_[f].here) return {};
        return first_ + f;
    }
    void use(std::uint64_t frame, bool write) { resident_.use(number(frame), write); }
    bool dirty(std::uint64_t frame) const { return resident_[number(frame)].dirty; }
    /// The page has arrived in the frame claimed for it.
    void arrive(std::uint64_t frame) { resident_.arrive(number(frame)); }

    /// Assigns a frame to a page that the host transfers. Returns false if all frames await a page.
    /// A page that is already present was prefetched during its fault; it stays until the fault is
    /// answered.
    bool claim(std::uint64_t key, bool prefetch, protocol::PageOrderReply& reply,
               EvictionStats& stat) {
        const std::uint32_t here = resident_.find(key);
        if (here != device_parts::Residency::none) {
            MEMSIM_ASSERT(resident_[here].here, "a page is claimed whose transfer is in progress");
            resident_.pin(here);
            reply.frame = first_ + here;
            reply.present = true;
            return true;
        }
        const auto c = resident_.claim(key, prefetch ? device_parts::AskedBy::prefetch
                                                     : device_parts::AskedBy::demand);
        if (c.frame == device_parts::Residency::none) return false;
        reply.frame = first_ + c.frame;
        if (!c.evicts) return true;
        reply.evicted = true;
        reply.dirty = c.victim.dirty;
        reply.owner = application_of(c.victim.key);
        reply.page = page_of(c.victim.key);
        ++stat.evictions;
        stat.dirty_evictions += c.victim.dirty;
        stat.unused_prefetches +=
            c.victim.asked == device_parts::AskedBy::prefetch && !c.victim.used;
        return true;
    }
    void check_loaded(Loader& l, const PlacementParams& pages) const {
        resident_.for_each([&](const device_parts::ResidentPage& p) {
            pages.check_key(l, "resident.key", p.key);
        });
    }

  private:
    /// The index of the frame in resident_.
    std::uint32_t number(std::uint64_t frame) const {
        return static_cast<std::uint32_t>(frame - first_);
    }

    Policy<device_parts::PagePolicy> policy_;
    device_parts::Residency resident_;
    std::uint64_t first_ = 0; ///< first frame
};

} // namespace memsim::gpu
