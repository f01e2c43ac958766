#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"
#include "workload/simt/near.hh"

/// Back-propagation through the first layer of a neural network, after Rodinia (Che et al.,
/// IISWC'09): n inputs, 16 hidden units. `layerforward` multiplies inputs and weights in shared
/// memory and adds the 16 rows of each block as a tree. The host applies the sigmoid and computes
/// the deltas; `adjust_weights` changes the weights. `bp_train` is all of bpnn_train_cuda: previous
/// weights of zero, one output unit with Rodinia's target of 0.1, deltas computed by the host, and
/// the first weights copied to the device again between the kernels. From some hundred inputs on,
/// sums saturate all hidden units, so their deltas are 0. In `back`, deltas and previous weights
/// are random, and the second kernel changes the output of the first one [A].
namespace memsim::workload {

namespace {

constexpr u32 units = 16;
constexpr float eta = 0.3f, momentum = 0.3f, target = 0.1f;

template <bool whole>
class Backprop final : public Application {
  public:
    explicit Backprop(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size) * units) {
        const u32 weights = (n_ + 1) * (units + 1);
        input_ = memory_.input("input", random_floats(options.seed, "input", n_ + 1));
        first_weights_ = random_floats(options.seed, "weights", weights);
        first_old_ =
            whole ? std::vector<float>(weights) : random_floats(options.seed, "old", weights);
        weights_ = memory_.filled("weights", first_weights_);
        old_ = memory_.filled("old_weights", first_old_);
        partial_ = memory_.zeroed<float>("hidden_partial_sum", u64 {n_ / units} * units);
        to_output_ = random_floats(options.seed, "output", units + 1);
        delta_ = whole ? memory_.zeroed<float>("delta", units + 1)
                       : memory_.input("delta", random_floats(options.seed, "delta", units + 1));
        forward_ = kernel(
            "layerforward", 18, [this](Block& b) { forward(b); }, Counted::by_rule,
            (units + units * units) * sizeof(float));
        adjust_ = kernel("adjust_weights", 20, [this](Warp& w) { adjust(w); });
    }
    std::string difference() const override;

  private:
    bool next() override {
        if (launches() == 2) return false;
        if (whole && launches() == 1) {
            compute_deltas();
            std::copy(first_weights_.begin(), first_weights_.end(), weights_.data);
        }
        launch(launches() == 0 ? forward_ : adjust_, {1, n_ / units, 1}, {units, units, 1});
        return true;
    }
    /// The host's part as in bpnn_train_cuda; `exponential` is its only function of libm.
    template <class Real, class Exponential>
    std::vector<Real> deltas(Exponential exponential) const {
        const auto squashed = [&](Real sum) { return 1 / (1 + exponential(-sum)); };
        std::vector<Real> hidden {1}, delta {0};
        for (u32 unit = 1; unit <= units; ++unit) {
            Real sum = 0;
            for (u32 block = 0; block < n_ / units; ++block)
                sum += partial_[block * units + unit - 1];
            sum += first_weights_[unit]; // the bias
            hidden.push_back(squashed(sum));
        }
        Real sum = 0;
        for (u32 unit = 0; unit <= units; ++unit) {
            const Real term = to_output_[unit] * hidden[unit];
            sum += term;
        }
        const Real output = squashed(sum);
        const Real error = output * (1 - output) * (target - output);
        for (u32 unit = 1; unit <= units; ++unit) {
            const Real back = error * to_output_[unit];
            delta.push_back(hidden[unit] * (1 - hidden[unit]) * back);
        }
        return delta;
    }
    void compute_deltas() {
        const auto computed = deltas<float>([](float x) { return exact_exp(x); });
        std::copy(computed.begin(), computed.end(), delta_.data);
    }
    void forward(Block& b) {
        enum class Site : u32 {
            input,
            set_node,
            weight,
            set_matrix,
            matrix,
            node,
            set_product,
            upper,
            lower,
            set_sum,
            set_weight,
            partial
        };
        const auto node = b.shared<float>(units);
        const auto matrix = b.shared<float>(units * units);
        const u32 first = (units + 1) * units * b.y();
        b.each([&](Warp& w) {
            w.if_(w.tx() == 0, [&] {
                const auto y = w.ty();
                const auto value = w.load(Site::input, input_, y + (units * b.y() + 1));
                w.store(Site::set_node, node, y, value);
            });
        });
        b.barrier();
        b.each([&](Warp& w) {
            const auto x = w.tx();
            const auto y = w.ty();
            const auto index = mad(y, units + 1, x) + (first + units + 2);
            const auto value = w.load(Site::weight, weights_, index);
            w.store(Site::set_matrix, matrix, mad(y, units, x), value);
        });
        b.barrier();
        b.each([&](Warp& w) {
            const auto x = w.tx();
            const auto y = w.ty();
            const auto at = mad(y, units, x);
            const auto weight = w.load(Site::matrix, matrix, at);
            const auto value = w.load(Site::node, node, w.ty());
            w.store(Site::set_product, matrix, at, weight * value);
        });
        b.barrier();
        for (u32 step = 2; step <= units; step *= 2) {
            b.each([&](Warp& w) {
                w.if_((w.ty() & (step - 1)) == 0, [&] {
                    const auto x = w.tx();
                    const auto y = w.ty();
                    const auto at = mad(y, units, x);
                    const auto upper = w.load(Site::upper, matrix, at);
                    const auto lower = w.load(Site::lower, matrix, at, units * step / 2);
                    w.store(Site::set_sum, matrix, at, upper + lower);
                });
            });
            b.barrier();
        }
        b.each([&](Warp& w) {
            const auto x = w.tx();
            const auto y = w.ty();
            const auto index = mad(y, units + 1, x) + (first + units + 2);
            const auto value = w.load(Site::matrix, matrix, mad(y, units, x));
            w.store(Site::set_weight, weights_, index, value);
            w.if_(x == 0, [&] {
                const auto sum = w.load(Site::upper, matrix, y);
                w.store(Site::partial, partial_, y + units * b.y(), sum);
            });
        });
    }
    void adjust(Warp& w) {
        enum class Site : u32 {
            delta,
            input,
            old,
            weight,
            set_weight,
            set_old,
            bias_delta,
            bias_old,
            bias,
            set_bias,
            set_bias_old
        };
        const auto x = w.tx();
        const auto y = w.ty();
        const auto index = mad(y, units + 1, x) + ((units + 1) * units * w.by() + units + 2);
        const auto row = y + (units * w.by() + 1);
        const auto delta = w.load(Site::delta, delta_, x, 1);
        const auto input = w.load(Site::input, input_, row);
        const auto old = w.load(Site::old, old_, index);
        const auto weight = w.load(Site::weight, weights_, index);
        const auto step = delta * eta * input;
        const auto rest = old * momentum;
        const auto change = step + rest;
        w.store(Site::set_weight, weights_, index, weight + change);
        w.store(Site::set_old, old_, index, change);
        w.if_(y == 0 && Cond(w.by() == 0 ? all_active : 0), [&] { // the bias
            const auto unit = x + 1;
            const auto its_delta = w.load(Site::bias_delta, delta_, unit);
            const auto its_old = w.load(Site::bias_old, old_, unit);
            const auto bias = w.load(Site::bias, weights_, unit);
            const auto its_step = its_delta * eta;
            const auto its_rest = its_old * momentum;
            const auto more = its_step + its_rest;
            w.store(Site::set_bias, weights_, unit, bias + more);
            w.store(Site::set_bias_old, old_, unit, more);
        });
    }

    u32 n_; ///< number of inputs
    std::vector<float> first_weights_, first_old_;
    std::vector<float> to_output_; ///< from the hidden units, bias first
    Array<float> input_, weights_, old_, partial_, delta_;
    u32 forward_, adjust_;
};

template <bool whole>
std::string Backprop<whole>::difference() const {
    std::vector<float> weights = first_weights_, old = first_old_, partial(partial_.size);
    for (u32 block = 0; block < n_ / units; ++block) {
        float product[units][units];
        const u32 first = (units + 1) * units * block + units + 2;
        for (u32 y = 0; y < units; ++y)
            for (u32 x = 0; x < units; ++x)
                product[y][x] =
                    weights[first + (units + 1) * y + x] * input_[units * block + y + 1];
        for (u32 step = 2; step <= units; step *= 2)
            for (u32 y = 0; y < units; y += step)
                for (u32 x = 0; x < units; ++x) product[y][x] += product[y + step / 2][x];
        for (u32 y = 0; y < units; ++y)
            for (u32 x = 0; x < units; ++x) weights[first + (units + 1) * y + x] = product[y][x];
        for (u32 i = 0; i < units; ++i) partial[units * block + i] = product[0][i];
    }
    if (whole) {
        weights = first_weights_;
        const auto exact = deltas<long double>([](long double x) { return std::exp(x); });
        const std::uint64_t terms = n_ / units + 100;
        const float sums = static_cast<float>(terms) * 0x1p-24f;
        // A hidden unit's sum is rounded once per block; its sigmoid is at most 1.
        auto wrong = first_far<float>("delta", delta_.host(), [&](u64 i) {
            return std::pair(exact[i], std::abs(exact[i]) * sums * 100 + 0x1p-23L);
        });
        if (!wrong.empty()) return wrong;
    }
    for (u32 row = 1; row <= n_; ++row)
        for (u32 x = 0; x < units; ++x) {
            const u32 i = (units + 1) * row + x + 1;
            const float change = delta_[x + 1] * eta * input_[row] + old[i] * momentum;
            weights[i] += change;
            old[i] = change;
        }
    for (u32 unit = 1; unit <= units; ++unit) {
        const float more = delta_[unit] * eta + old[unit] * momentum;
        weights[unit] += more;
        old[unit] = more;
    }
    if (auto wrong = first_difference("hidden_partial_sum", partial_, partial); !wrong.empty())
        return wrong;
    if (auto wrong = first_difference("weights", weights_, weights); !wrong.empty()) return wrong;
    return first_difference("old_weights", old_, old);
}

const Entry entry {{.names = {"back", "backp", "backprop", "bp"},
                    .doc = "Back-propagation through a layer of 16 units, shared memory and "
                           "barriers, after Rodinia (Che et al., IISWC'09)",
                    .tables = "ZnG II (back), Ohm II (backp)",
                    .size_is = "the number of inputs over 16",
                    .size = 4096,
                    .check_size = 40,
                    .most = 1 << 22,
                    .memory = [](const Options& o) { return 4480 * o.size; },
                    .make = make<Backprop<false>>}};
const Entry training {{.names = {"bp_train"},
                       .doc = "Back-propagation with the host's part and weights as Rodinia sets "
                              "them (Che et al., IISWC'09)",
                       .tables = "CMD I (bp)",
                       .size_is = "the number of inputs over 16",
                       .size = 4096,
                       .check_size = 40,
                       .most = 1 << 22,
                       .memory = [](const Options& o) { return 4480 * o.size; },
                       .make = make<Backprop<true>>}};

} // namespace

} // namespace memsim::workload
