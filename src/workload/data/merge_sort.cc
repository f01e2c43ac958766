#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

#include <algorithm>
#include <bit>

/// Merge sort by ranks (Satish et al., IPDPS'09): in a pass each thread searches for its key in the
/// neighbouring sorted run, left or right of the middle by a comparison, and stores the key at the
/// sum of both ranks. Runs double per pass. The host sorts the runs of the first pass.
namespace memsim::workload {

namespace {

class MergeSort final : public Application {
  public:
    explicit MergeSort(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size)) {
        const u32 all = n_ > 1 ? std::bit_width(n_ - 1) : 0;
        passes_ = std::min(all, options.iterations);
        first_run_ = u32 {1} << (all - passes_);
        first_ = random_words(options.seed, "keys", n_, u64 {1} << 32);
        for (u32 at = 0; at < n_; at += std::min(first_run_, n_ - at))
            std::sort(first_.begin() + at, first_.begin() + at + std::min(first_run_, n_ - at));
        keys_[0] = memory_.filled("keys_0", first_);
        keys_[1] = memory_.zeroed<u32>("keys_1", n_);
        merge_ = kernel("merge", 18, [this](Warp& w) { merge(w); });
    }
    std::string difference() const override {
        std::vector<u32> sorted = first_;
        std::sort(sorted.begin(), sorted.end());
        return first_difference("keys", keys_[passes_ % 2], sorted);
    }

  private:
    bool next() override {
        if (launches() == passes_) return false;
        launch(merge_, n_);
        return true;
    }
    void merge(Warp& w) {
        enum class Site : u32 { mine, middle, set };
        const u32 pass = launches() - 1, run = first_run_ << pass;
        const auto t = w.thread();
        w.if_(t < n_, [&] {
            const auto mine = w.load(Site::mine, keys_[pass % 2], t);
            const auto own = w.apply<u32>(
                2, [&](u32 i) { return t[i] / run * run; }, t);
            // Of equal keys those of the left run come first.
            const auto is_right = w.apply<u32>(
                2, [&](u32 i) { return own[i] / run % 2; }, own);
            const auto other = w.apply<u32>(
                3, [&](u32 i) { return std::min(n_, is_right[i] ? own[i] - run : own[i] + run); },
                own, is_right);
            auto low = other;
            auto high = w.apply<u32>(
                2, [&](u32 i) { return n_ - other[i] > run ? other[i] + run : n_; }, other);
            w.while_([&] { return low < high; },
                     [&] {
                         const auto middle = w.apply<u32>(
                             2, [&](u32 i) { return low[i] + (high[i] - low[i]) / 2; }, low, high);
                         const auto key = w.load(Site::middle, keys_[pass % 2], middle);
                         const auto before = w.apply<u32>(
                             2,
                             [&](u32 i) -> u32 {
                                 return key[i] < mine[i] || (key[i] == mine[i] && is_right[i]);
                             },
                             key, mine, is_right);
                         low = w.apply<u32>(
                             1, [&](u32 i) { return before[i] ? middle[i] + 1 : low[i]; }, before,
                             middle, low);
                         high = w.apply<u32>(
                             1, [&](u32 i) { return before[i] ? high[i] : middle[i]; }, before,
                             middle, high);
                     });
            const auto place = w.apply<u32>(
                3,
                [&](u32 i) {
                    return std::min(own[i], other[i]) + t[i] - own[i] + low[i] - other[i];
                },
                own, other, t, low);
            w.store(Site::set, keys_[1 - pass % 2], place, mine);
        });
    }

    u32 n_, passes_, first_run_; ///< keys; passes; keys of a run in the first pass
    std::vector<u32> first_;
    std::array<Array<u32>, 2> keys_;
    u32 merge_;
};

const Entry entry {{.names = {"merge_sort"},
                    .doc = "Merge sort of 32-bit keys by ranks, each found by a binary search in "
                           "the neighbouring run (Satish et al., IPDPS'09)",
                    .tables = "CXL (sort)",
                    .size_is = "the number of keys; `iterations` are the last passes, the host "
                               "has sorted the runs before them",
                    .size = 1 << 18,
                    .check_size = 3000,
                    .most = 1 << 26,
                    .iterations = 26,
                    .memory = [](const Options& o) { return 12 * o.size; },
                    .make = make<MergeSort>}};

} // namespace

} // namespace memsim::workload
