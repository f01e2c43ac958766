#include "workload/catalogue.hh"
#include "workload/exact_math.hh"

/// The product of two matrices after PolyBench's GEMM (Grauer-Gray et al., InPar'12): C = alpha A B
/// + beta C, one thread an element, no shared memory.
namespace memsim::workload {

namespace {

constexpr float alpha = 1.5f, beta = 1.25f;

class Gemm final : public Application {
  public:
    explicit Gemm(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size)) {
        const u64 cells = u64 {n_} * n_;
        first_ = random_floats(options.seed, "c", cells);
        a_ = memory_.input("a", random_floats(options.seed, "a", cells));
        b_ = memory_.input("b", random_floats(options.seed, "b", cells));
        c_ = memory_.filled("c", first_);
        multiply_ = kernel("gemm_kernel", 20, [this](Warp& w) { multiply(w); });
    }
    std::string difference() const override {
        std::vector<float> c = first_;
        for (u32 i = 0; i < n_; ++i)
            for (u32 j = 0; j < n_; ++j) {
                float sum = c[i * n_ + j] * beta;
                for (u32 k = 0; k < n_; ++k) {
                    const float scaled = a_[i * n_ + k] * alpha;
                    sum = scaled * b_[k * n_ + j] + sum;
                }
                c[i * n_ + j] = sum;
            }
        return first_difference("c", c_, c);
    }

  private:
    bool next() override {
        if (launches() > 0) return false;
        launch(multiply_, {(n_ - 1) / 32 + 1, (n_ - 1) / 8 + 1, 1}, {32, 8, 1});
        return true;
    }
    void multiply(Warp& w) {
        enum class Site : u32 { c, a, b, set };
        const auto j = w.x(), i = w.y();
        w.if_(i < n_ && j < n_, [&] {
            const auto at = mad(i, n_, j), row = i * n_;
            auto sum = w.load(Site::c, c_, at) * beta;
            w.repeat(n_, [&](u32 k) {
                const auto a = w.load(Site::a, a_, row, k) * alpha;
                sum = mad(a, w.load(Site::b, b_, j, k * n_), sum);
            });
            w.store(Site::set, c_, at, sum);
        });
    }

    u32 n_;
    std::vector<float> first_;
    Array<float> a_, b_, c_;
    u32 multiply_;
};

const Entry entry {{.names = {"gemm"},
                    .doc = "The product of two matrices, one thread an element, after PolyBench "
                           "(Grauer-Gray et al., InPar'12)",
                    .tables = "CXL (gemm)",
                    .size_is = "the number of rows and columns",
                    .size = 256,
                    .check_size = 40,
                    .most = 8192,
                    .make = make<Gemm>}};

} // namespace

} // namespace memsim::workload
