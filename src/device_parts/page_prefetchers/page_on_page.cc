#include "device_parts/page_prefetcher.hh"

#include <algorithm>

namespace memsim::device_parts {

/// The location of the pages transferred with a missing one.
enum class NearPages : std::uint8_t { around, behind };
constexpr std::array<std::string_view, 2> names_of(NearPages) { return {"around", "behind"}; }

/// Page-on-page prefetch ("Joint management of CPU and NVDIMM for breaking down the great memory
/// wall", IEEE TC 2020, as described by SAP): the pages whose addresses are near the missing one's.
/// Their number and side are not given. Assumption: the aligned group of 8 that Linux uses for
/// reads of swap space (vm.page-cluster = 3).
class PageOnPage final : public PolicyModel<PageOnPage, PagePrefetcher> {
  public:
    struct Params {
        Param<unsigned> pages {8,
                               {2, 4096},
                               "Pages of a group, including the missing one",
                               assumed("as Linux reads swap space; range 2 to 64")};
        Param<NearPages> where {NearPages::around,
                                "Location: the aligned group around the missing page, or the "
                                "missing page and the following ones"};
    };
    struct State {};
    explicit PageOnPage(const Params& p) : params(p) {}
    void resize(std::uint64_t, std::uint64_t pages) override { end_ = pages; }
    void claimed(const PageName&) override {}
    void evicted(const PageName&) override {}
    /// Processes misses by ascending address, to detect overlapping groups.
    void bring(const std::vector<PageName>& misses, std::vector<PageName>& with_them) override {
        sorted_.assign(misses.begin(), misses.end());
        std::sort(sorted_.begin(), sorted_.end(), before);
        PageName done; // the first page after all groups so far
        for (const PageName& m : sorted_) {
            const std::uint64_t group = params.pages();
            const bool aligned = params.where() == NearPages::around;
            const std::uint64_t first = aligned ? m.page / group * group : m.page;
            if (done.application != m.application) done = {0, m.application};
            done.page = std::max(done.page, first);
            for (const std::uint64_t last = std::min(first + group, end_); done.page < last;
                 ++done.page)
                if (!std::binary_search(sorted_.begin(), sorted_.end(), done, before))
                    with_them.push_back(done);
        }
    }

    const Params params;
    State state;

  private:
    static bool before(const PageName& a, const PageName& b) {
        return a.application != b.application ? a.application < b.application : a.page < b.page;
    }

    std::uint64_t end_ = 0;
    std::vector<PageName> sorted_; ///< scratch
};

static const PolicyRegistration<PageOnPage> page_on_page {
    "page-on-page", "The pages whose addresses are near that of the missing one."};

} // namespace memsim::device_parts
