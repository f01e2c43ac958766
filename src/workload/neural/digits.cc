#include "workload/catalogue.hh"
#include "workload/simt/exact_math.hh"
#include "workload/simt/near.hh"

/// Digit recognition by a convolutional network, after the NN of GPGPU-Sim's set (Bakhoda et al.,
/// ISPASS'09): pictures of 29 x 29, two 5 x 5 convolutions with stride 2, two fully connected
/// layers; one launch per layer, one unit per thread. Weights and pictures are random.
namespace memsim::workload {

namespace {

/// A layer: `maps` of side x side, computed from `from_maps` of from_side x from_side through a
/// window.
struct Layer {
    u32 maps, side, from_maps, from_side, window;
    u32 taps() const { return from_maps * window * window; }
    u32 units() const { return maps * side * side; }
};
constexpr Layer layers[] = {
    {6, 13, 1, 29, 5}, {50, 5, 6, 13, 5}, {100, 1, 50, 5, 5}, {10, 1, 100, 1, 1}};

/// 1.7159 tanh(2 x / 3), after LeCun.
float squash(float x) {
    const float e = exact_exp(x * (4.0f / 3.0f));
    return 1.7159f - 3.4318f / (e + 1.0f);
}

class Digits final : public Application {
  public:
    explicit Digits(const Options& options)
        : Application(options), pictures_(static_cast<u32>(options.size)) {
        values_[0] = memory_.input(
            "pictures", random_floats(options.seed, "pictures", u64 {29 * 29} * pictures_));
        for (u32 l = 0; l < std::size(layers); ++l) {
            const std::string number = std::to_string(l + 1);
            const Layer& layer = layers[l];
            auto weights = random_floats(options.seed, "weights_" + number,
                                         u64 {layer.maps} * (layer.taps() + 1));
            for (float& f : weights) f = (f - 0.5f) * 0.25f;
            weights_[l] = memory_.input("weights_" + number, weights);
            values_[l + 1] =
                memory_.zeroed<float>("layer_" + number, u64 {layer.units()} * pictures_);
            static constexpr const char* names[] = {"first", "second", "third", "fourth"};
            kernels_[l] = kernel(names[l], 20, [this, l](Warp& w) { forward(w, l); });
        }
    }
    /// Reference in double with tanh of libm, layer by layer, each from the previous layer's data
    /// in device memory.
    std::string difference() const override {
        for (u32 l = 0; l < std::size(layers); ++l) {
            const Layer& y = layers[l];
            std::vector<Sum> sums;
            for (u32 p = 0; p < pictures_; ++p)
                for (u32 m = 0; m < y.maps; ++m)
                    for (u32 at = 0; at < y.side * y.side; ++at) sums.push_back(sum(l, p, m, at));
            const auto squashed = [&](u64 i) {
                // The slope is at most 1.14; squash() itself has an error of some last bits.
                constexpr double slope = 1.1439, itself = 4e-6;
                const double x = sums[i].value;
                return std::pair(1.7159 * std::tanh(2 * x / 3), slope * sums[i].error + itself);
            };
            const std::string name = "layer_" + std::to_string(l + 1);
            if (auto wrong = first_far<float>(name, values_[l + 1].host(), squashed);
                !wrong.empty())
                return wrong;
        }
        return "";
    }

  private:
    struct Sum {
        double value, error;
    };
    /// The input sum of a unit of layer l, and the error bound of float arithmetic.
    Sum sum(u32 l, u32 picture, u32 map, u32 unit) const {
        const Layer& y = layers[l];
        u32 weight = map * (y.taps() + 1);
        double sum = weights_[l][weight++], size = std::abs(sum);
        for (u32 f = 0; f < y.from_maps; ++f)
            for (u32 r = 0; r < y.window; ++r)
                for (u32 c = 0; c < y.window; ++c) {
                    const u32 row = unit / y.side * 2 + r, column = unit % y.side * 2 + c;
                    const u32 plane = picture * y.from_maps + f;
                    const u32 i = (plane * y.from_side + row) * y.from_side + column;
                    const double term = double {values_[l][i]} * double {weights_[l][weight++]};
                    sum += term;
                    size += std::abs(term);
                }
        return {sum, size * (y.taps() + 2) * 0x1p-24};
    }
    bool next() override {
        if (launches() == std::size(layers)) return false;
        const Layer& layer = layers[launches()];
        launch(kernels_[launches()], {layer.maps, pictures_, 1}, {layer.side, layer.side, 1});
        return true;
    }
    void forward(Warp& w, u32 l) {
        enum class Site : u32 { bias, value, weight, set };
        const Layer& y = layers[l];
        const u32 map = w.bx(), first = map * (y.taps() + 1);
        const u32 plane = y.from_side * y.from_side;
        const u32 from = w.by() * y.from_maps * plane;
        const auto column = w.tx();
        const auto row = w.ty();
        const auto corner = mad(row, 2 * y.from_side, column * 2) + from;
        const auto weight = all_lanes(first);
        auto sum = w.load(Site::bias, weights_[l], weight);
        u32 tap = 0;
        w.repeat(y.from_maps, [&](u32 f) {
            w.repeat(y.window, [&](u32 r) {
                w.repeat(y.window, [&](u32 c) {
                    const auto value =
                        w.load(Site::value, values_[l], corner, f * plane + r * y.from_side + c);
                    const auto its = w.load(Site::weight, weights_[l], weight, ++tap);
                    sum = mad(value, its, sum);
                });
            });
        });
        const auto out = w.apply<float>(
            rule::exponential + rule::float_division + 3, [&](u32 i) { return squash(sum[i]); },
            sum);
        const auto at = mad(row, y.side, column) + (w.by() * y.maps + map) * (y.side * y.side);
        w.store(Site::set, values_[l + 1], at, out);
    }

    u32 pictures_;
    std::array<Array<float>, 5> values_;
    std::array<Array<float>, 4> weights_;
    std::array<u32, 4> kernels_;
};

const Entry entry {{.names = {"nn"},
                    .doc = "A convolutional network that reads digits, one launch per layer, after "
                           "GPGPU-Sim's NN (Bakhoda et al., ISPASS'09)",
                    .tables = "NN",
                    .size_is = "the number of pictures",
                    .size = 28,
                    .check_size = 1,
                    .most = 1 << 16,
                    .memory = [](const Options& o) { return 800'000 + 12'900 * o.size; },
                    .make = make<Digits>}};

} // namespace

} // namespace memsim::workload
