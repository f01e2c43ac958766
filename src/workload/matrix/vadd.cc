#include "workload/matrix/vadd.hh"

#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

namespace memsim::workload {

namespace {

/// In saxpy, the operands are x and the result itself.
template <bool saxpy>
class VectorAdd final : public Application {
  public:
    explicit VectorAdd(const Options& options)
        : Application(options), a_(random_floats(options.seed, "a", options.size)),
          b_(random_floats(options.seed, "b", options.size)) {
        sum_.x = memory_.input("a", a_);
        sum_.y = saxpy ? memory_.filled("y", b_) : memory_.input("b", b_);
        sum_.out = saxpy ? sum_.y : memory_.zeroed<float>("c", options.size);
        sum_.saxpy = saxpy;
        add_ = kernel(saxpy ? "saxpy" : "vadd", 10, [this](Warp& w) { sum_.add(w); });
    }
    std::string difference() const override {
        std::vector<float> sum(a_.size());
        for (u32 i = 0; i < sum.size(); ++i) sum[i] = (saxpy ? a_[i] * 2.0f : a_[i]) + b_[i];
        return first_difference("sum", sum_.out, sum);
    }

  private:
    bool next() override {
        if (launches() > 0) return false;
        launch(add_, sum_.size());
        return true;
    }

    std::vector<float> a_, b_;
    VectorSum sum_;
    u32 add_;
};

const Entry vadd {{.names = {"vadd"},
                   .doc = "The sum of two vectors of floats, as CUDA's samples have it",
                   .tables = "CXL (vadd)",
                   .size_is = "the number of elements",
                   .size = 1 << 20,
                   .check_size = 5000,
                   .memory = [](const Options& o) { return 20 * o.size; },
                   .make = make<VectorAdd<false>>}};
const Entry saxpy {{.names = {"saxpy"},
                    .doc = "y = 2 x + y over two vectors of floats",
                    .tables = "CXL (saxpy)",
                    .size_is = "the number of elements",
                    .size = 1 << 20,
                    .check_size = 5000,
                    .memory = [](const Options& o) { return 16 * o.size; },
                    .make = make<VectorAdd<true>>}};

} // namespace

} // namespace memsim::workload
