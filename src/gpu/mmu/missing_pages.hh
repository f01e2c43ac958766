#pragma once

#include "device_parts/mshr.hh"
#include "gpu/mmu/page_map.hh"

namespace memsim::gpu {

struct MissingParams {
    using group = void;
    Param<unsigned> walk_buffer {128,
                                 {1, 65536},
                                 "Pages that are walked or wait for a walker",
                                 assumed("four a thread; range 32 to 1024")};
    Param<unsigned> targets {
        64, {1, 4096}, "TLB requests that may wait for one page", queue_places()};
    Param<unsigned> fault_buffer {256,
                                  {1, 65536},
                                  "Maximum number of outstanding page faults",
                                  assumed("a batch of the driver's; range 32 to 1024")};
};

struct MissingStats {
    using group = void;
    Level buffered {Unit::count, "Entries of the walk buffer in use"};
    Level faulting {Unit::count, "Entries of the fault buffer in use"};
};

/// The pages requested by TLBs, each with its waiting requests. A page is in the walk buffer until
/// its walk ends, then in the fault buffer if it is not resident. A value for State.
class MissingPages {
  public:
    struct Waiter {
        std::uint32_t tag = 0;
        std::uint16_t tlb = 0;
    };
    /// queued: waits for a walker thread; walking: has one; held: not resident, but the fault
    /// buffer is full, so it still has its thread; faulting: the fault was sent to the host;
    /// unmapped: waits for a page order that maps it or resumes its application; found: no request
    /// waits.
    enum class Phase : std::uint8_t { found, queued, walking, held, faulting, unmapped };
    struct Page {
        std::uint64_t key = 0;
        Phase phase = Phase::found;
        bool write = false; ///< a request asks for write permission
        std::uint32_t thread = 0;
        Tick since = 0;    ///< start of the walk, then of the fault
        Stamps::Id stamps; ///< of the first request
    };

    static constexpr std::string_view archived_as = "MissingPages";
    template <class Archive>
    void archive(Archive& a) {
        a(waiters_), a(pages_), a(numbers_), a(walking_), a(faulting_);
        if constexpr (Loading<Archive>)
            a.check(numbers_.all([&](std::uint64_t, std::uint32_t i) { return i < pages_.size(); }),
                    "numbers pages that it does not contain");
    }

    void init(const MissingParams& p) {
        waiters_.resize(p.walk_buffer() + p.fault_buffer(), p.targets());
        pages_.resize(p.walk_buffer() + p.fault_buffer());
        walk_buffer_ = p.walk_buffer(), fault_buffer_ = p.fault_buffer();
    }
    std::size_t size() const { return pages_.size(); }
    std::uint32_t waited_for() const { return waiters_.size(); }
    std::uint32_t faulting() const { return faulting_; } ///< entries of the fault buffer in use
    bool may_walk() const { return walking_ < walk_buffer_; }
    bool may_fault() const { return faulting_ < fault_buffer_; }
    /// Whether no entry of either buffer is in use.
    bool empty() const { return walking_ + faulting_ == 0; }
    Page& operator[](std::uint32_t i) { return pages_[i]; }
    const Page& operator[](std::uint32_t i) const { return pages_[i]; }
    /// The page that a message names.
    Page& in_use(std::uint32_t i) {
        MEMSIM_ASSERT(waiters_.in_use(i).line == 0, "a page arrives that no request waits for");
        return pages_[i];
    }
    const std::uint32_t* find(std::uint64_t key) const { return numbers_.find(key); }

    /// Adds a page that was not requested before. Requires: may_walk().
    std::uint32_t add(std::uint64_t key, const Waiter& waiter, bool write, Tick now,
                      MissingStats& stat) {
        const std::uint32_t i = waiters_.allocate(0, now);
        waiters_.add(i, waiter);
        pages_[i] = {key, Phase::queued, write, 0, now, {}};
        numbers_[key] = i;
        stat.buffered.set(now, ++walking_);
        return i;
    }
    /// Returns false if the page has the maximum number of waiting requests.
    bool join(std::uint32_t i, const Waiter& waiter, bool write) {
        if (waiters_.targets_full(i)) return false;
        waiters_.add(i, waiter);
        pages_[i].write |= write;
        return true;
    }
    /// A walk has ended: its page leaves the walk buffer.
    void walked(Tick now, MissingStats& stat) { stat.buffered.set(now, --walking_); }
    /// The page enters the fault buffer. Requires: may_fault().
    void fault(std::uint32_t i, Phase phase, Tick now, MissingStats& stat) {
        pages_[i].since = now;
        pages_[i].phase = phase;
        stat.faulting.set(now, ++faulting_);
    }
    /// Calls tell(waiter) for all waiting requests, and removes the page.
    template <class Tell>
    void complete(std::uint32_t i, Tick now, MissingStats& stat, Tell&& tell) {
        Page& p = pages_[i];
        waiters_.serve(i, [&](const Waiter& waiter) {
            tell(waiter);
            return true;
        });
        faulting_ -= p.phase == Phase::faulting || p.phase == Phase::unmapped;
        stat.faulting.set(now, faulting_);
        p.phase = Phase::found;
        waiters_.release(i);
        numbers_.erase(p.key);
    }
    void check_loaded(Loader& l, const PlacementParams& space, unsigned threads,
                      unsigned tlbs) const {
        for (const Page& p : pages_) {
            space.check_key(l, "missing.key", p.key);
            l.index("missing.thread", p.thread, threads);
        }
        waiters_.for_each([](auto, const auto&) {},
                          [&](const Waiter& w) { l.index("missing.tlb", w.tlb, tlbs); });
    }

  private:
    device_parts::MshrTable<Waiter> waiters_;
    std::vector<Page> pages_;                  ///< by entry of waiters_
    HashMap<std::uint32_t> numbers_;           ///< by page
    std::uint32_t walking_ = 0, faulting_ = 0; ///< entries of the buffers in use
    std::uint32_t walk_buffer_ = 0, fault_buffer_ = 0;
};

} // namespace memsim::gpu
