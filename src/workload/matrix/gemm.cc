#include "workload/matrix/gemm.hh"

#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

namespace memsim::workload {

void MatrixProduct::multiply(Warp& w) const {
    enum class Site : u32 { c, a, b, set };
    const auto j = w.x(), i = w.y();
    w.if_(i < rows && j < columns, [&] {
        const auto at = mad(i, columns, j), row = i * depth;
        auto sum = w.load(Site::c, c, at) * beta;
        w.repeat(depth, [&](u32 k) {
            const auto scaled = w.load(Site::a, a, row, k) * alpha;
            sum = mad(scaled, w.load(Site::b, b, j, k * columns), sum);
        });
        w.store(Site::set, c, at, sum);
    });
}

std::vector<float> MatrixProduct::plain(std::vector<float> from) const {
    for (u64 i = 0; i < rows; ++i)
        for (u64 j = 0; j < columns; ++j) {
            float sum = from[i * columns + j] * beta;
            for (u64 k = 0; k < depth; ++k) {
                const float scaled = a[i * depth + k] * alpha;
                sum = scaled * b[k * columns + j] + sum;
            }
            from[i * columns + j] = sum;
        }
    return from;
}

namespace {

class Gemm final : public Application {
  public:
    explicit Gemm(const Options& options) : Application(options) {
        product_.rows = product_.columns = product_.depth = static_cast<u32>(options.size);
        product_.alpha = 1.5f, product_.beta = 1.25f;
        const u64 cells = options.size * options.size;
        first_ = random_floats(options.seed, "c", cells);
        product_.a = memory_.input("a", random_floats(options.seed, "a", cells));
        product_.b = memory_.input("b", random_floats(options.seed, "b", cells));
        product_.c = memory_.filled("c", first_);
        multiply_ = kernel("gemm_kernel", 20, [this](Warp& w) { product_.multiply(w); });
    }
    std::string difference() const override {
        return first_difference("c", product_.c, product_.plain(first_));
    }

  private:
    bool next() override {
        if (launches() > 0) return false;
        launch(multiply_, product_.grid(), MatrixProduct::block);
        return true;
    }

    std::vector<float> first_;
    MatrixProduct product_;
    u32 multiply_;
};

const Entry entry {{.names = {"gemm"},
                    .doc = "The product of two matrices, one thread per element, after PolyBench "
                           "(Grauer-Gray et al., InPar'12)",
                    .tables = "CXL (gemm)",
                    .size_is = "the number of rows and columns",
                    .size = 256,
                    .check_size = 40,
                    .most = 8192,
                    .memory = [](const Options& o) { return 16 * o.size * o.size; },
                    .make = make<Gemm>}};

} // namespace

} // namespace memsim::workload
