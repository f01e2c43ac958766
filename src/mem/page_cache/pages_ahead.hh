#pragma once

#include "core/kernel/component.hh"
#include "device_parts/page_prefetcher.hh"

namespace memsim::mem {

using namespace memsim::literals;

struct AheadParams {
    using group = void;
    Param<PolicyName<device_parts::PagePrefetcher>> prefetch {
        "none", "Policy that selects pages (or units) to read together with a missed one",
        switched_off()};
    Param<Bytes> prefetch_end {
        Bytes {std::int64_t {1} << 50},
        {256_B, Bytes {std::int64_t {1} << 50}},
        "Address at which prefetching ends; set it to the size of the data on the drive",
        example_value()};
};

struct AheadStats {
    using group = void;
    Counter prefetches {Unit::count, "Pages (or units) read ahead of an access"};
    Counter dropped_prefetches {
        Unit::count,
        "Pages (or units) selected by the prefetcher but not read, because none could be evicted"};
    Counter late_prefetches {Unit::count,
                             "Pages (or units) read ahead that were accessed before they arrived"};
    Counter unused_prefetches {Unit::count,
                               "Pages (or units) read ahead that were evicted without an access"};
};

/// Selects the pages that are read together with a missed one, in a DRAM that holds pages of a
/// drive. A value for State.
class PagesAhead {
  public:
    static constexpr std::string_view archived_as = "PagesAhead";
    template <class Archive>
    void archive(Archive& a) {
        a(policy_);
    }

    void init(const Component& owner, const AheadParams& p, std::uint64_t page_bytes) {
        policy_.make(p.prefetch, owner, "prefetch");
        const auto end = static_cast<std::uint64_t>(p.prefetch_end->raw);
        policy_->resize(page_bytes, std::max(end / page_bytes, std::uint64_t {1}));
        on_ = policy_->prefetches();
    }
    void claimed(std::uint64_t page) {
        if (on_) policy_->claimed({page});
    }
    void evicted(std::uint64_t page) {
        if (on_) policy_->evicted({page});
    }
    /// Calls bring(page) for each page to read with a missed one; a page may be present already.
    template <class Bring>
    void each_with(std::uint64_t missed, Bring&& bring) {
        if (!on_) return;
        missed_.assign(1, {missed});
        with_it_.clear();
        policy_->bring(missed_, with_it_);
        for (const device_parts::PageName& p : with_it_) bring(p.page);
    }

  private:
    Policy<device_parts::PagePrefetcher> policy_;
    bool on_ = false;
    std::vector<device_parts::PageName> missed_, with_it_; ///< scratch
};

} // namespace memsim::mem
