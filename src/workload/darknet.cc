#include "workload/catalogue.hh"
#include "workload/exact_math.hh"
#include "workload/network.hh"

#include <filesystem>

/// Inference of one image after Darknet (Redmon, 2013-2016): im2col and a matrix product for each
/// group of a convolution, blocks of 512 threads. Batch normalization is folded into the weights;
/// the product is one thread an element, where Darknet calls cuBLAS.
namespace memsim::workload {

namespace {

using Kind = Layer::Kind;
constexpr u32 block_threads = 512; // BLOCK in darknet.h

class Darknet : public Application {
  public:
    Darknet(const Options& options, Network network)
        : Application(options), net_(std::move(network)) {
        image_ = memory_.input(
            "image", random_floats(options.seed, "image", u64 {net_.w} * net_.h * net_.c));
        u64 workspace = 1;
        for (u32 i = 0; i < net_.layers.size(); ++i) {
            Layer& l = net_.layers[i];
            const std::string number = std::to_string(i);
            if (l.kind == Kind::convolutional) {
                if (l.weights.empty()) generate(l, number);
                workspace = std::max(workspace, u64 {l.depth()} * l.w * l.h);
            }
            weights_.push_back(memory_.input("weights" + number, l.weights));
            bias_.push_back(memory_.input("bias" + number, l.bias));
            out_.push_back(l.kind == Kind::identity
                               ? in(i)
                               : memory_.zeroed<float>("output" + number, l.outputs()));
        }
        columns_ = memory_.zeroed<float>("workspace", workspace);
        im2col_ = kernel("im2col_gpu_kernel", 26, [this](Warp& w) { im2col(w); });
        gemm_ = kernel("gemm_kernel", 20, [this](Warp& w) { gemm(w); });
        add_bias_ = kernel("add_bias_kernel", 14, [this](Warp& w) { add_bias(w); });
        activate_ = kernel("activate_array_kernel", 12, [this](Warp& w) { activate(w); });
        maxpool_ = kernel("forward_maxpool_layer_kernel", 24, [this](Warp& w) { maxpool(w); });
        avgpool_ = kernel("forward_avgpool_layer_kernel", 14, [this](Warp& w) { avgpool(w); });
        copy_ = kernel("copy_kernel", 12, [this](Warp& w) { copy(w); });
        shortcut_ = kernel("shortcut_kernel", 14, [this](Warp& w) { shortcut(w); });
        upsample_ = kernel("upsample_kernel", 18, [this](Warp& w) { upsample(w); });
        softmax_ = kernel("softmax_kernel", 16, [this](Warp& w) { softmax(w); });
        for (u32 i = 0; i < net_.layers.size(); ++i) plan(i);
    }
    std::string difference() const override;

  private:
    struct Step {
        u32 kernel, layer, part, threads;
    };

    Array<float> in(u32 layer) const { return layer ? out_[layer - 1] : image_; }
    const Step& step() const { return steps_[launches() - 1]; }
    const Layer& layer() const { return net_.layers[step().layer]; }
    static bool plain(const Layer& l) { return l.size == 1 && l.stride == 1 && l.pad == 0; }

    /// Uniform with Darknet's deviation, sqrt(2 / depth), which keeps sums of the same size.
    void generate(Layer& l, const std::string& number) const {
        const float scale = std::sqrt(2.0f / static_cast<float>(l.depth()));
        l.weights = random_floats(options_.seed, "w" + number, u64 {l.filters} * l.depth());
        for (float& f : l.weights) f = (f * 2.0f - 1.0f) * scale;
        l.bias = random_floats(options_.seed, "b" + number, l.filters);
    }
    void plan(u32 i) {
        const Layer& l = net_.layers[i];
        const auto then = [&](u32 kernel, u32 part, u32 threads) {
            steps_.push_back({kernel, i, part, threads});
        };
        if (l.kind == Kind::convolutional) {
            for (u32 g = 0; g < l.groups; ++g) {
                if (!plain(l)) then(im2col_, g, l.in_c / l.groups * l.w * l.h);
                then(gemm_, g, l.filters / l.groups * l.w * l.h);
            }
            then(add_bias_, 0, l.outputs());
            if (l.leaky) then(activate_, 0, l.outputs());
        } else if (l.kind == Kind::maxpool) {
            then(maxpool_, 0, l.outputs());
        } else if (l.kind == Kind::avgpool) {
            then(avgpool_, 0, l.c);
        } else if (l.kind == Kind::route) {
            for (u32 k = 0; k < l.from.size(); ++k)
                then(copy_, k, net_.layers[static_cast<u32>(l.from[k])].outputs());
        } else if (l.kind == Kind::shortcut) {
            then(shortcut_, 0, l.outputs());
            if (l.leaky) then(activate_, 0, l.outputs());
        } else if (l.kind == Kind::upsample) {
            then(upsample_, 0, l.outputs());
        } else if (l.kind == Kind::softmax) {
            then(softmax_, 0, 1);
        }
    }
    bool next() override {
        if (launches() == steps_.size()) return false;
        const Step& s = steps_[launches()];
        launch(s.kernel, s.threads, block_threads);
        return true;
    }

    struct Split {
        Lanes<u32> quotient, rest;
    };
    static Split split(Warp& w, const Lanes<u32>& a, u32 by) {
        const auto quotient = w.divide(a, all_lanes(by));
        const auto product = quotient * by;
        return {quotient, a - product};
    }
    void im2col(Warp& w) {
        enum class Site : u32 { pixel, set };
        const Layer& l = layer();
        const auto from = in(step().layer);
        const u32 channel0 = step().part * (l.in_c / l.groups), area = l.w * l.h;
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto row = split(w, t, l.w);
            const auto plane = split(w, row.quotient, l.h);
            const auto top = plane.rest * l.stride - l.pad, left = row.rest * l.stride - l.pad;
            const auto image = (plane.quotient + channel0) * (l.in_w * l.in_h);
            const auto at =
                mad(row.rest + plane.rest * l.w, 1u, plane.quotient * (l.size * l.size * area));
            w.repeat(l.size, [&](u32 i) {
                const auto y = top + i;
                w.repeat(l.size, [&](u32 j) {
                    const auto x = left + j;
                    Lanes<float> value = w.map<float>([](u32) { return 0.0f; });
                    value.flow = &w;
                    w.if_(x < l.in_w && y < l.in_h, [&] {
                        const auto pixel = mad(y, l.in_w, image) + x;
                        value = w.load(Site::pixel, from, pixel);
                    });
                    w.store(Site::set, columns_, at, value, (i * l.size + j) * area);
                });
            });
        });
    }
    void gemm(Warp& w) {
        enum class Site : u32 { weight, column, set };
        const Layer& l = layer();
        const u32 area = l.w * l.h, depth = l.depth(),
                  filter0 = step().part * (l.filters / l.groups);
        const auto b = plain(l) ? in(step().layer) : columns_;
        const u32 b0 = plain(l) ? step().part * (l.in_c / l.groups) * area : 0;
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto place = split(w, t, area);
            const auto row = (place.quotient + filter0) * depth;
            Lanes<float> sum = w.map<float>([](u32) { return 0.0f; });
            sum.flow = &w;
            w.repeat(depth, [&](u32 k) {
                const auto weight = w.load(Site::weight, weights_[step().layer], row, k);
                const auto value = w.load(Site::column, b, place.rest, b0 + k * area);
                sum = mad(weight, value, sum);
            });
            w.store(Site::set, out_[step().layer], t, sum, filter0 * area);
        });
    }
    void add_bias(Warp& w) {
        enum class Site : u32 { bias, old, set };
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto filter = w.divide(t, all_lanes(layer().w * layer().h));
            const auto bias = w.load(Site::bias, bias_[step().layer], filter);
            const auto old = w.load(Site::old, out_[step().layer], t);
            w.store(Site::set, out_[step().layer], t, old + bias);
        });
    }
    void activate(Warp& w) {
        enum class Site : u32 { old, set };
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto old = w.load(Site::old, out_[step().layer], t);
            const auto small = old * 0.1f;
            w.store(Site::set, out_[step().layer], t, select(old > 0.0f, old, small));
        });
    }
    void maxpool(Warp& w) {
        enum class Site : u32 { pixel, set };
        const Layer& l = layer();
        const u32 before = (l.size - 1) / 2;
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto row = split(w, t, l.w);
            const auto plane = split(w, row.quotient, l.h);
            const auto top = plane.rest * l.stride - before, left = row.rest * l.stride - before;
            const auto image = plane.quotient * (l.in_w * l.in_h);
            Lanes<float> most = w.map<float>([](u32) { return -3.4e38f; });
            most.flow = &w;
            w.repeat(l.size, [&](u32 i) {
                const auto y = top + i;
                w.repeat(l.size, [&](u32 j) {
                    const auto x = left + j;
                    w.if_(x < l.in_w && y < l.in_h, [&] {
                        const auto at = mad(y, l.in_w, image) + x;
                        const auto pixel = w.load(Site::pixel, in(step().layer), at);
                        most = max(most, pixel);
                    });
                });
            });
            w.store(Site::set, out_[step().layer], t, most);
        });
    }
    void avgpool(Warp& w) {
        enum class Site : u32 { pixel, set };
        const u32 area = layer().in_w * layer().in_h;
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto image = t * area;
            Lanes<float> sum = w.map<float>([](u32) { return 0.0f; });
            sum.flow = &w;
            w.repeat(area, [&](u32 k) {
                const auto pixel = w.load(Site::pixel, in(step().layer), image, k);
                sum = sum + pixel;
            });
            const auto mean = w.divide(sum, all_lanes(static_cast<float>(area)));
            w.store(Site::set, out_[step().layer], t, mean);
        });
    }
    void copy(Warp& w) {
        enum class Site : u32 { get, set };
        u32 offset = 0;
        for (u32 k = 0; k < step().part; ++k)
            offset += net_.layers[static_cast<u32>(layer().from[k])].outputs();
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto value =
                w.load(Site::get, out_[static_cast<u32>(layer().from[step().part])], t);
            w.store(Site::set, out_[step().layer], t, value, offset);
        });
    }
    void shortcut(Warp& w) {
        enum class Site : u32 { one, other, set };
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto one = w.load(Site::one, in(step().layer), t);
            const auto other = w.load(Site::other, out_[static_cast<u32>(layer().from[0])], t);
            w.store(Site::set, out_[step().layer], t, one + other);
        });
    }
    void upsample(Warp& w) {
        enum class Site : u32 { get, set };
        const Layer& l = layer();
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto row = split(w, t, l.w);
            const auto y = w.divide(row.quotient, all_lanes(l.stride)); // planes are whole strides
            const auto x = w.divide(row.rest, all_lanes(l.stride));
            const auto value = w.load(Site::get, in(step().layer), mad(y, l.in_w, x));
            w.store(Site::set, out_[step().layer], t, value);
        });
    }
    void softmax(Warp& w) {
        enum class Site : u32 { look, get, put, again, set };
        const u32 n = layer().outputs();
        const auto from = in(step().layer), to = out_[step().layer];
        const auto t = w.thread();
        w.if_(t < 1u, [&] {
            Lanes<float> most = w.map<float>([](u32) { return -3.4e38f; });
            Lanes<float> sum = w.map<float>([](u32) { return 0.0f; });
            most.flow = sum.flow = &w;
            w.repeat(n, [&](u32 k) { most = max(most, w.load(Site::look, from, t, k)); });
            w.repeat(n, [&](u32 k) {
                const auto less = w.load(Site::get, from, t, k) - most;
                const auto e = w.apply<float>(
                    rule::exponential, [&](u32 i) { return exact_exp(less[i]); }, less);
                sum = sum + e;
                w.store(Site::put, to, t, e, k);
            });
            w.repeat(n, [&](u32 k) {
                const auto e = w.load(Site::again, to, t, k);
                w.store(Site::set, to, t, w.divide(e, sum), k);
            });
        });
    }

    Network net_;
    std::vector<Step> steps_;
    Array<float> image_, columns_;
    std::vector<Array<float>> weights_, bias_, out_;
    u32 im2col_, gemm_, add_bias_, activate_, maxpool_, avgpool_, copy_, shortcut_, upsample_,
        softmax_;
};

/// The layers without im2col, groups or steps.
std::vector<float> plain_layer(const Layer& l, const std::vector<float>& in,
                               const std::vector<std::vector<float>>& all) {
    std::vector<float> out(l.outputs());
    const auto pixel = [&](u32 c, u32 y, u32 x, float outside) {
        return x < l.in_w && y < l.in_h ? in[(u64 {c} * l.in_h + y) * l.in_w + x] : outside;
    };
    if (l.kind == Kind::identity) return in;
    if (l.kind == Kind::route) {
        out.clear();
        for (const int f : l.from) {
            const auto& part = all[static_cast<u32>(f)];
            out.insert(out.end(), part.begin(), part.end());
        }
        return out;
    }
    if (l.kind == Kind::softmax) {
        const float most = *std::max_element(in.begin(), in.end());
        float sum = 0;
        for (u32 i = 0; i < out.size(); ++i) sum = sum + (out[i] = exact_exp(in[i] - most));
        for (float& f : out) f = f / sum;
        return out;
    }
    const u32 channels = l.in_c / l.groups;
    u64 at = 0;
    for (u32 c = 0; c < l.c; ++c)
        for (u32 y = 0; y < l.h; ++y)
            for (u32 x = 0; x < l.w; ++x, ++at) {
                float value = 0;
                if (l.kind == Kind::convolutional) {
                    u64 k = u64 {c} * l.depth();
                    for (u32 d = 0; d < channels; ++d)
                        for (u32 i = 0; i < l.size; ++i)
                            for (u32 j = 0; j < l.size; ++j) {
                                const u32 of = c / (l.filters / l.groups) * channels + d;
                                const float term =
                                    l.weights[k++] * pixel(of, y * l.stride + i - l.pad,
                                                           x * l.stride + j - l.pad, 0);
                                value = term + value;
                            }
                    value = value + l.bias[c];
                } else if (l.kind == Kind::maxpool) {
                    const u32 before = (l.size - 1) / 2;
                    value = -3.4e38f;
                    for (u32 i = 0; i < l.size; ++i)
                        for (u32 j = 0; j < l.size; ++j)
                            value = std::max(value, pixel(c, y * l.stride + i - before,
                                                          x * l.stride + j - before, value));
                } else if (l.kind == Kind::avgpool) {
                    for (u32 i = 0; i < l.in_h; ++i)
                        for (u32 j = 0; j < l.in_w; ++j) value = value + pixel(c, i, j, 0);
                    value = value / static_cast<float>(l.in_w * l.in_h);
                } else if (l.kind == Kind::shortcut) {
                    value = in[at] + all[static_cast<u32>(l.from[0])][at];
                } else {
                    value = pixel(c, y / l.stride, x / l.stride, 0);
                }
                out[at] = l.leaky && !(value > 0) ? value * 0.1f : value;
            }
    return out;
}

std::string Darknet::difference() const {
    std::vector<std::vector<float>> all;
    const std::vector<float> image(image_.host().begin(), image_.host().end());
    for (u32 i = 0; i < net_.layers.size(); ++i) {
        all.push_back(plain_layer(net_.layers[i], i ? all[i - 1] : image, all));
        const std::string wrong = first_difference("output" + std::to_string(i), out_[i], all[i]);
        if (!wrong.empty()) return wrong;
    }
    return "";
}

// ---- the networks of the tables, as their .cfg files list them

Layer conv(u32 filters, u32 size, u32 stride = 1) {
    Layer l;
    l.kind = Kind::convolutional;
    l.filters = filters, l.size = size, l.stride = stride, l.pad = size / 2, l.leaky = true;
    return l;
}
Layer other(Kind kind, u32 size = 1, u32 stride = 1) {
    Layer l;
    l.kind = kind, l.size = size, l.stride = stride;
    return l;
}
Layer halved() { return other(Kind::maxpool, 2, 2); }

using Layers = std::vector<Layer>;

Layers reference_network() { // darknet.cfg
    Layers all;
    for (const u32 filters : {16u, 32u, 64u, 128u, 256u, 512u}) {
        all.push_back(conv(filters, 3));
        all.push_back(halved());
    }
    all.push_back(conv(1024, 3));
    all.push_back(conv(1000, 1));
    all.back().leaky = false;
    all.push_back(other(Kind::avgpool));
    all.push_back(other(Kind::softmax));
    return all;
}
Layers tiny_network() { // tiny.cfg
    Layers all {conv(16, 3), halved(), conv(32, 3), halved()};
    for (const u32 narrow : {16u, 32u, 64u}) {
        for (u32 twice = 0; twice < 2; ++twice) {
            all.push_back(conv(narrow, 1));
            all.push_back(conv(narrow * 8, 3));
        }
        if (narrow < 64) all.push_back(halved());
    }
    all.push_back(conv(128, 1));
    all.push_back(conv(1000, 1));
    all.back().leaky = false;
    all.push_back(other(Kind::avgpool));
    all.push_back(other(Kind::softmax));
    return all;
}

Layers yolo3_network() { // yolov3.cfg
    Layers all {conv(32, 3)};
    const auto take = [&](Kind kind, std::vector<int> from) {
        all.push_back(other(kind));
        all.back().from = std::move(from);
    };
    u32 filters = 64;
    for (const u32 blocks : {1u, 2u, 8u, 8u, 4u}) {
        all.push_back(conv(filters, 3, 2));
        for (u32 k = 0; k < blocks; ++k) {
            all.push_back(conv(filters / 2, 1));
            all.push_back(conv(filters, 3));
            take(Kind::shortcut, {-3});
        }
        filters *= 2;
    }
    for (const int earlier : {61, 36, 0}) {
        filters = earlier == 61 ? 1024 : earlier == 36 ? 512 : 256;
        for (u32 k = 0; k < 3; ++k) {
            all.push_back(conv(filters / 2, 1));
            all.push_back(conv(filters, 3));
        }
        all.push_back(conv(255, 1));
        all.back().leaky = false;
        all.push_back(other(Kind::identity)); // [yolo]: the host's
        if (earlier == 0) break;
        take(Kind::route, {-4});
        all.push_back(conv(filters / 4, 1));
        all.push_back(other(Kind::upsample, 1, 2));
        take(Kind::route, {-1, earlier});
    }
    return all;
}

template <Layers (*list)()>
std::unique_ptr<Application> network(const Options& options) {
    Network net;
    if (!options.input.empty()) {
        net = read_cfg(options.input, static_cast<u32>(options.size));
        const auto weights = std::filesystem::path(options.input).replace_extension(".weights");
        if (std::filesystem::exists(weights)) read_weights(weights.string(), net);
    } else {
        net.w = net.h = static_cast<u32>(options.size);
        for (const Layer& l : list()) {
            const std::string wrong = net.add(l);
            MEMSIM_ASSERT(wrong.empty(), "a list of layers that do not fit");
        }
    }
    return std::make_unique<Darknet>(options, std::move(net));
}

constexpr const char* side = "the side of the image in pixels; layers that would halve one pixel, "
                             "and all after them, are left out";

const Entry reference {{.names = {"darknet"},
                        .doc = "Darknet's reference network, or any .cfg (with the .weights beside "
                               "it, if there), after Redmon",
                        .tables = "CMD (darknet)",
                        .size_is = side,
                        .size = 64,
                        .check_size = 4,
                        .most = 1024,
                        .make = network<reference_network>}};
const Entry tiny {{.names = {"tiny"},
                   .doc = "Darknet's tiny network, or any .cfg, after Redmon",
                   .tables = "CMD (tiny)",
                   .size_is = side,
                   .size = 64,
                   .check_size = 4,
                   .most = 1024,
                   .make = network<tiny_network>}};
const Entry yolo3 {{.names = {"yolo3"},
                    .doc = "YOLOv3, or any .cfg, after Redmon",
                    .tables = "CMD (yolo3)",
                    .size_is = side,
                    .size = 96,
                    .check_size = 4,
                    .most = 1024,
                    .make = network<yolo3_network>}};

} // namespace

} // namespace memsim::workload
