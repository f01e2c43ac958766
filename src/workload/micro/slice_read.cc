#include "workload/catalogue.hh"

/// Pairs of blocks read chunks of 256 bytes at a stride. If the stride is the number of L2 slices,
/// and no hash selects them, all chunks are in one slice. Each pair reads each line once, with 32
/// outstanding loads in each warp. The first launch brings the lines into the L2.
namespace memsim::workload {

namespace {

constexpr u32 lines_read = 2048, lines_of_chunk = 2, words_of_line = 32;
constexpr u32 warps_of_block = 32;

class SliceRead final : public Application {
  public:
    explicit SliceRead(const Options& options)
        : Application(options), stride_(static_cast<u32>(options.size)) {
        words_ = memory_.zeroed<u32>("words", u64 {lines_read} * stride_ * words_of_line);
        read_ = kernel(
            "read", 16, [this](Warp& w) { read(w); }, Counted::machine_code);
    }
    std::string difference() const override { return ""; }

  private:
    bool next() override {
        if (launches() == 2) return false;
        launch(read_, {2 * options_.iterations, 1, 1}, {warps_of_block * warp_lanes, 1, 1});
        return true;
    }
    void read(Warp& w) const {
        enum class Site : u32 { word };
        const u32 half = w.bx() / options_.iterations; // of a pair, whose blocks share an SM
        const u32 first = half * warps_of_block + w.index();
        std::array<Lanes<u32>, lines_read / (2 * warps_of_block)> loaded;
        std::size_t n = 0;
        for (u32 line = first; line < lines_read; line += 2 * warps_of_block) {
            const u32 chunk = line / lines_of_chunk * lines_of_chunk * stride_;
            const u32 word = (chunk + line % lines_of_chunk) * words_of_line;
            loaded[n++] = w.load(Site::word, words_, w.map<u32>([&](u32 i) { return word + i; }));
        }
        Lanes<u32> sum = loaded[0]; // once all loads are on their way
        for (std::size_t i = 1; i < loaded.size(); ++i) sum = sum + loaded[i];
        w.if_(sum == 1u, [] {}); // never: a load whose result is unused would be removed
    }

    u32 stride_;
    Array<u32> words_;
    u32 read_;
};

const Entry slice_read {
    {.names = {"slice_read"},
     .doc = "Reads chunks of 256 bytes at a stride: bandwidth of a slice of the L2",
     .tables = "microbenchmarks (memsim silicon)",
     .size_is = "the stride in chunks; iterations are the pairs of blocks, each of which reads all "
                "chunks",
     .size = 64,
     .check_size = 2,
     .most = 1024,
     .iterations = 1,
     .memory = [](const Options& o) { return lines_read * words_of_line * 4 * o.size; },
     .make = make<SliceRead>}};

} // namespace

} // namespace memsim::workload
