#pragma once

#include "workload/application.hh"
#include "workload/neural/network.hh"

namespace memsim::workload {

/// Inference of one image after Darknet (Redmon, 2013-2016), kernel by kernel, in blocks of 512
/// threads: darknet_kernels.hh.
std::unique_ptr<Application> make_darknet(const Options& options, Network network);

/// Added to a deviation before dividing by it.
inline constexpr float normalization_least = .000001f;

/// The reference: a layer's output by plain loops, without im2col, groups or steps. `all` holds the
/// outputs of the preceding `layers`.
std::vector<float> plain_layer(const Layer& l, const std::vector<float>& in,
                               const std::vector<Layer>& layers,
                               const std::vector<std::vector<float>>& all);

} // namespace memsim::workload
