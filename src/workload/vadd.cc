#include "workload/catalogue.hh"
#include "workload/exact_math.hh"

namespace memsim::workload {

namespace {

/// c = a + b (CUDA samples' vectorAdd), or y = 2 x + y (saxpy) when `b` is the result itself.
template <bool saxpy>
class VectorAdd final : public Application {
  public:
    explicit VectorAdd(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size)),
          a_(random_floats(options.seed, "a", n_)), b_(random_floats(options.seed, "b", n_)) {
        x_ = memory_.input("a", a_);
        y_ = saxpy ? memory_.filled("y", b_) : memory_.input("b", b_);
        out_ = saxpy ? y_ : memory_.zeroed<float>("c", n_);
        add_ = kernel(saxpy ? "saxpy" : "vadd", 10, [this](Warp& w) {
            enum class Site : u32 { x, y, out };
            const auto i = w.thread();
            w.if_(i < n_, [&] {
                const auto x = w.load(Site::x, x_, i);
                const auto y = w.load(Site::y, y_, i);
                w.store(Site::out, out_, i, saxpy ? mad(x, 2.0f, y) : x + y);
            });
        });
    }
    std::string difference() const override {
        std::vector<float> sum(n_);
        for (u32 i = 0; i < n_; ++i) sum[i] = (saxpy ? a_[i] * 2.0f : a_[i]) + b_[i];
        return first_difference("sum", out_, sum);
    }

  private:
    bool next() override {
        if (launches() > 0) return false;
        launch(add_, n_);
        return true;
    }

    u32 n_;
    std::vector<float> a_, b_;
    Array<float> x_, y_, out_;
    u32 add_;
};

const Entry vadd {{.names = {"vadd"},
                   .doc = "The sum of two vectors of floats, as CUDA's samples have it",
                   .tables = "CXL (vadd)",
                   .size_is = "the number of elements",
                   .size = 1 << 20,
                   .check_size = 5000,
                   .make = make<VectorAdd<false>>}};
const Entry saxpy {{.names = {"saxpy"},
                    .doc = "y = 2 x + y over two vectors of floats",
                    .tables = "CXL (saxpy)",
                    .size_is = "the number of elements",
                    .size = 1 << 20,
                    .check_size = 5000,
                    .make = make<VectorAdd<true>>}};

} // namespace

} // namespace memsim::workload
