#include "device_parts/page_policies/adaptive_lists.hh"

namespace memsim::device_parts {

/// CAR (Bansal and Modha, FAST'04, Fig. 2): ARC with a clock instead of each LRU list. The hand is
/// at the oldest end of a list: a page that was accessed again moves to the clock of pages accessed
/// more than once; the first other page is evicted.
class CarPages final : public PolicyModel<CarPages, PagePolicy> {
  public:
    struct Params {};
    struct State {
        AdaptiveLists lists;
    };
    explicit CarPages(const Params& p) : params(p) {}
    void resize(std::uint32_t frames) override { capacity_ = frames; }
    void insert(std::uint32_t frame, const ResidentPage& page) override {
        state.lists.insert(frame, page, capacity_);
    }
    void use(std::uint32_t frame, const ResidentPage&) override {
        AdaptiveLists::Place& place = state.lists.places[frame];
        if (std::exchange(place.accessed, true)) place.referenced = true;
    }
    std::uint32_t evict(const ResidentPage& incoming, const ResidentPages& pages) override {
        const std::uint32_t victim = replace(incoming, pages);
        if (victim != none && !state.lists.returns(incoming)) state.lists.bound_ghosts(capacity_);
        return victim;
    }
    void remove(std::uint32_t frame) override { state.lists.remove(frame); }
    bool remembers(std::uint64_t key) const override { return state.lists.ghosts.holds(key); }
    std::size_t frames() const override { return state.lists.places.size(); }
    void check_loaded(Loader& l) const override { state.lists.check_loaded(l, capacity_); }

    const Params params;
    State state;

  private:
    std::uint32_t replace(const ResidentPage& incoming, const ResidentPages& pages) {
        AdaptiveLists& s = state.lists;
        for (;;) {
            const std::uint32_t recent = s.oldest(s.recents, incoming, pages),
                                frequent = s.oldest(s.frequents, incoming, pages);
            const bool enough = s.recents.size >= s.target;
            const bool first = recent != no_link && (enough || frequent == no_link);
            const std::uint32_t frame = first ? recent : frequent;
            if (frame == no_link) return none;
            if (!std::exchange(s.places[frame].referenced, false)) {
                s.leave(frame, pages);
                return frame;
            }
            s.move(frame, Ghosts::frequent);
        }
    }

    std::uint32_t capacity_ = 0;
};

static const PolicyRegistration<CarPages> car {
    "car", "CAR: ARC with a clock instead of each of its lists."};

} // namespace memsim::device_parts
