#include "workload/neural/darknet_kernels.hh"
#include "workload/simt/exact_math.hh"

/// Kernels of layers with weights: fill, im2col, product, normalization, bias, activation.
namespace memsim::workload {

using Kind = Layer::Kind;
using Activation = Layer::Activation;

void Darknet::fill(Warp& w) {
    enum class Site : u32 { set };
    const auto t = w.thread();
    w.if_(t < step().threads, [&] { w.store(Site::set, out_[step().layer], t, 0.0f); });
}
void Darknet::im2col(Warp& w) {
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
void Darknet::gemm(Warp& w) {
    enum class Site : u32 { old, weight, column, set };
    const Layer& l = layer();
    const u32 area = l.w * l.h, depth = l.depth(), filter0 = step().part * (l.filters / l.groups);
    const auto b = plain(l) ? in(step().layer) : columns_;
    const u32 b0 = plain(l) ? step().part * (l.in_c / l.groups) * area : 0;
    const auto t = w.thread();
    w.if_(t < step().threads, [&] {
        const auto place = split(w, t, area);
        const auto row = l.kind == Kind::local ? mad(place.rest, l.filters, place.quotient) * depth
                                               : (place.quotient + filter0) * depth;
        auto sum = w.load(Site::old, out_[step().layer], t, filter0 * area);
        w.repeat(depth, [&](u32 k) {
            const auto weight = w.load(Site::weight, weights_[step().layer], row, k);
            const auto value = w.load(Site::column, b, place.rest, b0 + k * area);
            sum = mad(weight, value, sum);
        });
        w.store(Site::set, out_[step().layer], t, sum, filter0 * area);
    });
}
Lanes<u32> Darknet::filter_of(Warp& w, const Lanes<u32>& element) const {
    if (layer().kind == Kind::local) return element;
    return w.divide(element, all_lanes(layer().w * layer().h));
}
void Darknet::normalize(Warp& w) {
    enum class Site : u32 { mean, variance, old, set };
    const Normalization& by = normalization_[step().layer];
    const auto t = w.thread();
    w.if_(t < step().threads, [&] {
        const auto filter = filter_of(w, t);
        const auto mean = w.load(Site::mean, by.mean, filter);
        const auto variance = w.load(Site::variance, by.variance, filter);
        const auto old = w.load(Site::old, out_[step().layer], t);
        const auto deviation = w.square_root(variance) + normalization_least;
        w.store(Site::set, out_[step().layer], t, w.divide(old - mean, deviation));
    });
}
void Darknet::scale_bias(Warp& w) {
    enum class Site : u32 { scale, old, set };
    const auto t = w.thread();
    w.if_(t < step().threads, [&] {
        const auto filter = filter_of(w, t);
        const auto scale = w.load(Site::scale, normalization_[step().layer].scale, filter);
        const auto old = w.load(Site::old, out_[step().layer], t);
        w.store(Site::set, out_[step().layer], t, old * scale);
    });
}
void Darknet::add_bias(Warp& w) {
    enum class Site : u32 { bias, old, set };
    const auto t = w.thread();
    w.if_(t < step().threads, [&] {
        const auto bias = w.load(Site::bias, bias_[step().layer], filter_of(w, t));
        const auto old = w.load(Site::old, out_[step().layer], t);
        w.store(Site::set, out_[step().layer], t, old + bias);
    });
}
void Darknet::activate(Warp& w) {
    enum class Site : u32 { old, set };
    const auto t = w.thread();
    w.if_(t < step().threads, [&] {
        const auto old = w.load(Site::old, out_[step().layer], t);
        const auto activated = [&] {
            switch (layer().activation) {
            case Activation::linear:
                return old;
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

} // namespace memsim::workload
