#include "core/base/heed.hh"
#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

#include <algorithm>
#include <numeric>

/// Exact matching of short reads against a genome, after the MUM of GPGPU-Sim's set (Bakhoda et
/// al., ISPASS'09; MUMmerGPU, Schatz et al., 2007): one query of 25 bases per thread. The set's own
/// input has 50,000 reads of a genome of 1,399,930 bases, in which 27 % of them occur. The index is
/// a sorted array of suffixes with binary search [A]; the original walks a suffix tree in texture
/// memory.
namespace memsim::workload {

namespace {

constexpr u32 query_bases = 25, bases_of_a_read = 28, none = ~0u;

class Mummer final : public Application {
  public:
    explicit Mummer(const Options& options)
        : Application(options), bases_(bases_of_a_read * static_cast<u32>(options.size)),
          count_(static_cast<u32>(options.size)) {
        const auto letters = random_words(options.seed, "genome", bases_, 4);
        std::vector<u8> genome(bases_ + query_bases, 0); // ends with letters below all bases
        for (u32 i = 0; i < bases_; ++i) genome[i] = static_cast<u8>(letters[i] + 1);
        std::vector<u32> suffixes(bases_);
        std::iota(suffixes.begin(), suffixes.end(), 0u);
        u32 compared = 0;
        std::sort(suffixes.begin(), suffixes.end(), [&](u32 a, u32 b) {
            if (++compared % 65536 == 0) heed();
            const int order = std::memcmp(&genome[a], &genome[b], query_bases);
            return order != 0 ? order < 0 : a < b;
        });
        // Every fourth query occurs in the genome; the rest are random.
        const auto starts = random_words(options.seed, "starts", count_, bases_ - query_bases + 1);
        const auto random = random_words(options.seed, "reads", u64 {count_} * query_bases, 4);
        std::vector<u8> queries(random.size());
        for (u32 q = 0; q < count_; ++q)
            for (u32 c = 0; c < query_bases; ++c) {
                const u32 i = q * query_bases + c;
                queries[i] = q % 4 == 0 ? genome[starts[q] + c] : static_cast<u8>(random[i] + 1);
            }
        genome_ = memory_.input("genome", genome);
        suffixes_ = memory_.input("suffixes", suffixes);
        queries_ = memory_.input("queries", queries);
        found_ = memory_.zeroed<u32>("found", count_);
        kernel_ = kernel("match", 22, [this](Warp& w) { match(w); });
    }
    /// Reference: the lowest position in the genome, found by std::search.
    std::string difference() const override {
        std::vector<u32> found(count_, none);
        const auto text = genome_.host(), queries = queries_.host();
        for (u32 q = 0; q < count_; ++q) {
            const auto query = queries.subspan(u64 {q} * query_bases, query_bases);
            const auto at = std::search(text.begin(), text.end(), query.begin(), query.end());
            if (at != text.end()) found[q] = static_cast<u32>(at - text.begin());
        }
        return first_difference("found", found_, found);
    }

  private:
    bool next() override {
        if (launches() > 0) return false;
        launch(kernel_, count_);
        return true;
    }
    void match(Warp& w) {
        enum class Site : u32 { suffix, query, genome, last, set };
        const auto q = w.x();
        w.if_(q < count_, [&] {
            const auto mine = q * query_bases;
            Lanes<u32> low = all_lanes(0u), high = all_lanes(bases_), result = all_lanes(none);
            low.flow = high.flow = result.flow = &w;
            w.while_([&] { return low < high; },
                     [&] {
                         const auto middle = (low + high) >> 1;
                         const auto suffix = w.load(Site::suffix, suffixes_, middle);
                         Lanes<u32> same = all_lanes(0u), order = all_lanes(0u);
                         same.flow = order.flow = &w;
                         // order: 0 alike so far, 1 the suffix is below, 2 above
                         w.while_([&] { return same < query_bases && order == 0; },
                                  [&] {
                                      const auto ours = w.load(Site::query, queries_, mine + same);
                                      const auto at = suffix + same;
                                      const auto theirs = w.load(Site::genome, genome_, at);
                                      w.if_(theirs < ours, [&] { order = all_lanes(1u); });
                                      w.if_(ours < theirs, [&] { order = all_lanes(2u); });
                                      same = same + 1;
                                  });
                         w.if_(
                             order == 1, [&] { low = middle + 1; },
                             [&] {
                                 high = middle;
                                 w.if_(order == 0, [&] { result = suffix; });
                             });
                     });
            w.store(Site::set, found_, q, result);
        });
    }

    u32 bases_, count_;
    Array<u8> genome_, queries_;
    Array<u32> suffixes_, found_;
    u32 kernel_;
};

const Entry entry {{.names = {"mum"},
                    .doc = "Matches reads of 25 bases against a genome in a suffix array, after "
                           "GPGPU-Sim's MUM (Bakhoda et al., ISPASS'09)",
                    .tables = "MUM",
                    .size_is = "reads; the genome has 28 bases for each",
                    .size = 50'000,
                    .check_size = 500,
                    .least = 1,
                    .most = 1 << 26,
                    .memory = [](const Options& o) { return 600 * o.size; },
                    .make = make<Mummer>}};

} // namespace

} // namespace memsim::workload
