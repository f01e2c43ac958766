#include "device_parts/page_policies/hot_cold_clock.hh"
#include "device_parts/page_policy.hh"

#include <algorithm>

namespace memsim::device_parts {

/// CLOCK-Pro (Jiang, Chen and Zhang, USENIX ATC'05). HANDcold finds the cold page to evict; a page
/// that was accessed in its test period becomes hot. HANDhot makes hot pages cold that were not
/// accessed since its last pass. HANDtest ends the tests of surplus pages. The target number of
/// cold pages grows with each access in a test, and shrinks with each test without one.
///
/// Readings where the paper is open: A page that is accessed after its test begins a new one. The
/// first pages are hot, up to the target number (as in the authors' simulator); the initial target
/// of cold pages is a hundredth of memory (as in their LIRS). HANDcold skips pinned pages; if no
/// cold page can be evicted, HANDhot makes hot pages cold. A prefetched page arrives as a cold page
/// in its test, independent of its ghost.
class ClockProPages final : public PolicyModel<ClockProPages, PagePolicy> {
  public:
    struct Params {};
    struct State {
        HotColdClock clock;
        std::uint32_t target = 1; ///< target number of cold pages
        bool full = false;        ///< a page had to be evicted
    };
    using Entry = HotColdClock::Entry;

    explicit ClockProPages(const Params& p) : params(p) {}
    void resize(std::uint32_t frames) override {
        capacity_ = frames;
        state.target = std::max(1u, frames / 100);
    }
    void insert(std::uint32_t frame, const ResidentPage& page) override {
        HotColdClock& c = state.clock;
        const std::uint32_t* const ghost = c.ghosts.find(page.key);
        const bool returns = ghost && page.asked == AskedBy::demand;
        if (ghost) c.forget(*ghost);
        const std::uint32_t i = c.create(frame);
        if (returns) return promote(i);
        const bool first =
            !state.full && page.asked == AskedBy::demand && c.hots + c.colds.size < hot_target();
        c.put_at_head(i, first ? HotColdClock::hot : HotColdClock::cold);
    }
    void use(std::uint32_t frame, const ResidentPage&) override {
        Entry& e = state.clock[state.clock.places[frame]];
        if (std::exchange(e.accessed, true)) e.referenced = true;
    }
    std::uint32_t evict(const ResidentPage& incoming, const ResidentPages& pages) override {
        HotColdClock& c = state.clock;
        const auto movable = [&](std::uint32_t i) {
            if (i == no_link) return false;
            const ResidentPage& page = pages[c[i].frame];
            return !page.pins && page.key != incoming.key;
        };
        if (std::none_of(c.places.begin(), c.places.end(), movable)) return none;
        state.full = true;
        for (;;) {
            const std::uint32_t i = run_hand_cold(movable);
            if (i == no_link) {
                run_hand_hot();
            } else if (std::exchange(c[i].referenced, false)) {
                c.take_out(i);
                if (c[i].test)
                    promote(i);
                else
                    c.put_at_head(i, HotColdClock::cold);
            } else {
                return let_go(i, pages);
            }
        }
    }
    void remove(std::uint32_t frame) override { state.clock.forget(state.clock.places[frame]); }
    bool remembers(std::uint64_t key) const override { return state.clock.ghosts.find(key); }
    std::size_t frames() const override { return state.clock.places.size(); }
    void check_loaded(Loader& l) const override {
        if (capacity_) l.index("target", state.target - 1, capacity_);
        state.clock.check_loaded(l);
    }

    const Params params;
    State state;

  private:
    std::uint32_t hot_target() const { return capacity_ - state.target; }
    /// The page was accessed in its test.
    void promote(std::uint32_t i) {
        state.target = std::min(state.target + 1, capacity_);
        state.clock.put_at_head(i, HotColdClock::hot);
        while (state.clock.hots > hot_target()) run_hand_hot();
    }
    std::uint32_t let_go(std::uint32_t i, const ResidentPages& pages) {
        HotColdClock& c = state.clock;
        const std::uint32_t frame = c[i].frame;
        if (c[i].test)
            c.leave(i, pages[frame].key);
        else
            c.forget(i);
        while (c.ghosts.size() > capacity_) run_hand_test();
        return frame;
    }
    void end_test(std::uint32_t i) {
        Entry& e = state.clock[i];
        if (std::exchange(e.test, false) && !e.referenced)
            state.target = std::max(state.target - 1, 1u);
        if (e.kind == HotColdClock::gone) state.clock.forget(i);
    }
    /// The next cold page that can be evicted; moves the hand behind it. Returns no_link if there
    /// is none.
    template <class F>
    std::uint32_t run_hand_cold(F&& movable) {
        HotColdClock& c = state.clock;
        std::uint32_t i = c.hand_cold;
        for (std::uint32_t left = c.colds.size; left--; i = c[i].colds.next)
            if (movable(i)) {
                c.hand_cold = c[i].colds.next;
                return i;
            }
        return no_link;
    }
    /// Makes a hot page cold, and moves to the next hot one. Ends the tests of cold pages on the
    /// way.
    void run_hand_hot() {
        HotColdClock& c = state.clock;
        bool done = false;
        while (c.hots && !(done && c[c.hand_hot].kind == HotColdClock::hot)) {
            const std::uint32_t i = c.hand_hot;
            const bool hot = c[i].kind == HotColdClock::hot;
            const bool demote = hot && !std::exchange(c[i].referenced, false);
            c.pass_hot(demote);
            if (!hot) end_test(i);
            done |= demote;
        }
    }
    /// Ends the test of the next page that has one.
    void run_hand_test() {
        HotColdClock& c = state.clock;
        while (!c[c.hand_test].test) c.hand_test = c[c.hand_test].all.next;
        const std::uint32_t i = c.hand_test;
        c.hand_test = c[i].all.next;
        end_test(i);
    }

    std::uint32_t capacity_ = 0;
};

static const PolicyRegistration<ClockProPages> clock_pro {
    "clock-pro", "CLOCK-Pro: evicts a cold page that was not accessed again in its test period."};

} // namespace memsim::device_parts
