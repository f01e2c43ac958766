#pragma once

#include "core/state/hash_map.hh"
#include "device_parts/named.hh"
#include "device_parts/page_policy.hh"

namespace memsim::device_parts {

/// The pages that a memory holds, with pins and dirty flags. To transfer a page, the owner calls
/// claim() for a frame, fills it, and calls arrive(). Frames are numbered from 0; host memory is
/// used only for frames that were ever used. A value for State; its policy is a separate value.
class Residency {
  public:
    static constexpr std::uint32_t none = PagePolicy::none;

    static constexpr std::string_view archived_as = "Residency";
    template <class Archive>
    void archive(Archive& a) {
        a(pages_), a(frames_of_);
        if constexpr (Loading<Archive>) {
            a.check(frames_ == 0 || pages_.size() <= frames_,
                    "holds more pages than there are frames");
            a.check(frames_of_.all([&](std::uint64_t key, std::uint32_t f) {
                return f < pages_.size() && pages_[f].key == key;
            }),
                    "has a wrong index of pages");
            if (policy_) policy_->check_frames(a, pages_);
        }
    }

    void resize(std::uint64_t frames, PagePolicy& policy) {
        frames_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(frames, none));
        policy_ = &policy;
        policy.resize(frames_);
    }
    /// Number of frames that were ever claimed.
    std::uint32_t used() const { return static_cast<std::uint32_t>(pages_.size()); }
    /// The frame of a page that is present or being transferred; else none.
    std::uint32_t find(std::uint64_t key) const {
        const std::uint32_t* f = frames_of_.find(key);
        return f ? *f : none;
    }
    ResidentPage& operator[](std::uint32_t frame) { return named(pages_, frame); }
    const ResidentPage& operator[](std::uint32_t frame) const { return named(pages_, frame); }

    struct Claim {
        std::uint32_t frame = none;
        bool evicts = false;
        bool ghost = false; ///< the policy remembers the arriving page
        ResidentPage victim;
    };
    /// Allocates a frame for a page that is not present; the frame is pinned until the page
    /// arrives. Returns none if all are pinned. The victim is removed; the caller handles its
    /// contents.
    Claim claim(std::uint64_t key, AskedBy asked) {
        const ResidentPage page {key, 1, false, false, false, asked};
        Claim c;
        c.ghost = policy_->remembers(key);
        if (pages_.size() < frames_) {
            c.frame = static_cast<std::uint32_t>(pages_.size());
            pages_.emplace_back();
        } else {
            c.frame = policy_->evict(page, pages_);
            if (c.frame == none) return c;
            c.evicts = true;
            c.victim = named(pages_, c.frame);
            frames_of_.erase(c.victim.key);
        }
        pages_[c.frame] = page;
        frames_of_[key] = c.frame;
        return c;
    }
    /// The page claimed for this frame has arrived; for a page that was already present, one pin is
    /// released.
    void arrive(std::uint32_t frame) {
        unpin(frame);
        if (std::exchange(pages_[frame].here, true)) return;
        policy_->insert(frame, pages_[frame]);
    }
    void use(std::uint32_t frame, bool write) {
        ResidentPage& p = named(pages_, frame);
        p.used = true;
        p.dirty |= write;
        policy_->use(frame, p);
    }
    void pin(std::uint32_t frame) { ++named(pages_, frame).pins; }
    void unpin(std::uint32_t frame) {
        MEMSIM_ASSERT(named(pages_, frame).pins, "a page is unpinned that is not pinned");
        --pages_[frame].pins;
    }

    template <class F>
    void for_each(F&& f) const {
        for (const ResidentPage& p : pages_) f(p);
    }

  private:
    ResidentPages pages_;
    HashMap<std::uint32_t> frames_of_; ///< by key
    std::uint32_t frames_ = 0;
    PagePolicy* policy_ = nullptr;
};

} // namespace memsim::device_parts
