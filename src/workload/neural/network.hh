#pragma once

#include "files/input_file.hh"

#include <vector>

/// Convolutional networks as lists of layers, after Darknet (Redmon, 2013-2016), and its two files.
namespace memsim::workload {

using files::InputFile;

struct Layer {
    enum class Kind : std::uint8_t {
        convolutional,
        maxpool,
        avgpool,
        shortcut,
        route,
        upsample,
        reorg,
        softmax,
        identity,  ///< dropout, and detection, which is the host's
        connected, ///< a convolution of one pixel whose channels are all inputs
        local,     ///< a convolution with weights of its own for each pixel
        crop,      ///< the centre of the image, as -1 to 1
        extra      ///< the inputs and `filters` zeros behind them
    };
    enum class Activation : std::uint8_t { linear, leaky, relu, ramp, logistic };
    Kind kind = Kind::identity;
    /// Of a pool, `pad` is the sum of both sides; of a crop, `size` is the side of the output.
    std::uint32_t filters = 1, size = 1, stride = 1, pad = 0, groups = 1;
    Activation activation = Activation::linear;
    bool normalized = false;
    float temperature = 1; ///< of softmax
    std::vector<int> from; ///< of route and shortcut: below 0 counts back from this layer
    std::uint32_t in_w = 0, in_h = 0, in_c = 0, w = 0, h = 0, c = 0; ///< by Network::add
    std::vector<float> weights, bias;
    std::vector<float> scale, mean, variance; ///< of each filter, where `normalized`

    // 32 bits hold them: Network::add takes no larger layer.
    std::uint32_t outputs() const { return w * h * c; }
    std::uint32_t depth() const { return in_c / groups * size * size; } ///< of one filter
    bool weighted() const {
        return kind == Kind::convolutional || kind == Kind::connected || kind == Kind::local;
    }
    std::uint64_t weight_count() const {
        return std::uint64_t {filters} * depth() * (kind == Kind::local ? w * h : 1);
    }
    std::uint32_t bias_count() const { return kind == Kind::local ? outputs() : filters; }
};

struct Network {
    std::uint32_t w = 0, h = 0, c = 3;
    std::vector<Layer> layers;
    std::vector<std::string> files; ///< that it was read from
    bool cut = false; ///< the image became one pixel: what would halve it and all after is left out
    std::uint64_t held = 0;      ///< floats of all weights and outputs
    std::uint64_t workspace = 0; ///< floats of the largest im2col

    /// Computes its shape. What is wrong with it, or nothing.
    std::string add(Layer layer);

  private:
    std::string take(const Layer& layer, std::uint64_t w, std::uint64_t h, std::uint64_t c);
};

/// Reads a .cfg for a square image of `side` pixels.
Network read_cfg(const std::string& path, std::uint32_t side);
/// Reads the weights of its convolutions; a network that is cut leaves a rest.
void read_weights(const std::string& path, Network& network);

} // namespace memsim::workload
