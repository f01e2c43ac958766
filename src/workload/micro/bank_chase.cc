#include "workload/catalogue.hh"

/// One warp follows pointers through shared memory, so that each load depends on the previous one.
/// Its lanes access words at a stride, so that `stride` words of a bank conflict in each load.
namespace memsim::workload {

namespace {

constexpr u32 banks = 32;

class BankChase final : public Application {
  public:
    explicit BankChase(const Options& options)
        : Application(options), stride_(static_cast<u32>(options.size)) {
        last_ = memory_.zeroed<u32>("last", gpu_program::warp_lanes);
        chase_ = kernel(
            "chase", 8, [this](Block& b) { chase(b); }, Counted::machine_code,
            banks * stride_ * sizeof(u32));
    }
    /// After any number of hops a lane is at its own word.
    std::string difference() const override {
        std::vector<u32> expected(gpu_program::warp_lanes);
        for (u32 i = 0; i < expected.size(); ++i) expected[i] = i * stride_;
        return first_difference("last", last_, expected);
    }

  private:
    bool next() override {
        if (launches() == 1) return false;
        launch(chase_, {1, 1, 1}, {gpu_program::warp_lanes, 1, 1});
        return true;
    }
    void chase(Block& b) const {
        enum class Site : u32 { own, hop, end };
        const auto words = b.shared<u32>(banks * stride_);
        b.each([&](Warp& w) {
            const auto lane = w.lane();
            Lanes<u32> at = w.map<u32>([&](u32 i) { return i * stride_; });
            w.store(Site::own, words, at, at);
            for (u32 i = 0; i < options_.iterations; ++i) at = w.load(Site::hop, words, at);
            w.store(Site::end, last_, lane, at);
        });
    }

    u32 stride_;
    Array<u32> last_;
    u32 chase_;
};

const Entry bank_chase {
    {.names = {"bank_chase"},
     .doc = "One warp follows pointers in shared memory, with conflicts of banks: the latency of a "
            "shared-memory load",
     .tables = "microbenchmarks (memsim silicon)",
     .size_is =
         "the stride of the lanes in words of 4 bytes: a power of two is the number of words "
         "that conflict in a bank; iterations are hops",
     .size = banks,
     .check_size = 4,
     .most = banks,
     .iterations = 4096,
     .memory = [](const Options&) { return u64 {4096}; },
     .make = make<BankChase>}};

} // namespace

} // namespace memsim::workload
