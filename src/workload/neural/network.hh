#pragma once

#include "input_files/input_file.hh"

#include <vector>

/// Convolutional networks as lists of layers, and Darknet's two file formats (Redmon, 2013-2016).
namespace memsim::workload {

using input_files::InputFile;

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
        identity,  ///< dropout, and detection, which the host performs
        connected, ///< a convolution of one pixel with all inputs as channels
        local,     ///< a convolution with separate weights for each pixel
        crop,      ///< the centre of the image, scaled to -1 to 1
        extra      ///< the inputs, followed by `filters` zeros
    };
    enum class Activation : std::uint8_t { linear, leaky, relu, ramp, logistic };
    Kind kind = Kind::identity;
    /// For a pool, `pad` is the sum of both sides; for a crop, `size` is the side of the output.
    std::uint32_t filters = 1, size = 1, stride = 1, pad = 0, groups = 1;
    Activation activation = Activation::linear;
    bool normalized = false;
    float temperature = 1; ///< of softmax
    std::vector<int> from; ///< of route and shortcut; negative: relative to this layer
    std::uint32_t in_w = 0, in_h = 0, in_c = 0, w = 0, h = 0, c = 0; ///< set by Network::add
    std::vector<float> weights, bias;
    std::vector<float> scale, mean, variance; ///< per filter, if `normalized`

    // Fits in 32 bits: Network::add accepts no larger layer.
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
    std::vector<std::string> files; ///< files from which it was read
    bool cut =
        false; ///< layers that would halve a side of one pixel, and all later layers, are omitted
    std::uint64_t held = 0;      ///< floats of all weights and outputs
    std::uint64_t workspace = 0; ///< floats of the largest im2col

    /// Adds a layer and computes its shape. Returns what is wrong with it, or nothing.
    std::string add(Layer layer);

  private:
    std::string take(const Layer& layer, std::uint64_t w, std::uint64_t h, std::uint64_t c);
};

/// Reads a .cfg for a square image of `side` pixels.
Network read_cfg(const std::string& path, std::uint32_t side);
/// Reads the weights of all layers. A shortened network uses only part of the file.
void read_weights(const std::string& path, Network& network);

} // namespace memsim::workload
