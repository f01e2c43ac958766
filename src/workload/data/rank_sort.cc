#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

#include <algorithm>

/// Sorting by counting, after psort of Vortex's tests: each thread reads all keys, counts those
/// that precede its own, and stores its key at that position. Keys are integers with many
/// duplicates.
namespace memsim::workload {

namespace {

class RankSort final : public Application {
  public:
    explicit RankSort(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size)) {
        in_ = memory_.input("in", random_words(options.seed, "in", n_, n_));
        out_ = memory_.zeroed<u32>("out", n_);
        sort_ = kernel("psorti", 12, [this](Warp& w) { sort(w); });
    }
    std::string difference() const override {
        std::vector<u32> sorted(in_.data, in_.data + n_);
        std::sort(sorted.begin(), sorted.end());
        return first_difference("out", out_, sorted);
    }

  private:
    bool next() override {
        if (launches() > 0) return false;
        launch(sort_, n_);
        return true;
    }
    void sort(Warp& w) {
        enum class Site : u32 { mine, its, set };
        const auto t = w.thread();
        w.if_(t < n_, [&] {
            const auto mine = w.load(Site::mine, in_, t);
            const auto first = all_lanes(0u);
            Lanes<u32> place = all_lanes(0u);
            place.flow = &w;
            w.repeat(n_, [&](u32 k) {
                const auto its = w.load(Site::its, in_, first, k);
                // Three comparisons, combined in predicates, and an addition under the last one.
                place = w.apply<u32>(
                    4,
                    [&](u32 i) {
                        const bool before = its[i] < mine[i] || (its[i] == mine[i] && k < t[i]);
                        return place[i] + before;
                    },
                    its, mine, place);
            });
            w.store(Site::set, out_, place, mine);
        });
    }

    u32 n_;
    Array<u32> in_, out_;
    u32 sort_;
};

const Entry entry {{.names = {"psort"},
                    .doc =
                        "Sorting by counting the keys that precede each key, after Vortex's test "
                        "of that name",
                    .tables = "none (perhaps CXL's sort)",
                    .size_is = "the number of keys",
                    .size = 1 << 12,
                    .check_size = 300,
                    .most = 1 << 20,
                    .memory = [](const Options& o) { return 8 * o.size; },
                    .make = make<RankSort>}};

} // namespace

} // namespace memsim::workload
