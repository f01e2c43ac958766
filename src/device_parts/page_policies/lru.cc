#include "device_parts/page_policies/row.hh"

namespace memsim::device_parts {

/// Evicts the least recently used page; an arrival counts as a use.
class LruPages final : public PolicyModel<LruPages, PagePolicy> {
  public:
    struct Params {};
    struct State {
        PageRow row;
    };
    explicit LruPages(const Params& p) : params(p) {}
    void insert(std::uint32_t frame, const ResidentPage&) override { state.row.append(frame); }
    void use(std::uint32_t frame, const ResidentPage&) override { state.row.renew(frame); }
    std::uint32_t evict(const ResidentPage&, const ResidentPages& pages) override {
        return state.row.take_oldest(pages);
    }
    void remove(std::uint32_t frame) override { state.row.remove(frame); }
    std::size_t frames() const override { return state.row.places.size(); }
    void check_loaded(Loader& l) const override { state.row.check_loaded(l); }

    const Params params;
    State state;
};

static const PolicyRegistration<LruPages> lru {"lru", "The least recently used page is evicted."};

} // namespace memsim::device_parts
