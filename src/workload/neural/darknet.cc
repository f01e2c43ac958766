#include "workload/neural/darknet.hh"

#include "workload/neural/darknet_kernels.hh"
#include "workload/simt/exact_math.hh"
#include "workload/simt/near.hh"

namespace memsim::workload {

using Kind = Layer::Kind;
using Activation = Layer::Activation;

static constexpr u32 block_threads = 512; // BLOCK in darknet.h

Darknet::Darknet(const Options& options, Network network)
    : Application(options), net_(std::move(network)) {
    image_ = memory_.input("image",
                           random_floats(options.seed, "image", u64 {net_.w} * net_.h * net_.c));
    u64 workspace = 1;
    for (u32 i = 0; i < net_.layers.size(); ++i) {
        Layer& l = net_.layers[i];
        const std::string number = std::to_string(i);
        if (l.weighted()) {
            if (l.weights.empty()) generate(l, number);
            workspace = std::max(workspace, u64 {l.depth()} * l.w * l.h);
        }
        weights_.push_back(memory_.input("weights" + number, l.weights));
        bias_.push_back(memory_.input("bias" + number, l.bias));
        normalization_.emplace_back();
        if (l.normalized)
            normalization_.back() = {memory_.input("scale" + number, l.scale),
                                     memory_.input("mean" + number, l.mean),
                                     memory_.input("variance" + number, l.variance)};
        out_.push_back(l.kind == Kind::identity
                           ? in(i)
                           : memory_.zeroed<float>("output" + number, l.outputs()));
    }
    columns_ = memory_.zeroed<float>("workspace", workspace);
    fill_ = kernel("fill_kernel", 8, [this](Warp& w) { fill(w); });
    im2col_ = kernel("im2col_gpu_kernel", 26, [this](Warp& w) { im2col(w); });
    gemm_ = kernel("gemm_kernel", 20, [this](Warp& w) { gemm(w); });
    normalize_ = kernel("normalize_kernel", 16, [this](Warp& w) { normalize(w); });
    scale_bias_ = kernel("scale_bias_kernel", 14, [this](Warp& w) { scale_bias(w); });
    add_bias_ = kernel("add_bias_kernel", 14, [this](Warp& w) { add_bias(w); });
    activate_ = kernel("activate_array_kernel", 12, [this](Warp& w) { activate(w); });
    maxpool_ = kernel("forward_maxpool_layer_kernel", 24, [this](Warp& w) { maxpool(w); });
    avgpool_ = kernel("forward_avgpool_layer_kernel", 14, [this](Warp& w) { avgpool(w); });
    copy_ = kernel("copy_kernel", 12, [this](Warp& w) { copy(w); });
    shortcut_ = kernel("shortcut_kernel", 14, [this](Warp& w) { shortcut(w); });
    upsample_ = kernel("upsample_kernel", 18, [this](Warp& w) { upsample(w); });
    reorg_ = kernel("reorg_kernel", 26, [this](Warp& w) { reorg(w); });
    softmax_ = kernel("softmax_kernel", 16, [this](Warp& w) { softmax(w); });
    crop_ = kernel("forward_crop_layer_kernel", 24, [this](Warp& w) { crop(w); });
    for (u32 i = 0; i < net_.layers.size(); ++i) plan(i);
}

/// Uniform weights with Darknet's deviation, sqrt(2 / depth), which keeps sums of similar size.
/// Scales and variances are around 1, means around 0 [A].
void Darknet::generate(Layer& l, const std::string& number) const {
    const float scale = std::sqrt(2.0f / static_cast<float>(l.depth()));
    l.weights = random_floats(options_.seed, "w" + number, l.weight_count());
    for (float& f : l.weights) f = (f * 2.0f - 1.0f) * scale;
    l.bias = random_floats(options_.seed, "b" + number, l.bias_count());
    if (!l.normalized) return;
    l.scale = random_floats(options_.seed, "s" + number, l.filters);
    l.mean = random_floats(options_.seed, "m" + number, l.filters);
    l.variance = random_floats(options_.seed, "v" + number, l.filters);
    for (u32 f = 0; f < l.filters; ++f) {
        l.scale[f] += 0.5f;
        l.mean[f] = l.mean[f] * 0.5f - 0.25f;
        l.variance[f] += 0.5f;
    }
}

void Darknet::plan(u32 i) {
    const Layer& l = net_.layers[i];
    const auto then = [&](u32 kernel, u32 part, u32 threads) {
        steps_.push_back({kernel, i, part, threads});
    };
    if (l.weighted()) {
        then(fill_, 0, l.outputs());
        for (u32 g = 0; g < l.groups; ++g) {
            if (!plain(l)) then(im2col_, g, l.in_c / l.groups * l.w * l.h);
            then(gemm_, g, l.filters / l.groups * l.w * l.h);
        }
        if (l.normalized) {
            then(normalize_, 0, l.outputs());
            then(scale_bias_, 0, l.outputs());
        }
        then(add_bias_, 0, l.outputs());
        then(activate_, 0, l.outputs());
    } else if (l.kind == Kind::maxpool) {
        then(maxpool_, 0, l.outputs());
    } else if (l.kind == Kind::avgpool) {
        then(avgpool_, 0, l.c);
    } else if (l.kind == Kind::route) {
        for (u32 k = 0; k < l.from.size(); ++k)
            then(copy_, k, net_.layers[static_cast<u32>(l.from[k])].outputs());
    } else if (l.kind == Kind::shortcut) {
        const Overlap o = overlap(l);
        then(copy_, 0, l.outputs());
        then(shortcut_, 0, o.w * o.h * o.c);
        then(activate_, 0, l.outputs());
    } else if (l.kind == Kind::upsample) {
        then(fill_, 0, l.outputs());
        then(upsample_, 0, l.outputs());
    } else if (l.kind == Kind::reorg) {
        then(reorg_, 0, l.outputs());
    } else if (l.kind == Kind::softmax) {
        then(softmax_, 0, l.groups);
    } else if (l.kind == Kind::crop) {
        then(crop_, 0, l.outputs());
    } else if (l.kind == Kind::extra) {
        then(copy_, 0, l.outputs() - l.filters);
    }
}

void Darknet::load_host(Loader& from) {
    from.check(launches() <= steps_.size(), "more layers were started than the network has");
}

bool Darknet::next() {
    if (launches() == steps_.size()) return false;
    const Step& s = steps_[launches()];
    launch(s.kernel, s.threads, block_threads);
    return true;
}

Darknet::Overlap Darknet::overlap(const Layer& l) const {
    const Layer& from = net_.layers[static_cast<u32>(l.from[0])];
    return {std::min(from.w, l.w), std::min(from.h, l.h), std::min(from.c, l.c),
            std::max(from.w / l.w, 1u), std::max(l.w / from.w, 1u)};
}

std::string Darknet::difference() const {
    std::vector<std::vector<float>> all;
    const std::vector<float> image(image_.host().begin(), image_.host().end());
    for (u32 i = 0; i < net_.layers.size(); ++i) {
        all.push_back(plain_layer(net_.layers[i], i ? all[i - 1] : image, net_.layers, all));
        const std::string name = "output" + std::to_string(i);
        std::string wrong;
        if (net_.layers[i].kind == Kind::softmax) {
            // A sum is rounded once per term, and an exponent of at most 87 once.
            const float rounded = static_cast<float>(all[i].size() + 100) * 0x1p-24f;
            wrong = first_far<float>(name, out_[i].host(), [&](u64 k) {
                return std::pair(all[i][k], all[i][k] * rounded + 1e-37f);
            });
            all[i].assign(out_[i].host().begin(), out_[i].host().end());
        } else if (net_.layers[i].activation == Activation::logistic) {
            // The exponential, the sum and the quotient are each rounded.
            wrong = first_far<float>(name, out_[i].host(), [&](u64 k) {
                return std::pair(all[i][k], all[i][k] * 0x1p-21f + 1e-37f);
            });
            all[i].assign(out_[i].host().begin(), out_[i].host().end());
        } else {
            wrong = first_difference(name, out_[i], all[i]);
        }
        if (!wrong.empty()) return wrong;
    }
    return "";
}

std::unique_ptr<Application> make_darknet(const Options& options, Network network) {
    return std::make_unique<Darknet>(options, std::move(network));
}

} // namespace memsim::workload
