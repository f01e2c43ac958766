#include "workload/catalogue.hh"

/// One thread follows pointers through chunks of 256 bytes at a stride. If the stride is the number
/// of L2 slices, and no hash selects them, all chunks are in one slice: the time of a hop is the
/// latency of that slice for an L1 of a few KiB. The first launch brings the lines into the
/// L2.
namespace memsim::workload {

namespace {

constexpr u32 chunks = 128, lines_of_chunk = 2, words_of_line = 32;
constexpr u32 lines = chunks * lines_of_chunk;
constexpr u32 rounds = 8;

class SliceChase final : public Application {
  public:
    explicit SliceChase(const Options& options)
        : Application(options), stride_(static_cast<u32>(options.size)),
          slice_(options.iterations) {
        std::vector<u32> words(u64 {chunks} * stride_ * lines_of_chunk * words_of_line);
        for (u32 n = 0; n < lines; ++n) words[place(n)] = place((n + 1) % lines);
        buffer_ = memory_.input("buffer", words);
        last_ = memory_.zeroed<u32>("last", 1);
        chase_ = kernel(
            "chase", 8, [this](Warp& w) { chase(w); }, Counted::machine_code);
    }
    std::string difference() const override {
        return first_difference("last", last_, std::vector<u32> {place(0)});
    }

  private:
    /// The first word of line n of the slice.
    u32 place(u32 n) const {
        const u32 chunk = n / lines_of_chunk * stride_ + slice_ % stride_;
        return (chunk * lines_of_chunk + n % lines_of_chunk) * words_of_line;
    }
    bool next() override {
        if (launches() == 2) return false;
        launch(chase_, {1, 1, 1}, {32, 1, 1});
        return true;
    }
    void chase(Warp& w) const {
        enum class Site : u32 { hop, end };
        w.if_(w.thread() < 1, [&] {
            Lanes<u32> at = w.map<u32>([&](u32) { return place(0); });
            for (u32 i = 0; i < rounds * lines; ++i) at = w.load(Site::hop, buffer_, at);
            w.store(Site::end, last_, Lanes<u32>(), at);
        });
    }

    u32 stride_, slice_;
    Array<u32> buffer_, last_;
    u32 chase_;
};

const Entry slice_chase {
    {.names = {"slice_chase"},
     .doc = "One thread follows pointers in chunks of 256 bytes at a stride: latency of a slice of "
            "the L2",
     .tables = "microbenchmarks (memsim silicon)",
     .size_is = "the stride in chunks; iterations modulo it are the number of the slice",
     .size = 64,
     .check_size = 2,
     .most = 1024,
     .iterations = 1,
     .memory = [](const Options& o) { return u64 {lines} * words_of_line * 4 * o.size + 256; },
     .make = make<SliceChase>}};

} // namespace

} // namespace memsim::workload
