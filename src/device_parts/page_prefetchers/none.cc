#include "device_parts/page_prefetcher.hh"

namespace memsim::device_parts {

/// Pages are transferred only by faults.
class NoPrefetch final : public PolicyModel<NoPrefetch, PagePrefetcher> {
  public:
    struct Params {};
    struct State {};
    explicit NoPrefetch(const Params& p) : params(p) {}
    bool prefetches() const override { return false; }
    void resize(std::uint64_t, std::uint64_t) override {}
    void claimed(const PageName&) override {}
    void evicted(const PageName&) override {}
    void bring(const std::vector<PageName>&, std::vector<PageName>&) override {}

    const Params params;
    State state;
};

static const PolicyRegistration<NoPrefetch> none {"none", "Only faulted pages are transferred."};

} // namespace memsim::device_parts
