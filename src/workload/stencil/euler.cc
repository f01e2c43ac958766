#include "workload/catalogue.hh"
#include "workload/stencil/tetrahedra.hh"

/// Air flow around a body after Rodinia's cfd, euler3d (Corrigan et al., AIAA 2009-4001; Che et
/// al., IISWC'09): finite volumes for the Euler equations. An iteration copies the variables,
/// computes the time step of each element, and three times the fluxes over its four sides and a
/// time step (Runge-Kutta). Blocks of 192 threads; values of the far field are instruction
/// constants. The copy from device to device is a kernel [A].
namespace memsim::workload {

namespace {

constexpr u32 threads = 192, stages = 3;
constexpr u32 axes = Mesh::axes, sides = Mesh::sides, variables = 2 + axes;
constexpr float gamma_1 = 0.4f, gamma = 1.4f, smoothing = 0.2f; // of air; artificial viscosity

/// The state of the gas at a place; T is a number, or a register of a warp.
template <class T>
struct Gas {
    T density, energy;
    std::array<T, axes> momentum, velocity;
    T speed, pressure, sound;
    std::array<std::array<T, axes>, axes> momentum_flux; ///< of momentum a along axis b
    std::array<T, axes> energy_flux;
};
/// The flux into an element.
template <class T>
struct Fluxes {
    T density, energy;
    std::array<T, axes> momentum;
};

/// Density, momentum, energy.
using State = std::array<float, variables>;

/// Mach 1.2 along x, at pressure 1.
constexpr State far_variables = [] {
    const float density = 1.4f, speed = 1.2f, pressure = 1.0f;
    return State {density, density * speed, 0.0f, 0.0f,
                  density * (0.5f * (speed * speed)) + pressure / gamma_1};
}();

/// In plain numbers, for the far field and the reference.
Gas<float> gas_of(const State& v) {
    Gas<float> g;
    g.density = v[0];
    g.energy = v[1 + axes];
    float square = 0;
    for (u32 a = 0; a < axes; ++a) {
        g.momentum[a] = v[1 + a];
        g.velocity[a] = v[1 + a] / g.density;
        square = a == 0 ? g.velocity[a] * g.velocity[a] : g.velocity[a] * g.velocity[a] + square;
    }
    g.speed = std::sqrt(square);
    g.pressure = (g.energy - g.density * square * 0.5f) * gamma_1;
    g.sound = std::sqrt(g.pressure * gamma / g.density);
    for (u32 a = 0; a < axes; ++a) {
        for (u32 m = 0; m < axes; ++m) { // a symmetric tensor
            g.momentum_flux[m][a] = g.velocity[std::min(m, a)] * g.momentum[std::max(m, a)];
            if (m == a) g.momentum_flux[m][a] += g.pressure;
        }
        g.energy_flux[a] = g.velocity[a] * (g.energy + g.pressure);
    }
    return g;
}

class Euler final : public Application {
  public:
    explicit Euler(const Options& options) : Application(options) {
        const Mesh mesh = tetrahedra(static_cast<u32>(options.size), options.seed, threads);
        n_ = mesh.elements;
        areas_ = memory_.input("areas", mesh.area);
        neighbours_ = memory_.input("elements_surrounding_elements", mesh.neighbour);
        normals_ = memory_.input("normals", mesh.normal);
        variables_ = memory_.zeroed<float>("variables", u64 {variables} * n_);
        old_ = memory_.zeroed<float>("old_variables", u64 {variables} * n_);
        fluxes_ = memory_.zeroed<float>("fluxes", u64 {variables} * n_);
        step_factors_ = memory_.zeroed<float>("step_factors", n_);
        initialize_ = kernel("initialize_variables", 10, [this](Warp& w) { initialize(w); });
        copy_ = kernel("copy", 8, [this](Warp& w) { copy(w); });
        factor_ = kernel("compute_step_factor", 20, [this](Warp& w) { step_factor(w); });
        flux_ = kernel("compute_flux", 60, [this](Warp& w) { flux(w); });
        step_ = kernel("time_step", 14, [this](Warp& w) { time_step(w); });
    }
    std::string difference() const override;

  private:
    static constexpr u32 launches_of_iteration = 2 + 2 * stages;

    bool next() override {
        const u32 n = launches();
        if (n == 1 + options_.iterations * launches_of_iteration) return false;
        const u32 step = (n - 1) % launches_of_iteration;
        if (n > 0 && step == 0)
            launch(copy_, u64 {variables} * n_);
        else
            launch(n == 0          ? initialize_
                   : step == 1     ? factor_
                   : step % 2 == 0 ? flux_
                                   : step_,
                   {n_ / threads, 1, 1}, {threads, 1, 1});
        return true;
    }
    /// The Runge-Kutta stage of the current launch.
    u32 stage() const { return ((launches() - 2) % launches_of_iteration - 2) / 2; }

    void initialize(Warp& w) {
        enum class Site : u32 { set };
        const auto e = w.thread();
        for (u32 v = 0; v < variables; ++v)
            w.store(static_cast<u32>(Site::set) + v, variables_, e + v * n_, far_variables[v]);
    }
    void copy(Warp& w) {
        enum class Site : u32 { from, to };
        const auto i = w.thread();
        w.if_(i < variables * n_,
              [&] { w.store(Site::to, old_, i, w.load(Site::from, variables_, i)); });
    }
    void step_factor(Warp& w) {
        enum class Site : u32 { gas, area = gas + variables, set };
        const auto e = w.thread();
        const Gas<Lanes<float>> gas = load_gas(w, Site::gas, e);
        const auto length = w.square_root(w.load(Site::area, areas_, e));
        const auto speed = gas.speed + gas.sound;
        const auto both = length * speed;
        w.store(Site::set, step_factors_, e, w.divide(all_lanes(0.5f), both));
    }
    void flux(Warp& w) {
        enum class Site : u32 {
            mine,
            neighbour = mine + variables,
            normal,
            its = normal + axes,
            set = its + variables
        };
        const auto e = w.thread();
        auto mine = load_gas(w, Site::mine, e);
        add_fluxes(mine);
        Fluxes<Lanes<float>> sum;
        sum.density.flow = sum.energy.flow = &w;
        for (auto& m : sum.momentum) m.flow = &w;
        w.repeat(sides, [&](u32 s) {
            const auto its_number = w.load(Site::neighbour, neighbours_, e + s * n_);
            std::array<Lanes<float>, axes> normal;
            for (u32 a = 0; a < axes; ++a)
                normal[a] =
                    w.load(static_cast<u32>(Site::normal) + a, normals_, e + (s + a * sides) * n_);
            auto square = normal[0] * normal[0];
            square = mad(normal[1], normal[1], square);
            square = mad(normal[2], normal[2], square);
            const auto length = w.square_root(square);
            w.if_(
                its_number < Mesh::far_field,
                [&] {
                    auto its = load_gas(w, Site::its, its_number);
                    add_fluxes(its);
                    add_viscosity(sum, length, mine, its);
                    for (u32 a = 0; a < axes; ++a) {
                        const auto half = normal[a] * 0.5f;
                        sum.density = mad(half, its.momentum[a] + mine.momentum[a], sum.density);
                        sum.energy =
                            mad(half, its.energy_flux[a] + mine.energy_flux[a], sum.energy);
                        for (u32 m = 0; m < axes; ++m)
                            sum.momentum[m] =
                                mad(half, its.momentum_flux[m][a] + mine.momentum_flux[m][a],
                                    sum.momentum[m]);
                    }
                },
                [&] {
                    w.if_(
                        its_number == Mesh::wing, // pressure only
                        [&] {
                            for (u32 a = 0; a < axes; ++a)
                                sum.momentum[a] = mad(normal[a], mine.pressure, sum.momentum[a]);
                        },
                        [&] {
                            const Gas<float> far = gas_of(far_variables);
                            for (u32 a = 0; a < axes; ++a) {
                                const auto half = normal[a] * 0.5f;
                                sum.density =
                                    mad(half, mine.momentum[a] + far.momentum[a], sum.density);
                                sum.energy =
                                    mad(half, mine.energy_flux[a] + far.energy_flux[a], sum.energy);
                                for (u32 m = 0; m < axes; ++m)
                                    sum.momentum[m] = mad(
                                        half, mine.momentum_flux[m][a] + far.momentum_flux[m][a],
                                        sum.momentum[m]);
                            }
                        });
                });
        });
        const Lanes<float>* const flown[] = {&sum.density, &sum.momentum[0], &sum.momentum[1],
                                             &sum.momentum[2], &sum.energy};
        for (u32 v = 0; v < variables; ++v)
            w.store(static_cast<u32>(Site::set) + v, fluxes_, e + v * n_, *flown[v]);
    }
    void time_step(Warp& w) {
        enum class Site : u32 { factor, old, flux = old + variables, set = flux + variables };
        const auto e = w.thread();
        const auto its = w.load(Site::factor, step_factors_, e);
        const auto factor = w.divide(its, all_lanes(static_cast<float>(stages + 1 - stage())));
        for (u32 v = 0; v < variables; ++v) {
            const auto at = e + v * n_;
            const auto old = w.load(static_cast<u32>(Site::old) + v, old_, at);
            const auto flux = w.load(static_cast<u32>(Site::flux) + v, fluxes_, at);
            w.store(static_cast<u32>(Site::set) + v, variables_, at, mad(factor, flux, old));
        }
    }

    /// The five variables of an element and derived values, without the fluxes.
    template <class Site>
    Gas<Lanes<float>> load_gas(Warp& w, Site first, const Lanes<u32>& e) {
        const auto load = [&](u32 v) {
            return w.load(static_cast<u32>(first) + v, variables_, e + v * n_);
        };
        Gas<Lanes<float>> g;
        g.density = load(0);
        for (u32 a = 0; a < axes; ++a) g.momentum[a] = load(1 + a);
        g.energy = load(1 + axes);
        for (u32 a = 0; a < axes; ++a) g.velocity[a] = w.divide(g.momentum[a], g.density);
        auto square = g.velocity[0] * g.velocity[0];
        square = mad(g.velocity[1], g.velocity[1], square);
        square = mad(g.velocity[2], g.velocity[2], square);
        const auto moving = g.density * square;
        const auto inner = g.energy - moving * 0.5f;
        g.speed = w.square_root(square);
        g.pressure = inner * gamma_1;
        const auto ratio = w.divide(g.pressure * gamma, g.density);
        g.sound = w.square_root(ratio);
        return g;
    }
    static void add_fluxes(Gas<Lanes<float>>& g) {
        for (u32 m = 0; m < axes; ++m) // a symmetric tensor
            for (u32 a = m; a < axes; ++a) {
                const auto flux = g.velocity[m] * g.momentum[a];
                g.momentum_flux[m][a] = a == m ? flux + g.pressure : flux;
                g.momentum_flux[a][m] = g.momentum_flux[m][a];
            }
        const auto all = g.energy + g.pressure;
        for (u32 a = 0; a < axes; ++a) g.energy_flux[a] = g.velocity[a] * all;
    }
    static void add_viscosity(Fluxes<Lanes<float>>& sum, const Lanes<float>& length,
                              const Gas<Lanes<float>>& mine, const Gas<Lanes<float>>& its) {
        auto speeds = mine.speed + its.speed;
        speeds = speeds + mine.sound;
        speeds = speeds + its.sound;
        const auto factor = length * (-0.5f * smoothing) * speeds;
        sum.density = mad(factor, mine.density - its.density, sum.density);
        sum.energy = mad(factor, mine.energy - its.energy, sum.energy);
        for (u32 m = 0; m < axes; ++m)
            sum.momentum[m] = mad(factor, mine.momentum[m] - its.momentum[m], sum.momentum[m]);
    }
    std::vector<State> plain_fluxes(const std::vector<State>& now) const;

    u32 n_; ///< number of elements
    Array<float> areas_, normals_, variables_, old_, fluxes_, step_factors_;
    Array<u32> neighbours_;
    u32 initialize_, copy_, factor_, flux_, step_;
};

std::vector<State> Euler::plain_fluxes(const std::vector<State>& now) const {
    std::vector<State> fluxes(n_);
    for (u32 e = 0; e < n_; ++e) {
        const Gas<float> mine = gas_of(now[e]);
        State sum {};
        for (u32 s = 0; s < sides; ++s) {
            const u32 other = neighbours_[e + s * n_];
            const auto normal = [&](u32 a) { return normals_[e + (s + a * sides) * n_]; };
            if (other == Mesh::wing) {
                for (u32 a = 0; a < axes; ++a) sum[1 + a] += normal(a) * mine.pressure;
                continue;
            }
            const bool far = other == Mesh::far_field;
            const Gas<float> its = gas_of(far ? far_variables : now[other]);
            if (!far) {
                const float length = std::sqrt(normal(0) * normal(0) + normal(1) * normal(1) +
                                               normal(2) * normal(2));
                const float factor = length * (-0.5f * smoothing) *
                                     (mine.speed + its.speed + mine.sound + its.sound);
                for (u32 v = 0; v < variables; ++v) sum[v] += factor * (now[e][v] - now[other][v]);
            }
            for (u32 a = 0; a < axes; ++a) {
                const float half = normal(a) * 0.5f;
                sum[0] += half * (mine.momentum[a] + its.momentum[a]);
                for (u32 m = 0; m < axes; ++m)
                    sum[1 + m] += half * (mine.momentum_flux[m][a] + its.momentum_flux[m][a]);
                sum[1 + axes] += half * (mine.energy_flux[a] + its.energy_flux[a]);
            }
        }
        fluxes[e] = sum;
    }
    return fluxes;
}

std::string Euler::difference() const {
    std::vector<State> now(n_, far_variables);
    for (u32 i = 0; i < options_.iterations; ++i) {
        const std::vector<State> old = now;
        std::vector<float> factor(n_);
        for (u32 e = 0; e < n_; ++e) {
            const Gas<float> gas = gas_of(old[e]);
            factor[e] = 0.5f / (std::sqrt(areas_[e]) * (gas.speed + gas.sound));
        }
        for (u32 stage = 0; stage < stages; ++stage) {
            const std::vector<State> fluxes = plain_fluxes(now);
            for (u32 e = 0; e < n_; ++e)
                for (u32 v = 0; v < variables; ++v)
                    now[e][v] = old[e][v] +
                                factor[e] / static_cast<float>(stages + 1 - stage) * fluxes[e][v];
        }
    }
    std::vector<float> result(variables_.size);
    for (u32 e = 0; e < n_; ++e)
        for (u32 v = 0; v < variables; ++v) result[e + v * n_] = now[e][v];
    return first_difference("variables", variables_, result);
}

const Entry entry {{.names = {"cfd"},
                    .doc =
                        "Air flow around a body in a mesh of tetrahedra, after Rodinia's euler3d "
                        "(Corrigan et al., 2009; Che et al., IISWC'09)",
                    .tables = "CMD I, CXL (cfd)",
                    .size_is = "cells of six elements along each side",
                    .size = 24,
                    .check_size = 8,
                    .most = 256,
                    .iterations = 4,
                    .memory = [](const Options& o) { return 1190 * o.size * o.size * o.size; },
                    .make = make<Euler>}};

} // namespace

} // namespace memsim::workload
