#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

/// Stencils over a cube: Parboil's seven points (Stratton et al., 2012), step by step between two
/// arrays, and PolyBench's 3-D convolution (Grauer-Gray et al., InPar'12), one launch per plane.
namespace memsim::workload {

struct StencilHost {
    u32 step = 0;
};

namespace {

class Stencil final : public HostedApplication<StencilHost> {
  public:
    explicit Stencil(const Options& options)
        : HostedApplication(options), n_(static_cast<u32>(options.size)) {
        first_ = random_floats(options.seed, "grid", u64 {n_} * n_ * n_);
        grid_[0] = memory_.filled("grid_0", first_);
        grid_[1] = memory_.filled("grid_1", first_);
        kernel_ = kernel("stencil", 20, [this](Warp& w) { advance(w); });
    }
    std::string difference() const override;

  private:
    static constexpr float c0 = 1.0f / 6, c1 = 1.0f / 36; // as passed by Parboil's host

    bool next() override {
        if (host.step == options_.iterations) return false;
        const u32 inside = n_ - 2;
        launch(kernel_, {(inside - 1) / 32 + 1, (inside - 1) / 4 + 1, inside}, {32, 4, 1});
        ++host.step;
        return true;
    }
    /// Requires that host.step is already the next step.
    void advance(Warp& w) {
        enum class Site : u32 { below, above, north, south, west, east, here, set };
        const Array<float>&in = grid_[(host.step - 1) % 2], &out = grid_[host.step % 2];
        const auto x = w.x() + 1, y = w.y() + 1;
        const u32 plane = n_ * n_;
        w.if_(x < n_ - 1 && y < n_ - 1, [&] {
            const auto at = mad(y, n_, x) + (w.bz() + 1) * plane;
            const auto lowest = at - plane;
            const auto below = w.load(Site::below, in, lowest);
            const auto north = w.load(Site::north, in, lowest, plane - n_);
            const auto west = w.load(Site::west, in, lowest, plane - 1);
            const auto here = w.load(Site::here, in, lowest, plane);
            const auto east = w.load(Site::east, in, lowest, plane + 1);
            const auto south = w.load(Site::south, in, lowest, plane + n_);
            const auto above = w.load(Site::above, in, lowest, 2 * plane);
            const auto around = below + above + north + south + west + east;
            const auto outer = around * c1;
            const auto inner = here * c0;
            w.store(Site::set, out, at, outer - inner);
        });
    }

    u32 n_;
    std::vector<float> first_;
    std::array<Array<float>, 2> grid_;
    u32 kernel_;
};

std::string Stencil::difference() const {
    std::vector<float> in = first_, out = first_;
    const u32 plane = n_ * n_;
    for (u32 t = 0; t < options_.iterations; ++t) {
        for (u32 z = 1; z + 1 < n_; ++z)
            for (u32 y = 1; y + 1 < n_; ++y)
                for (u32 x = 1; x + 1 < n_; ++x) {
                    const u32 at = z * plane + y * n_ + x;
                    const float around = in[at - plane] + in[at + plane] + in[at - n_] +
                                         in[at + n_] + in[at - 1] + in[at + 1];
                    out[at] = around * c1 - in[at] * c0;
                }
        in.swap(out);
    }
    return first_difference("grid", grid_[options_.iterations % 2], in);
}

class Convolution final : public HostedApplication<StencilHost> {
  public:
    explicit Convolution(const Options& options)
        : HostedApplication(options), n_(static_cast<u32>(options.size)) {
        a_ = memory_.input("a", random_floats(options.seed, "a", u64 {n_} * n_ * n_));
        b_ = memory_.zeroed<float>("b", u64 {n_} * n_ * n_);
        kernel_ = kernel("convolution3D_kernel", 26, [this](Warp& w) { convolve(w); });
    }
    std::string difference() const override {
        std::vector<float> b(b_.size);
        for (u32 i = 1; i + 1 < n_; ++i)
            for (u32 j = 1; j + 1 < n_; ++j)
                for (u32 k = 1; k + 1 < n_; ++k) {
                    const auto a = [&](u32 x, u32 y, u32 z) {
                        return a_[(u64 {i + x - 1} * n_ + j + y - 1) * n_ + k + z - 1];
                    };
                    // PolyBench's expression, whose coefficients c11 to c33 are 2 to 10.
                    b[(u64 {i} * n_ + j) * n_ + k] =
                        2 * a(0, 0, 0) + 4 * a(2, 0, 0) + 5 * a(0, 0, 0) + 7 * a(2, 0, 0) +
                        -8 * a(0, 0, 0) + 10 * a(2, 0, 0) + -3 * a(1, 0, 1) + 6 * a(1, 1, 1) +
                        -9 * a(1, 2, 1) + 2 * a(0, 0, 2) + 4 * a(2, 0, 2) + 5 * a(0, 1, 2) +
                        7 * a(2, 1, 2) + -8 * a(0, 2, 2) + 10 * a(2, 2, 2);
                }
        return first_difference("b", b_, b);
    }

  private:
    /// PolyBench's coefficients in the order of its expression; a point may have several.
    struct Tap {
        int i, j, k;
        float factor;
    };
    static constexpr Tap taps[] = {
        {-1, -1, -1, 2}, {1, -1, -1, 4}, {-1, -1, -1, 5}, {1, -1, -1, 7}, {-1, -1, -1, -8},
        {1, -1, -1, 10}, {0, -1, 0, -3}, {0, 0, 0, 6},    {0, 1, 0, -9},  {-1, -1, 1, 2},
        {1, -1, 1, 4},   {-1, 0, 1, 5},  {1, 0, 1, 7},    {-1, 1, 1, -8}, {1, 1, 1, 10}};

    u32 offset(const Tap& t) const {
        const int n = static_cast<int>(n_);
        return static_cast<u32>((t.i * n + t.j) * n + t.k);
    }
    bool next() override {
        if (host.step + 2 >= n_) return false;
        launch(kernel_, {(n_ - 1) / 32 + 1, (n_ - 1) / 8 + 1, 1}, {32, 8, 1});
        ++host.step;
        return true;
    }
    /// Computes plane host.step. Taps of the same point share a load, as in compiled code.
    void convolve(Warp& w) {
        const u32 set = static_cast<u32>(std::size(taps));
        const auto k = w.x(), j = w.y();
        w.if_(k < n_ - 1 && j < n_ - 1 && k > 0u && j > 0u, [&] {
            const auto at = mad(j, n_, k) + host.step * n_ * n_;
            const auto corner = at - (n_ * n_ + n_ + 1);
            std::vector<Lanes<float>> value(std::size(taps));
            Lanes<float> sum = all_lanes(0.0f);
            sum.flow = &w;
            for (u32 t = 0; t < std::size(taps); ++t) {
                u32 same = 0;
                while (offset(taps[same]) != offset(taps[t])) ++same;
                if (same == t) value[t] = w.load(t, a_, corner, offset(taps[t]) + n_ * n_ + n_ + 1);
                sum = mad(value[same], taps[t].factor, sum);
            }
            w.store(set, b_, at, sum);
        });
    }

    u32 n_;
    Array<float> a_, b_;
    u32 kernel_;
};

const Entry stencil {
    {.names = {"stencil"},
     .doc = "A seven-point stencil over a cube, step by step, after Parboil (Stratton "
            "et al., 2012)",
     .tables = "CXL (stencil)",
     .size_is = "the number of cells along each side",
     .size = 64,
     .check_size = 20,
     .least = 3,
     .most = 1024,
     .iterations = 2,
     .memory = [](const Options& o) { return 12 * o.size * o.size * o.size; },
     .make = make<Stencil>}};
const Entry conv3 {{.names = {"conv3"},
                    .doc =
                        "A 3-D convolution, one launch per plane, after PolyBench (Grauer-Gray et "
                        "al., InPar'12)",
                    .tables = "CXL (conv3)",
                    .size_is = "the number of cells along each side",
                    .size = 64,
                    .check_size = 20,
                    .least = 3,
                    .most = 1024,
                    .memory = [](const Options& o) { return 8 * o.size * o.size * o.size; },
                    .make = make<Convolution>}};

} // namespace

} // namespace memsim::workload
