#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

/// Gaussian elimination after Rodinia (Che et al., IISWC'09): for each column, `Fan1` computes the
/// multipliers of the rows below and `Fan2` subtracts the row from them. Rodinia's consecutive
/// threads of `Fan2` walk down a column of the matrix; those of GaussianByRows walk along a row.
namespace memsim::workload {

struct GaussianHost {
    u32 column = 0;
    bool second = false;
};

namespace {

class Gaussian : public HostedApplication<GaussianHost> {
  public:
    explicit Gaussian(const Options& options, bool by_rows = false)
        : HostedApplication(options), n_(static_cast<u32>(options.size)), by_rows_(by_rows) {
        first_a_ = random_floats(options.seed, "a", u64 {n_} * n_);
        for (u32 i = 0; i < n_; ++i)
            first_a_[i * (n_ + 1)] += static_cast<float>(n_); // makes the matrix regular
        first_b_ = random_floats(options.seed, "b", n_);
        m_ = memory_.zeroed<float>("m", u64 {n_} * n_);
        a_ = memory_.filled("a", first_a_);
        b_ = memory_.filled("b", first_b_);
        fan1_ = kernel("Fan1", 14, [this](Warp& w) { multipliers(w); });
        fan2_ = kernel("Fan2", 18, [this](Warp& w) { subtract(w); });
    }
    std::string difference() const override;

  private:
    bool next() override {
        if (host.second) {
            const u32 blocks = (n_ - 1) / 4 + 1;
            launch(fan2_, {blocks, blocks, 1}, {4, 4, 1});
            host.second = false;
            ++host.column;
            return true;
        }
        if (host.column + 1 >= n_) return false;
        launch(fan1_, n_, 512);
        host.second = true;
        return true;
    }
    void multipliers(Warp& w) {
        enum class Site : u32 { below, pivot, set };
        const u32 t = host.column;
        const auto i = w.thread();
        w.if_(i < n_ - 1 - t, [&] {
            const auto at = mad(i + (t + 1), n_, all_lanes(t));
            const auto below = w.load(Site::below, a_, at);
            const auto pivot = w.load(Site::pivot, a_, all_lanes(t * n_ + t));
            w.store(Site::set, m_, at, w.divide(below, pivot));
        });
    }
    /// Requires that host.column is already the next column.
    void subtract(Warp& w) {
        enum class Site : u32 { a, m, above, set_a, b, b_m, b_above, set_b };
        const u32 t = host.column - 1;
        const auto x = by_rows_ ? w.y() : w.x(), y = by_rows_ ? w.x() : w.y();
        w.if_(x < n_ - 1 - t && y < n_ - t, [&] {
            const auto row = x + (t + 1);
            const auto at = mad(row, n_, y + t);
            const auto m = w.load(Site::m, m_, mad(row, n_, all_lanes(t)));
            const auto above = w.load(Site::above, a_, y + (t * n_ + t));
            const auto a = w.load(Site::a, a_, at);
            const auto part = m * above;
            w.store(Site::set_a, a_, at, a - part);
            w.if_(y == 0, [&] {
                const auto b_above = w.load(Site::b_above, b_, all_lanes(t));
                const auto its = w.load(Site::b, b_, row);
                const auto of_b = m * b_above;
                w.store(Site::set_b, b_, row, its - of_b);
            });
        });
    }

    u32 n_;
    bool by_rows_;
    std::vector<float> first_a_, first_b_;
    Array<float> m_, a_, b_;
    u32 fan1_, fan2_;
};

class GaussianByRows final : public Gaussian {
  public:
    explicit GaussianByRows(const Options& options) : Gaussian(options, true) {}
};

std::string Gaussian::difference() const {
    std::vector<float> a = first_a_, b = first_b_;
    for (u32 t = 0; t + 1 < n_; ++t)
        for (u32 row = t + 1; row < n_; ++row) {
            const float m = a[row * n_ + t] / a[t * n_ + t];
            for (u32 y = t; y < n_; ++y) a[row * n_ + y] = a[row * n_ + y] - m * a[t * n_ + y];
            b[row] = b[row] - m * b[t];
        }
    if (auto wrong = first_difference("a", a_, a); !wrong.empty()) return wrong;
    return first_difference("b", b_, b);
}

Workload gaussian(std::vector<std::string> names, std::string doc, std::string tables,
                  std::unique_ptr<Application> (*make)(const Options&)) {
    return {.names = std::move(names),
            .doc = std::move(doc),
            .tables = std::move(tables),
            .size_is = "the number of rows",
            .size = 256,
            .check_size = 30,
            .least = 2,
            .most = 16384,
            .memory = [](const Options& o) { return 12 * o.size * o.size; },
            .make = make};
}

const Entry entry {
    gaussian({"gaus", "gauss", "gaussian"},
             "Gaussian elimination, two kernels per column, after Rodinia (Che et al., IISWC'09)",
             "ZnG II (gaus)", make<Gaussian>)};
const Entry by_rows {gaussian({"gaus_rows"},
                              "Gaussian elimination as gaus, with consecutive threads along a row",
                              "CXL (gauss)", make<GaussianByRows>)};

} // namespace

} // namespace memsim::workload
