#pragma once

#include "workload/application.hh"
#include "workload/neural/network.hh"

namespace memsim::workload {

/// Inference of one image after Darknet (Redmon, 2013-2016): im2col and a matrix product for each
/// group of a convolution, blocks of 512 threads. Batch normalization is folded into the weights;
/// the product is one thread an element, where Darknet calls cuBLAS.
std::unique_ptr<Application> make_darknet(const Options& options, Network network);

/// A layer's output by plain loops, without im2col, groups or steps: what ours is compared with.
/// `all` holds the outputs of the layers before it, of `layers`.
std::vector<float> plain_layer(const Layer& l, const std::vector<float>& in,
                               const std::vector<Layer>& layers,
                               const std::vector<std::vector<float>>& all);

} // namespace memsim::workload
