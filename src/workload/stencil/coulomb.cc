#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"

/// The Coulomb potential of atoms on a plane of points, after the CP of GPGPU-Sim's set (Bakhoda et
/// al., ISPASS'09): one point per thread [A] (several in the original), blocks of 16 x 8. Its
/// constant memory is device memory here [A].
namespace memsim::workload {

namespace {

constexpr float spacing = 0.125f;

class Coulomb final : public Application {
  public:
    explicit Coulomb(const Options& options)
        : Application(options), ny_(static_cast<u32>(options.size)), nx_(2 * ny_),
          atoms_(options.iterations > 1 ? options.iterations : std::max(1u, ny_ * 4000 / 256)) {
        std::vector<float> info = random_floats(options.seed, "atoms", u64 {4} * atoms_);
        for (u32 a = 0; a < atoms_; ++a) { // x, y, the square of the distance to the plane, charge
            info[4 * a] *= spacing * static_cast<float>(nx_);
            info[4 * a + 1] *= spacing * static_cast<float>(ny_);
            info[4 * a + 2] += 0.5f;
        }
        info_ = memory_.input("atominfo", info);
        energy_ = memory_.zeroed<float>("energygrid", u64 {nx_} * ny_);
        kernel_ = kernel("cenergy", 20, [this](Warp& w) { sum(w); });
    }
    std::string difference() const override {
        std::vector<float> energy(energy_.size);
        for (u32 j = 0; j < ny_; ++j)
            for (u32 i = 0; i < nx_; ++i) {
                const float x = static_cast<float>(i) * spacing;
                const float y = static_cast<float>(j) * spacing;
                float sum = 0;
                for (u32 a = 0; a < atoms_; ++a) {
                    const float dx = x - info_[4 * a], dy = y - info_[4 * a + 1];
                    const float flat = dx * dx + info_[4 * a + 2];
                    sum += info_[4 * a + 3] / std::sqrt(dy * dy + flat);
                }
                energy[j * nx_ + i] = sum;
            }
        return first_difference("energygrid", energy_, energy);
    }

  private:
    bool next() override {
        if (launches() > 0) return false;
        launch(kernel_, {(nx_ - 1) / 16 + 1, (ny_ - 1) / 8 + 1, 1}, {16, 8, 1});
        return true;
    }
    void sum(Warp& w) {
        enum class Site : u32 { x, y, z, charge, set };
        const auto i = w.x();
        const auto j = w.y();
        w.if_(i < nx_ && j < ny_, [&] {
            const auto x = as<float>(i) * spacing;
            const auto y = as<float>(j) * spacing;
            Lanes<float> sum = all_lanes(0.0f);
            sum.flow = &w;
            w.repeat(atoms_, [&](u32 a) {
                const auto atom = all_lanes(4 * a);
                const auto its_x = w.load(Site::x, info_, atom);
                const auto its_y = w.load(Site::y, info_, atom, 1);
                const auto its_z = w.load(Site::z, info_, atom, 2);
                const auto charge = w.load(Site::charge, info_, atom, 3);
                const auto dx = x - its_x;
                const auto dy = y - its_y;
                const auto flat = mad(dx, dx, its_z);
                const auto distance = w.square_root(mad(dy, dy, flat));
                sum = sum + w.divide(charge, distance);
            });
            w.store(Site::set, energy_, mad(j, nx_, i), sum);
        });
    }

    u32 ny_, nx_, atoms_;
    Array<float> info_, energy_;
    u32 kernel_;
};

const Entry entry {{.names = {"cp"},
                    .doc = "The Coulomb potential of atoms on a plane, after GPGPU-Sim's CP "
                           "(Bakhoda et al., ISPASS'09)",
                    .tables = "CP",
                    .size_is = "rows of the plane; twice as many columns, 4000 atoms at 256, or "
                               "`iterations` atoms",
                    .size = 64,
                    .check_size = 20,
                    .most = 4096,
                    .memory = [](const Options& o) { return 9 * o.size * o.size; },
                    .make = make<Coulomb>}};

} // namespace

} // namespace memsim::workload
