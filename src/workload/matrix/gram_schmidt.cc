#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

/// The Gram-Schmidt process after PolyBench (Grauer-Gray et al., InPar'12). For each column, kernel
/// 1 computes its norm (one thread), kernel 2 divides the column by it, and kernel 3 subtracts its
/// projection from all later columns (one thread per column).
namespace memsim::workload {

struct GramSchmidtHost {
    u32 column = 0;
    u32 kernel = 0; ///< the next kernel
};

namespace {

class GramSchmidt final : public HostedApplication<GramSchmidtHost> {
  public:
    explicit GramSchmidt(const Options& options)
        : HostedApplication(options), n_(static_cast<u32>(options.size)) {
        first_ = random_floats(options.seed, "a", u64 {n_} * n_);
        a_ = memory_.filled("a", first_);
        r_ = memory_.zeroed<float>("r", u64 {n_} * n_);
        q_ = memory_.zeroed<float>("q", u64 {n_} * n_);
        kernels_[0] = kernel("gramschmidt_kernel1", 14, [this](Warp& w) { take_norm(w); });
        kernels_[1] = kernel("gramschmidt_kernel2", 10, [this](Warp& w) { divide_column(w); });
        kernels_[2] = kernel("gramschmidt_kernel3", 18, [this](Warp& w) { take_out(w); });
    }
    std::string difference() const override;

  private:
    bool next() override {
        if (host.kernel == 3) {
            host.kernel = 0;
            ++host.column;
        }
        if (host.column == n_) return false;
        launch(kernels_[host.kernel], host.kernel == 0 ? 1 : n_, 256);
        ++host.kernel;
        return true;
    }
    enum class Site : u32 { a, norm, q, set, q_again, a_again, r, other };

    void take_norm(Warp& w) {
        const u32 k = host.column;
        w.if_(w.thread() == 0, [&] {
            Lanes<float> sum = all_lanes(0.0f);
            sum.flow = &w;
            w.repeat(n_, [&](u32 i) {
                const auto a = w.load(Site::a, a_, all_lanes(i * n_ + k));
                sum = mad(a, a, sum);
            });
            w.store(Site::set, r_, all_lanes(k * n_ + k), w.square_root(sum));
        });
    }
    void divide_column(Warp& w) {
        const u32 k = host.column;
        const auto i = w.thread();
        w.if_(i < n_, [&] {
            const auto at = mad(i, n_, all_lanes(k));
            const auto a = w.load(Site::a, a_, at);
            w.store(Site::set, q_, at, w.divide(a, w.load(Site::norm, r_, all_lanes(k * n_ + k))));
        });
    }
    void take_out(Warp& w) {
        const u32 k = host.column;
        const auto j = w.thread();
        w.if_(j > k && j < n_, [&] {
            Lanes<float> sum = all_lanes(0.0f);
            sum.flow = &w;
            w.repeat(n_, [&](u32 i) {
                const auto q = w.load(Site::q, q_, all_lanes(i * n_ + k));
                sum = mad(q, w.load(Site::a, a_, j + i * n_), sum);
            });
            w.store(Site::r, r_, j + k * n_, sum);
            w.repeat(n_, [&](u32 i) {
                const auto at = j + i * n_;
                const auto a = w.load(Site::a_again, a_, at);
                const auto q = w.load(Site::q_again, q_, all_lanes(i * n_ + k));
                w.store(Site::other, a_, at, a - q * sum);
            });
        });
    }

    u32 n_;
    std::vector<float> first_;
    Array<float> a_, r_, q_;
    std::array<u32, 3> kernels_ {};
};

std::string GramSchmidt::difference() const {
    std::vector<float> a = first_, r(a.size()), q(a.size());
    for (u32 k = 0; k < n_; ++k) {
        float norm = 0;
        for (u32 i = 0; i < n_; ++i) norm = a[i * n_ + k] * a[i * n_ + k] + norm;
        r[k * n_ + k] = std::sqrt(norm);
        for (u32 i = 0; i < n_; ++i) q[i * n_ + k] = a[i * n_ + k] / r[k * n_ + k];
        for (u32 j = k + 1; j < n_; ++j) {
            float sum = 0;
            for (u32 i = 0; i < n_; ++i) sum = q[i * n_ + k] * a[i * n_ + j] + sum;
            r[k * n_ + j] = sum;
            for (u32 i = 0; i < n_; ++i) a[i * n_ + j] = a[i * n_ + j] - q[i * n_ + k] * sum;
        }
    }
    if (auto wrong = first_difference("q", q_, q); !wrong.empty()) return wrong;
    return first_difference("r", r_, r);
}

const Entry entry {{.names = {"gram", "GRAMS", "gramschmidt"},
                    .doc = "The Gram-Schmidt process, three kernels per column, after PolyBench "
                           "(Grauer-Gray et al., InPar'12)",
                    .tables = "ZnG II (gram), Ohm II (GRAMS)",
                    .size_is = "the number of rows and columns",
                    .size = 128,
                    .check_size = 24,
                    .most = 8192,
                    .memory = [](const Options& o) { return 16 * o.size * o.size; },
                    .make = make<GramSchmidt>}};

} // namespace

} // namespace memsim::workload
