#include "workload/neural/darknet.hh"

#include "workload/exact_math.hh"
#include "workload/near.hh"

#include <limits>

namespace memsim::workload {

namespace {

using Kind = Layer::Kind;
using Activation = Layer::Activation;
constexpr u32 block_threads = 512; // BLOCK in darknet.h
constexpr float lowest = -std::numeric_limits<float>::infinity();

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
            if (l.weighted()) {
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
        reorg_ = kernel("reorg_kernel", 26, [this](Warp& w) { reorg(w); });
        softmax_ = kernel("softmax_kernel", 16, [this](Warp& w) { softmax(w); });
        crop_ = kernel("forward_crop_layer_kernel", 24, [this](Warp& w) { crop(w); });
        for (u32 i = 0; i < net_.layers.size(); ++i) plan(i);
    }
    std::string difference() const override;
    std::vector<std::string> inputs() const override { return net_.files; }

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
        l.weights = random_floats(options_.seed, "w" + number, l.weight_count());
        for (float& f : l.weights) f = (f * 2.0f - 1.0f) * scale;
        l.bias = random_floats(options_.seed, "b" + number, l.bias_count());
    }
    void plan(u32 i) {
        const Layer& l = net_.layers[i];
        const auto then = [&](u32 kernel, u32 part, u32 threads) {
            steps_.push_back({kernel, i, part, threads});
        };
        if (l.weighted()) {
            for (u32 g = 0; g < l.groups; ++g) {
                if (!plain(l)) then(im2col_, g, l.in_c / l.groups * l.w * l.h);
                then(gemm_, g, l.filters / l.groups * l.w * l.h);
            }
            then(add_bias_, 0, l.outputs());
            if (l.activation != Activation::linear) then(activate_, 0, l.outputs());
        } else if (l.kind == Kind::maxpool) {
            then(maxpool_, 0, l.outputs());
        } else if (l.kind == Kind::avgpool) {
            then(avgpool_, 0, l.c);
        } else if (l.kind == Kind::route) {
            for (u32 k = 0; k < l.from.size(); ++k)
                then(copy_, k, net_.layers[static_cast<u32>(l.from[k])].outputs());
        } else if (l.kind == Kind::shortcut) {
            if (const Overlap o = overlap(l); o.same) {
                then(shortcut_, 0, l.outputs());
            } else {
                then(copy_, 0, l.outputs());
                then(shortcut_, 0, o.w * o.h * o.c);
            }
            if (l.activation != Activation::linear) then(activate_, 0, l.outputs());
        } else if (l.kind == Kind::upsample) {
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
    void load_host(Loader& from) override {
        from.check(launches() <= steps_.size(), "more layers are begun than the network has");
    }
    bool next() override {
        if (launches() == steps_.size()) return false;
        const Step& s = steps_[launches()];
        launch(s.kernel, s.threads, block_threads);
        return true;
    }

    /// Where a shortcut adds: the part that both layers have, each taken at its own stride.
    struct Overlap {
        bool same;
        u32 w, h, c, from_stride, stride;
    };
    Overlap overlap(const Layer& l) const {
        const Layer& from = net_.layers[static_cast<u32>(l.from[0])];
        return {from.w == l.w && from.h == l.h && from.c == l.c,
                std::min(from.w, l.w),
                std::min(from.h, l.h),
                std::min(from.c, l.c),
                std::max(from.w / l.w, 1u),
                std::max(l.w / from.w, 1u)};
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
            const auto row = l.kind == Kind::local
                                 ? mad(place.rest, l.filters, place.quotient) * depth
                                 : (place.quotient + filter0) * depth;
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
            const auto filter =
                layer().kind == Kind::local ? t : w.divide(t, all_lanes(layer().w * layer().h));
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
            const auto activated = [&] {
                switch (layer().activation) {
                case Activation::relu:
                    return select(old > 0.0f, old, all_lanes(0.0f));
                case Activation::ramp: {
                    const auto small = old * 0.1f;
                    return select(old > 0.0f, old + small, small);
                }
                case Activation::logistic: {
                    const auto e = w.apply<float>(
                        rule::exponential, [&](u32 i) { return exact_exp(-old[i]); }, old);
                    return w.divide(all_lanes(1.0f), e + 1.0f);
                }
                default: {
                    const auto small = old * 0.1f;
                    return select(old > 0.0f, old, small);
                }
                }
            };
            w.store(Site::set, out_[step().layer], t, activated());
        });
    }
    void maxpool(Warp& w) {
        enum class Site : u32 { pixel, set };
        const Layer& l = layer();
        const u32 before = l.pad / 2;
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto row = split(w, t, l.w);
            const auto plane = split(w, row.quotient, l.h);
            const auto top = plane.rest * l.stride - before, left = row.rest * l.stride - before;
            const auto image = plane.quotient * (l.in_w * l.in_h);
            Lanes<float> most = w.map<float>([](u32) { return lowest; });
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
        const auto from = layer().kind == Kind::route
                              ? out_[static_cast<u32>(layer().from[step().part])]
                              : in(step().layer);
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto value = w.load(Site::get, from, t);
            w.store(Site::set, out_[step().layer], t, value, offset);
        });
    }
    void shortcut(Warp& w) {
        enum class Site : u32 { one, other, set };
        const Overlap o = overlap(layer());
        if (!o.same) return add_overlap(w, o);
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto one = w.load(Site::one, in(step().layer), t);
            const auto other = w.load(Site::other, out_[static_cast<u32>(layer().from[0])], t);
            w.store(Site::set, out_[step().layer], t, one + other);
        });
    }
    void add_overlap(Warp& w, const Overlap& o) {
        enum class Site : u32 { other = 3, old, set };
        const Layer& l = layer();
        const Layer& from = net_.layers[static_cast<u32>(l.from[0])];
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto row = split(w, t, o.w);
            const auto plane = split(w, row.quotient, o.h);
            const auto at = [&](const Layer& of, u32 stride) {
                const auto line = mad(plane.quotient, of.h, plane.rest * stride);
                return mad(line, of.w, row.rest * stride);
            };
            const auto other =
                w.load(Site::other, out_[static_cast<u32>(l.from[0])], at(from, o.from_stride));
            const auto to = at(l, o.stride);
            const auto old = w.load(Site::old, out_[step().layer], to);
            w.store(Site::set, out_[step().layer], to, old + other);
        });
    }
    /// Pixels from 0 to 1 become -1 to 1.
    void crop(Warp& w) {
        enum class Site : u32 { get, set };
        const Layer& l = layer();
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto row = split(w, t, l.w);
            const auto plane = split(w, row.quotient, l.h);
            const auto line = mad(plane.quotient, l.in_h, plane.rest + (l.in_h - l.h) / 2);
            const auto value = w.load(Site::get, in(step().layer),
                                      mad(line, l.in_w, row.rest + (l.in_w - l.w) / 2));
            w.store(Site::set, out_[step().layer], t, mad(value, 2.0f, all_lanes(-1.0f)));
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
    /// Darknet's own order, which its weights are trained for: each element is taken as if the
    /// input had `stride` times the sides and a share of the channels.
    void reorg(Warp& w) {
        enum class Site : u32 { get, set };
        const Layer& l = layer();
        const u32 share = l.in_c / (l.stride * l.stride);
        const auto t = w.thread();
        w.if_(t < step().threads, [&] {
            const auto row = split(w, t, l.in_w);
            const auto plane = split(w, row.quotient, l.in_h);
            const auto channel = split(w, plane.quotient, share);
            const auto corner = split(w, channel.quotient, l.stride);
            const auto x = mad(row.rest, l.stride, corner.rest);
            const auto y = mad(plane.rest, l.stride, corner.quotient);
            const auto line = mad(channel.rest, l.in_h * l.stride, y);
            const auto value = w.load(Site::get, in(step().layer), mad(line, l.in_w * l.stride, x));
            w.store(Site::set, out_[step().layer], t, value);
        });
    }
    void softmax(Warp& w) {
        enum class Site : u32 { look, get, put, again, set };
        const u32 groups = layer().groups, n = layer().outputs() / groups;
        const float temperature = layer().temperature;
        const auto from = in(step().layer), to = out_[step().layer];
        const auto thread = w.thread();
        w.if_(thread < groups, [&] {
            const auto t = groups == 1 ? thread : thread * n;
            Lanes<float> most = w.map<float>([](u32) { return lowest; });
            Lanes<float> sum = w.map<float>([](u32) { return 0.0f; });
            most.flow = sum.flow = &w;
            w.repeat(n, [&](u32 k) { most = max(most, w.load(Site::look, from, t, k)); });
            w.repeat(n, [&](u32 k) {
                const auto above = w.load(Site::get, from, t, k) - most;
                const auto less =
                    temperature == 1.0f ? above : w.divide(above, all_lanes(temperature));
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
        reorg_, softmax_, crop_;
};

std::string Darknet::difference() const {
    std::vector<std::vector<float>> all;
    const std::vector<float> image(image_.host().begin(), image_.host().end());
    for (u32 i = 0; i < net_.layers.size(); ++i) {
        all.push_back(plain_layer(net_.layers[i], i ? all[i - 1] : image, net_.layers, all));
        const std::string name = "output" + std::to_string(i);
        std::string wrong;
        if (net_.layers[i].kind == Kind::softmax) {
            // Its sum is rounded as often as it has terms, and an exponent of at most 87 once.
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

} // namespace

std::unique_ptr<Application> make_darknet(const Options& options, Network network) {
    return std::make_unique<Darknet>(options, std::move(network));
}

} // namespace memsim::workload
