#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

/// Jacobi steps of Laplace's equation in a cube, after the LPS of GPGPU-Sim's set (Bakhoda et al.,
/// ISPASS'09; Giles' laplace3d): blocks of 32 x 4 march along z with the current plane and its halo
/// in shared memory; the planes below and above are in registers [A].
namespace memsim::workload {

struct LaplaceHost {
    u32 step = 0;
};

namespace {

constexpr u32 width = 32, height = 4, pitch = width + 2;

class Laplace final : public HostedApplication<LaplaceHost> {
  public:
    explicit Laplace(const Options& options)
        : HostedApplication(options), n_(static_cast<u32>(options.size)) {
        first_ = random_floats(options.seed, "grid", u64 {n_} * n_ * n_);
        grid_[0] = memory_.filled("u1", first_);
        grid_[1] = memory_.filled("u2", first_); // its faces never change
        kernel_ = kernel(
            "laplace3d", 24, [this](Block& b) { advance(b); }, Counted::by_rule,
            pitch * (height + 2) * 4);
    }
    std::string difference() const override {
        std::vector<float> in = first_, out = first_;
        const u32 plane = n_ * n_;
        for (u32 t = 0; t < options_.iterations; ++t) {
            for (u32 z = 1; z + 1 < n_; ++z)
                for (u32 y = 1; y + 1 < n_; ++y)
                    for (u32 x = 1; x + 1 < n_; ++x) {
                        const u32 at = z * plane + y * n_ + x;
                        const float sum = in[at - 1] + in[at + 1] + in[at - n_] + in[at + n_] +
                                          in[at - plane] + in[at + plane];
                        out[at] = sum * sixth;
                    }
            in.swap(out);
        }
        return first_difference("u", grid_[options_.iterations % 2], in);
    }

  private:
    static constexpr float sixth = 1.0f / 6;

    bool next() override {
        if (host.step == options_.iterations) return false;
        launch(kernel_, {(n_ - 1) / width + 1, (n_ - 1) / height + 1, 1}, {width, height, 1});
        ++host.step;
        return true;
    }
    /// Requires that host.step is already the next step.
    void advance(Block& b) {
        enum class Site : u32 {
            first,
            second,
            above,
            put,
            rim_west,
            put_west,
            rim_east,
            put_east,
            rim_north,
            put_north,
            rim_south,
            put_south,
            west,
            east,
            north,
            south,
            set
        };
        const Array<float>&in = grid_[(host.step - 1) % 2], &out = grid_[host.step % 2];
        const auto shared = b.shared<float>(pitch * (height + 2));
        const u32 plane = n_ * n_;
        Registers<float> below(b), here(b), above(b);
        Registers<u32> at(b), place(b); // in plane 0; in shared memory
        const auto in_grid = [&](Warp& w) {
            const auto x = w.x();
            const auto y = w.y();
            return x < n_ && y < n_;
        };
        b.each([&](Warp& w) {
            const auto x = w.x();
            const auto y = w.y();
            const auto tx = w.tx();
            const auto ty = w.ty();
            at[w] = mad(y, n_, x);
            place[w] = mad(ty, pitch, tx) + (pitch + 1);
            w.if_(x < n_ && y < n_, [&] {
                below[w] = w.load(Site::first, in, at[w]);
                here[w] = w.load(Site::second, in, at[w], plane);
            });
        });
        for (u32 z = 1; z + 1 < n_; ++z) {
            b.each([&](Warp& w) {
                w.if_(in_grid(w), [&] {
                    const auto mine = at[w] + z * plane;
                    const auto cell = place[w];
                    above[w] = w.load(Site::above, in, mine, plane);
                    w.store(Site::put, shared, cell, here[w]);
                    const auto rim = [&](Cond holds, Site from, Site to, u32 by, u32 step) {
                        w.if_(holds, [&] {
                            const auto value = w.load(from, in, mine + by);
                            w.store(to, shared, cell + step, value);
                        });
                    };
                    const auto x = w.x();
                    const auto y = w.y();
                    const auto tx = w.tx();
                    const auto ty = w.ty();
                    rim(tx == 0 && x > 0u, Site::rim_west, Site::put_west, 0u - 1, 0u - 1);
                    rim(tx == width - 1 && x < n_ - 1, Site::rim_east, Site::put_east, 1, 1);
                    rim(ty == 0 && y > 0u, Site::rim_north, Site::put_north, 0u - n_, 0u - pitch);
                    rim(ty == height - 1 && y < n_ - 1, Site::rim_south, Site::put_south, n_,
                        pitch);
                });
            });
            b.barrier();
            b.each([&](Warp& w) {
                const auto x = w.x();
                const auto y = w.y();
                w.if_(x > 0u && y > 0u && x < n_ - 1 && y < n_ - 1, [&] {
                    const auto corner = place[w] - pitch;
                    const auto north = w.load(Site::north, shared, corner);
                    const auto west = w.load(Site::west, shared, corner, pitch - 1);
                    const auto east = w.load(Site::east, shared, corner, pitch + 1);
                    const auto south = w.load(Site::south, shared, corner, 2 * pitch);
                    const auto sum = west + east + north + south + below[w] + above[w];
                    const auto target = at[w] + z * plane;
                    w.store(Site::set, out, target, sum * sixth);
                });
                below[w] = here[w];
                here[w] = above[w];
            });
            b.barrier();
        }
    }

    u32 n_;
    std::vector<float> first_;
    std::array<Array<float>, 2> grid_;
    u32 kernel_;
};

const Entry entry {{.names = {"lps"},
                    .doc = "Laplace's equation in a cube, planes in shared memory, after "
                           "GPGPU-Sim's LPS (Bakhoda et al., ISPASS'09)",
                    .tables = "LPS",
                    .size_is = "the number of cells along each side",
                    .size = 100,
                    .check_size = 20,
                    .least = 3,
                    .most = 1024,
                    .memory = [](const Options& o) { return 12 * o.size * o.size * o.size; },
                    .make = make<Laplace>}};

} // namespace

} // namespace memsim::workload
