#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

/// Finite differences in the time domain over a plane, after PolyBench's FDTD-2D (Grauer-Gray et
/// al., InPar'12): three kernels per step.
namespace memsim::workload {

struct FdtdHost {
    u32 step = 0;
    u32 kernel = 0;
};

namespace {

class Fdtd final : public HostedApplication<FdtdHost> {
  public:
    explicit Fdtd(const Options& options)
        : HostedApplication(options), n_(static_cast<u32>(options.size)) {
        const u64 cells = u64 {n_} * n_;
        fict_ = memory_.input("fict", random_floats(options.seed, "fict", options.iterations));
        for (u32 i = 0; i < 3; ++i)
            first_[i] = random_floats(options.seed, std::string("field ") + "xyz"[i], cells);
        ex_ = memory_.filled("ex", first_[0]);
        ey_ = memory_.filled("ey", first_[1]);
        hz_ = memory_.filled("hz", first_[2]);
        kernels_[0] = kernel("fdtd_step1", 14, [this](Warp& w) { step_y(w); });
        kernels_[1] = kernel("fdtd_step2", 14, [this](Warp& w) { step_x(w); });
        kernels_[2] = kernel("fdtd_step3", 16, [this](Warp& w) { step_z(w); });
    }
    std::string difference() const override;

  private:
    bool next() override {
        if (host.step == options_.iterations) return false;
        launch(kernels_[host.kernel], {(n_ - 1) / 32 + 1, (n_ - 1) / 8 + 1, 1}, {32, 8, 1});
        if (++host.kernel == 3) {
            host.kernel = 0;
            ++host.step;
        }
        return true;
    }
    enum class Site : u32 { fict, value, right, left, down, up, set };

    void step_y(Warp& w) {
        const auto j = w.x(), i = w.y();
        w.if_(i < n_ && j < n_, [&] {
            const auto at = mad(i, n_, j);
            w.if_(
                i == 0,
                [&] {
                    w.store(Site::set, ey_, at, w.load(Site::fict, fict_, all_lanes(host.step)));
                },
                [&] {
                    const auto right = w.load(Site::right, hz_, at);
                    const auto left = w.load(Site::left, hz_, at - n_);
                    const auto field = right - left;
                    const auto half = field * 0.5f;
                    const auto value = w.load(Site::value, ey_, at);
                    w.store(Site::set, ey_, at, value - half);
                });
        });
    }
    void step_x(Warp& w) {
        const auto j = w.x(), i = w.y();
        w.if_(i < n_ && j < n_ && j > 0u, [&] {
            const auto at = mad(i, n_, j);
            const auto right = w.load(Site::right, hz_, at);
            const auto left = w.load(Site::left, hz_, at - 1);
            const auto field = right - left;
            const auto half = field * 0.5f;
            const auto value = w.load(Site::value, ex_, at);
            w.store(Site::set, ex_, at, value - half);
        });
    }
    void step_z(Warp& w) {
        const auto j = w.x(), i = w.y();
        w.if_(i < n_ - 1 && j < n_ - 1, [&] {
            const auto at = mad(i, n_, j);
            const auto left = w.load(Site::left, ex_, at);
            const auto right = w.load(Site::right, ex_, at, 1);
            const auto up = w.load(Site::up, ey_, at);
            const auto down = w.load(Site::down, ey_, at, n_);
            const auto value = w.load(Site::value, hz_, at);
            const auto x = right - left;
            const auto y = down - up;
            const auto part = (x + y) * 0.7f;
            w.store(Site::set, hz_, at, value - part);
        });
    }

    u32 n_;
    std::array<std::vector<float>, 3> first_;
    Array<float> fict_, ex_, ey_, hz_;
    std::array<u32, 3> kernels_ {};
};

std::string Fdtd::difference() const {
    std::vector<float> ex = first_[0], ey = first_[1], hz = first_[2];
    for (u32 t = 0; t < options_.iterations; ++t) {
        for (u32 i = 0; i < n_; ++i)
            for (u32 j = 0; j < n_; ++j) {
                const u32 at = i * n_ + j;
                ey[at] = i == 0 ? fict_[t] : ey[at] - (hz[at] - hz[at - n_]) * 0.5f;
            }
        for (u32 i = 0; i < n_; ++i)
            for (u32 j = 1; j < n_; ++j) {
                const u32 at = i * n_ + j;
                ex[at] = ex[at] - (hz[at] - hz[at - 1]) * 0.5f;
            }
        for (u32 i = 0; i + 1 < n_; ++i)
            for (u32 j = 0; j + 1 < n_; ++j) {
                const u32 at = i * n_ + j;
                hz[at] = hz[at] - ((ex[at + 1] - ex[at]) + (ey[at + n_] - ey[at])) * 0.7f;
            }
    }
    if (auto wrong = first_difference("ex", ex_, ex); !wrong.empty()) return wrong;
    if (auto wrong = first_difference("ey", ey_, ey); !wrong.empty()) return wrong;
    return first_difference("hz", hz_, hz);
}

const Entry entry {
    {.names = {"FDTD", "FDT", "fdtd2d"},
     .doc = "Finite differences in the time domain over a plane, three kernels per step, "
            "after PolyBench (Grauer-Gray et al., InPar'12)",
     .tables = "ZnG II (FDT), Ohm II (FDTD)",
     .size_is = "the number of cells along each side",
     .size = 512,
     .check_size = 40,
     .least = 2,
     .most = 16384,
     .iterations = 3,
     .memory = [](const Options& o) { return 24 * o.size * o.size; },
     .make = make<Fdtd>}};

} // namespace

} // namespace memsim::workload
