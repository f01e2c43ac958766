#pragma once

#include "workload/neural/darknet.hh"

namespace memsim::workload {

/// The application created by make_darknet(): the kernels of each layer.
///
/// Models        Darknet's sequence of kernels for one image. The output of a weighted layer is
///               filled with 0; each group's im2col and product are added to it; normalization,
///               scale, bias and activation each read and write all of it. Linear activations run,
///               too.
/// Not modelled  cuBLAS: the product is computed by one thread per element.
class Darknet final : public Application {
  public:
    Darknet(const Options& options, Network network);

    std::string difference() const override;
    std::vector<std::string> inputs() const override { return net_.files; }

  private:
    struct Step {
        u32 kernel, layer, part, threads;
    };
    /// Per filter; empty if the layer is not normalized.
    struct Normalization {
        Array<float> scale, mean, variance;
    };
    /// The part that both layers of a shortcut share, each with its own stride.
    struct Overlap {
        u32 w, h, c, from_stride, stride;
    };

    bool next() override;
    void load_host(Loader& from) override;
    void generate(Layer& l, const std::string& number) const;
    void plan(u32 i);
    Array<float> in(u32 layer) const { return layer ? out_[layer - 1] : image_; }
    const Step& step() const { return steps_[launches() - 1]; }
    const Layer& layer() const { return net_.layers[step().layer]; }
    static bool plain(const Layer& l) { return l.size == 1 && l.stride == 1 && l.pad == 0; }
    Overlap overlap(const Layer& l) const;

    struct Split {
        Lanes<u32> quotient, rest;
    };
    static Split split(Warp& w, const Lanes<u32>& a, u32 by) {
        const auto quotient = w.divide(a, all_lanes(by));
        const auto product = quotient * by;
        return {quotient, a - product};
    }
    Lanes<u32> filter_of(Warp& w, const Lanes<u32>& element) const;

    void fill(Warp& w);
    void im2col(Warp& w);
    void gemm(Warp& w);
    void normalize(Warp& w);
    void scale_bias(Warp& w);
    void add_bias(Warp& w);
    void activate(Warp& w);
    void maxpool(Warp& w);
    void avgpool(Warp& w);
    void copy(Warp& w);
    void shortcut(Warp& w);
    void crop(Warp& w);
    void upsample(Warp& w);
    void reorg(Warp& w);
    void softmax(Warp& w);

    Network net_;
    std::vector<Step> steps_;
    Array<float> image_, columns_;
    std::vector<Array<float>> weights_, bias_, out_;
    std::vector<Normalization> normalization_;
    u32 fill_, im2col_, gemm_, normalize_, scale_bias_, add_bias_, activate_, maxpool_, avgpool_,
        copy_, shortcut_, upsample_, reorg_, softmax_, crop_;
};

} // namespace memsim::workload
