#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

/// The sum of a vector after CUDA's samples (Harris, "Optimizing parallel reduction"): each block
/// of 256 threads adds 512 elements as a tree in shared memory; launches repeat until one sum is
/// left. Sums are unsigned words, modulo 2^32.
namespace memsim::workload {

struct ReductionHost {
    u32 left = 0; ///< elements of the array being read
    u32 round = 0;
};

namespace {

constexpr u32 threads = 256;

class Reduction final : public HostedApplication<ReductionHost> {
  public:
    explicit Reduction(const Options& options)
        : HostedApplication(options), n_(static_cast<u32>(options.size)) {
        const u32 blocks = (n_ - 1) / (2 * threads) + 1;
        in_ = memory_.input("in", random_words(options.seed, "in", n_, 1 << 20));
        sums_[0] = memory_.zeroed<u32>("sums_0", blocks);
        sums_[1] = memory_.zeroed<u32>("sums_1", blocks);
        reduce_ = kernel(
            "reduce", 14, [this](Block& b) { reduce(b); }, Counted::by_rule, threads * 4);
    }
    std::string difference() const override {
        u64 sum = 0;
        for (u32 v : in_.host()) sum += v;
        const u32 word = static_cast<u32>(sum % (u64 {1} << 32));
        return first_difference("sum", std::span<const u32>(sums_[host.round % 2].data, 1),
                                std::span<const u32>(&word, 1));
    }

  private:
    bool next() override {
        if (launches() > 0) {
            host.left = (host.left - 1) / (2 * threads) + 1;
            if (host.left == 1) return false;
        } else
            host.left = n_;
        ++host.round;
        launch(reduce_, {(host.left - 1) / (2 * threads) + 1, 1, 1}, {threads, 1, 1});
        return true;
    }
    void reduce(Block& b) {
        enum class Site : u32 { first, second, put, mine, other, add, total, set };
        const Array<u32>& in = host.round == 1 ? in_ : sums_[(host.round - 1) % 2];
        const Array<u32>& out = sums_[host.round % 2];
        const auto data = b.shared<u32>(threads);
        b.each([&](Warp& w) {
            const auto t = w.tx(), i = t + b.x() * 2 * threads;
            Lanes<u32> sum = all_lanes(0u);
            sum.flow = &w;
            w.if_(i < host.left, [&] { sum = w.load(Site::first, in, i); });
            const auto other = i + threads;
            w.if_(other < host.left, [&] { sum = sum + w.load(Site::second, in, other); });
            w.store(Site::put, data, t, sum);
        });
        b.barrier();
        for (u32 distance = threads / 2; distance > 0; distance /= 2) {
            b.each([&](Warp& w) {
                const auto t = w.tx();
                w.if_(t < distance, [&] {
                    const auto mine = w.load(Site::mine, data, t);
                    const auto other = w.load(Site::other, data, t, distance);
                    w.store(Site::add, data, t, mine + other);
                });
            });
            b.barrier();
        }
        b.each([&](Warp& w) {
            w.if_(w.tx() == 0, [&] {
                w.store(Site::set, out, all_lanes(b.x()), w.load(Site::total, data, all_lanes(0u)));
            });
        });
    }

    u32 n_;
    Array<u32> in_;
    std::array<Array<u32>, 2> sums_;
    u32 reduce_;
};

const Entry entry {{.names = {"rsum", "reduction"},
                    .doc = "The sum of a vector as trees in shared memory, after CUDA's samples "
                           "(Harris)",
                    .tables = "CXL (rsum)",
                    .size_is = "the number of elements",
                    .size = 1 << 20,
                    .check_size = 5000,
                    .memory = [](const Options& o) { return 8 * o.size; },
                    .make = make<Reduction>}};

} // namespace

} // namespace memsim::workload
