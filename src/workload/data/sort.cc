#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

#include <algorithm>
#include <numeric>

/// Radix sort of keys with values after SHOC's Sort (Danalis et al., GPGPU'10; Merrill and
/// Grimshaw). For each digit of 4 bits, `reduce` counts the digits of each block's region,
/// `top_scan` computes prefix sums of the counts in one block, and `bottom_scan` writes each pair
/// to its place. Counters are in shared memory, one column per thread, instead of SHOC's private
/// arrays [A]; places within a warp are determined by votes [A].
namespace memsim::workload {

namespace {

constexpr u32 threads = 256, warps = threads / 32, most_blocks = 64; // SHOC's launch
constexpr u32 digit_bits = 4, digits = 1 << digit_bits, passes = 32 / digit_bits;

class RadixSort final : public Application {
  public:
    explicit RadixSort(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size)) {
        const u32 tiles = (n_ - 1) / threads + 1;
        tiles_ = (tiles - 1) / std::min(tiles, most_blocks) + 1;
        blocks_ = (tiles - 1) / tiles_ + 1;
        first_ = random_words(options.seed, "keys", n_, u64 {1} << 32);
        std::vector<u32> numbers(n_);
        std::iota(numbers.begin(), numbers.end(), 0u);
        keys_[0] = memory_.filled("keys_0", first_);
        keys_[1] = memory_.zeroed<u32>("keys_1", n_);
        values_[0] = memory_.filled("values_0", numbers);
        values_[1] = memory_.zeroed<u32>("values_1", n_);
        counts_ = memory_.zeroed<u32>("counts", u64 {digits} * blocks_);
        kernels_[0] = kernel(
            "reduce", 16, [this](Block& b) { count(b); }, Counted::by_rule, digits * threads * 4);
        kernels_[1] = kernel(
            "top_scan", 16, [this](Block& b) { scan(b); }, Counted::by_rule, warps * 4);
        kernels_[2] = kernel(
            "bottom_scan", 22, [this](Block& b) { scatter(b); }, Counted::by_rule,
            (digits + digits * pitch) * 4);
    }
    std::string difference() const override {
        std::vector<u32> order(n_), keys(n_);
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](u32 a, u32 b) { return first_[a] < first_[b]; });
        for (u32 i = 0; i < n_; ++i) keys[i] = first_[order[i]];
        if (auto wrong = first_difference("keys", keys_[0], keys); !wrong.empty()) return wrong;
        return first_difference("values", values_[0], order);
    }

  private:
    static constexpr u32 pitch = warps + 1; ///< of a digit's counters; avoids bank conflicts

    bool next() override {
        if (launches() == 3 * passes) return false;
        const u32 step = launches() % 3;
        launch(kernels_[step], {step == 1 ? 1 : blocks_, 1, 1}, {threads, 1, 1});
        return true;
    }
    u32 pass() const { return (launches() - 1) / 3; } ///< the current pass
    u32 begin(const Block& b) const { return b.x() * tiles_ * threads; }
    u32 end(const Block& b) const { return std::min(n_, begin(b) + tiles_ * threads); }

    Lanes<u32> digit_of(const Lanes<u32>& key) const {
        const auto shifted = key >> (pass() * digit_bits);
        return shifted & (digits - 1);
    }
    void count(Block& b) {
        enum class Site : u32 { clear, key, old, set, counter, total };
        const u32 first = begin(b), last = end(b);
        const auto column = b.shared<u32>(digits * threads);
        b.each([&](Warp& w) {
            const auto t = w.tx();
            const auto none = all_lanes(0u);
            for (u32 d = 0; d < digits; ++d) w.store(Site::clear, column, t, none, d * threads);
            auto i = t + first;
            w.repeat((last - first - 1) / threads + 1, [&](u32) {
                w.if_(i < last, [&] {
                    const auto digit = digit_of(w.load(Site::key, keys_[pass() % 2], i));
                    const auto at = mad(digit, threads, t);
                    const auto old = w.load(Site::old, column, at);
                    w.store(Site::set, column, at, old + 1);
                });
                i = i + threads;
            });
        });
        b.barrier();
        b.each([&](Warp& w) { // a warp adds the counters of two digits
            const auto lane = w.lane();
            for (u32 d = w.index() * 2; d < w.index() * 2 + 2; ++d) {
                Lanes<u32> sum = all_lanes(0u);
                sum.flow = &w;
                for (u32 k = 0; k < warps; ++k)
                    sum = sum + w.load(Site::counter, column, lane, d * threads + k * 32);
                for (u32 distance = 16; distance > 0; distance /= 2) {
                    const auto other = w.shuffle(sum, [=](u32 i) { return i + distance; });
                    sum = sum + other;
                }
                w.if_(lane == 0,
                      [&] { w.store(Site::total, counts_, all_lanes(d * blocks_ + b.x()), sum); });
            }
        });
    }
    /// Replaces each counter by the sum of its predecessors, tile by tile.
    void scan(Block& b) {
        enum class Site : u32 { counter, put, of_warp, set };
        const u32 counters = digits * blocks_;
        const auto of_warp = b.shared<u32>(warps);
        Registers<u32> before(b), carry(b);
        for (u32 tile = 0; tile < counters; tile += threads) {
            b.each([&](Warp& w) {
                const auto i = w.tx() + tile;
                Lanes<u32> value = all_lanes(0u);
                value.flow = &w;
                w.if_(i < counters, [&] { value = w.load(Site::counter, counts_, i); });
                Lanes<u32> sum = value;
                for (u32 distance = 1; distance < 32; distance *= 2)
                    sum = w.apply<u32>( // a shuffle that reports its range, and an addition
                        2,
                        [&](u32 k) { return k < distance ? sum[k] : sum[k] + sum[k - distance]; },
                        sum);
                before[w] = sum - value;
                w.if_(w.lane() == 31,
                      [&] { w.store(Site::put, of_warp, all_lanes(w.index()), sum); });
            });
            b.barrier();
            b.each([&](Warp& w) {
                auto sum = before[w];
                sum = sum + carry[w];
                const auto start = all_lanes(0u);
                for (u32 v = 0; v < warps; ++v) {
                    const auto its = w.load(Site::of_warp, of_warp, start, v);
                    if (v < w.index()) sum = sum + its;
                    carry[w] = carry[w] + its;
                }
                const auto i = w.tx() + tile;
                w.if_(i < counters, [&] { w.store(Site::set, counts_, i, sum); });
            });
            b.barrier();
        }
    }
    void scatter(Block& b) {
        enum class Site : u32 {
            count,
            seed,
            clear,
            key,
            value,
            put,
            next,
            counter,
            place,
            set_next,
            base,
            set_key,
            set_value
        };
        const u32 from = pass() % 2, to = 1 - from;
        const u32 first = begin(b), last = end(b);
        const auto next_place = b.shared<u32>(digits);      // by digit in this block
        const auto counter = b.shared<u32>(digits * pitch); // by digit and warp
        b.each([&](Warp& w) {
            const auto t = w.tx();
            w.if_(t < digits, [&] {
                const auto seed = w.load(Site::count, counts_, mad(t, blocks_, all_lanes(b.x())));
                w.store(Site::seed, next_place, t, seed);
            });
        });
        Registers<u32> key(b), value(b), digit(b), rank(b);
        for (u32 tile = first; tile < last; tile += threads) {
            b.each([&](Warp& w) {
                const auto t = w.tx();
                w.if_(t < digits * pitch, [&] { w.store(Site::clear, counter, t, all_lanes(0u)); });
            });
            b.barrier();
            b.each([&](Warp& w) {
                const auto i = w.tx() + tile;
                w.if_(i < last, [&] {
                    key[w] = w.load(Site::key, keys_[from], i);
                    value[w] = w.load(Site::value, values_[from], i);
                    digit[w] = digit_of(key[w]);
                    const auto alike = peers(w, digit[w]);
                    const auto before = alike & w.map<u32>([](u32 k) { return (1u << k) - 1; });
                    rank[w] = population(w, before);
                    w.if_(rank[w] == 0, [&] {
                        const auto n = population(w, alike);
                        w.store(Site::put, counter, digit[w] * pitch + w.index(), n);
                    });
                });
            });
            b.barrier();
            b.each([&](Warp& w) {
                const auto d = w.tx();
                w.if_(d < digits, [&] {
                    auto place = w.load(Site::next, next_place, d);
                    const auto row = d * pitch;
                    for (u32 v = 0; v < warps; ++v) {
                        const auto n = w.load(Site::counter, counter, row, v);
                        w.store(Site::place, counter, row, place, v);
                        place = place + n;
                    }
                    w.store(Site::set_next, next_place, d, place);
                });
            });
            b.barrier();
            b.each([&](Warp& w) {
                const auto i = w.tx() + tile;
                w.if_(i < last, [&] {
                    const auto base = w.load(Site::base, counter, digit[w] * pitch + w.index());
                    const auto at = base + rank[w];
                    w.store(Site::set_key, keys_[to], at, key[w]);
                    w.store(Site::set_value, values_[to], at, value[w]);
                });
            });
            b.barrier();
        }
    }
    /// The active lanes with the same digit: a vote, a selection and an "and" per bit.
    static Lanes<u32> peers(Warp& w, const Lanes<u32>& digit) {
        const Mask active = w.active();
        return w.apply<u32>(
            3 * digit_bits,
            [&](u32 i) {
                u32 alike = 0;
                for (u32 k = 0; k < warp_lanes; ++k)
                    if ((active >> k & 1) != 0 && digit[k] == digit[i]) alike |= 1u << k;
                return alike;
            },
            digit);
    }
    static Lanes<u32> population(Warp& w, const Lanes<u32>& bits) {
        return w.apply<u32>(
            1, [&](u32 i) { return static_cast<u32>(std::popcount(bits[i])); }, bits);
    }

    u32 n_, tiles_, blocks_; ///< pairs; tiles per block; blocks
    std::vector<u32> first_;
    std::array<Array<u32>, 2> keys_, values_;
    Array<u32> counts_; ///< by digit, then by block
    std::array<u32, 3> kernels_;
};

const Entry entry {{.names = {"sort"},
                    .doc = "Radix sort of 32-bit keys with values, 4 bits per pass, after SHOC "
                           "(Danalis et al., GPGPU'10)",
                    .tables = "none (perhaps CXL's sort)",
                    .size_is = "the number of pairs",
                    .size = 1 << 18,
                    .check_size = 20000,
                    .most = 1 << 26,
                    .memory = [](const Options& o) { return 24 * o.size; },
                    .make = make<RadixSort>}};

} // namespace

} // namespace memsim::workload
