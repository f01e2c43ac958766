#include "device_parts/page_policies/adaptive_lists.hh"

namespace memsim::device_parts {

/// ARC (Megiddo and Modha, FAST'03, Fig. 4): two LRU lists, of pages accessed once and of pages
/// accessed more than once, and the ghosts of both. Returns of ghosts adjust the share of the first
/// list.
class ArcPages final : public PolicyModel<ArcPages, PagePolicy> {
  public:
    struct Params {};
    struct State {
        AdaptiveLists lists;
    };
    explicit ArcPages(const Params& p) : params(p) {}
    void resize(std::uint32_t frames) override { capacity_ = frames; }
    void insert(std::uint32_t frame, const ResidentPage& page) override {
        state.lists.insert(frame, page, capacity_);
    }
    /// Case I, except the access for which the page was requested.
    void use(std::uint32_t frame, const ResidentPage&) override {
        AdaptiveLists::Place& place = state.lists.places[frame];
        const bool again = std::exchange(place.accessed, true);
        state.lists.move(frame, again ? Ghosts::frequent : static_cast<Ghosts::List>(place.list));
    }
    std::uint32_t evict(const ResidentPage& incoming, const ResidentPages& pages) override {
        AdaptiveLists& s = state.lists;
        const std::uint32_t recent = s.oldest(s.recents, incoming, pages),
                            frequent = s.oldest(s.frequents, incoming, pages);
        if (recent == no_link && frequent == no_link) return none;
        Ghosts::Ghost* const ghost = s.returns(incoming);
        // Case IV A, without ghosts of the first list: its oldest page leaves none.
        const bool all_recent = !ghost && s.recents.size >= capacity_;
        if (ghost)
            s.count(*ghost, capacity_); // cases II and III
        else if (!all_recent)
            s.bound_ghosts(capacity_); // case IV
        const bool more = s.recents.size > s.target ||
                          (ghost && ghost->list == Ghosts::frequent && s.recents.size == s.target);
        if (recent != no_link && (all_recent || more || frequent == no_link)) {
            if (all_recent)
                s.remove(recent);
            else
                s.leave(recent, pages);
            return recent;
        }
        s.leave(frequent, pages);
        return frequent;
    }
    void remove(std::uint32_t frame) override { state.lists.remove(frame); }
    bool remembers(std::uint64_t key) const override { return state.lists.ghosts.holds(key); }
    std::size_t frames() const override { return state.lists.places.size(); }
    void check_loaded(Loader& l) const override { state.lists.check_loaded(l, capacity_); }

    const Params params;
    State state;

  private:
    std::uint32_t capacity_ = 0;
};

static const PolicyRegistration<ArcPages> arc {
    "arc", "ARC: evicts the least recently used of the pages accessed once, or of those accessed "
           "more than once, depending on returns of evicted pages."};

} // namespace memsim::device_parts
