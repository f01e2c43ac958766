#include "core/base/rng.hh"
#include "workload/catalogue.hh"

#include <numeric>

/// One thread follows pointers through a buffer in random order, so that each load depends on the
/// previous one: the time of a hop is the load-to-use latency of the level that the buffer fits in.
/// A first launch reads each line once and brings the buffer into the L2.
namespace memsim::workload {

namespace {

constexpr u32 line_words = 32; // one pointer per line of 128 bytes

/// A cycle through all lines in random order (Sattolo's algorithm): line i leads to line next[i].
std::vector<u32> random_cycle(u64 seed, u32 lines) {
    Rng random(seed, "chase");
    std::vector<u32> next(lines);
    std::iota(next.begin(), next.end(), 0u);
    for (u32 i = lines; i-- > 1;) std::swap(next[i], next[random.below(i)]);
    return next;
}

class Chase final : public Application {
  public:
    explicit Chase(const Options& options)
        : Application(options), lines_(static_cast<u32>(options.size)) {
        const std::vector<u32> next = random_cycle(options.seed, lines_);
        std::vector<u32> words(u64 {lines_} * line_words);
        for (u32 i = 0; i < lines_; ++i) words[u64 {i} * line_words] = next[i] * line_words;
        buffer_ = memory_.input("buffer", words);
        last_ = memory_.zeroed<u32>("last", 1);
        touch_ = kernel(
            "touch", 8, [this](Warp& w) { touch(w); }, Counted::machine_code);
        chase_ = kernel(
            "chase", 8, [this](Warp& w) { chase(w); }, Counted::machine_code);
    }
    std::string difference() const override {
        u32 at = 0;
        for (u32 i = 0; i < options_.iterations; ++i) at = buffer_[at];
        return first_difference("last", last_, std::vector<u32> {at});
    }

  private:
    bool next() override {
        if (launches() == 0)
            launch(touch_, lines_);
        else if (launches() == 1)
            launch(chase_, {1, 1, 1}, {32, 1, 1});
        else
            return false;
        return true;
    }
    void touch(Warp& w) const {
        enum class Site : u32 { line };
        const auto i = w.thread();
        w.if_(i < lines_, [&] { w.load(Site::line, buffer_, i * line_words); });
    }
    void chase(Warp& w) const {
        enum class Site : u32 { hop, end };
        w.if_(w.thread() < 1, [&] {
            Lanes<u32> at;
            for (u32 i = 0; i < options_.iterations; ++i) at = w.load(Site::hop, buffer_, at);
            w.store(Site::end, last_, Lanes<u32>(), at);
        });
    }

    u32 lines_;
    Array<u32> buffer_, last_;
    u32 touch_, chase_;
};

const Entry entry {
    {.names = {"chase"},
     .doc = "One thread follows pointers in random order: its second launch measures the latency "
            "of a load",
     .tables = "microbenchmarks (memsim silicon)",
     .size_is = "the number of lines of 128 bytes in the buffer; iterations are hops",
     .size = 1 << 15,
     .check_size = 100,
     .least = 2,
     .most = 1 << 25,
     .iterations = 4096,
     .memory = [](const Options& o) { return 260 * o.size; },
     .make = make<Chase>}};

} // namespace

} // namespace memsim::workload
