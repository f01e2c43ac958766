#include "workload/neural/darknet_kernels.hh"
#include "workload/simt/exact_math.hh"

#include <limits>

/// Kernels of layers without weights.
namespace memsim::workload {

using Kind = Layer::Kind;

static constexpr float lowest = -std::numeric_limits<float>::infinity();

void Darknet::maxpool(Warp& w) {
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
void Darknet::avgpool(Warp& w) {
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
void Darknet::copy(Warp& w) {
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
void Darknet::shortcut(Warp& w) {
    enum class Site : u32 { other, old, set };
    const Overlap o = overlap(layer());
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
/// Maps pixels from 0 to 1 to the range -1 to 1.
void Darknet::crop(Warp& w) {
    enum class Site : u32 { get, set };
    const Layer& l = layer();
    const auto t = w.thread();
    w.if_(t < step().threads, [&] {
        const auto row = split(w, t, l.w);
        const auto plane = split(w, row.quotient, l.h);
        const auto line = mad(plane.quotient, l.in_h, plane.rest + (l.in_h - l.h) / 2);
        const auto value =
            w.load(Site::get, in(step().layer), mad(line, l.in_w, row.rest + (l.in_w - l.w) / 2));
        w.store(Site::set, out_[step().layer], t, mad(value, 2.0f, all_lanes(-1.0f)));
    });
}
void Darknet::upsample(Warp& w) {
    enum class Site : u32 { get, old, set };
    const Layer& l = layer();
    const auto t = w.thread();
    w.if_(t < step().threads, [&] {
        const auto row = split(w, t, l.w);
        const auto y = w.divide(row.quotient, all_lanes(l.stride)); // planes are whole strides
        const auto x = w.divide(row.rest, all_lanes(l.stride));
        const auto value = w.load(Site::get, in(step().layer), mad(y, l.in_w, x));
        const auto old = w.load(Site::old, out_[step().layer], t);
        w.store(Site::set, out_[step().layer], t, old + value);
    });
}
/// Darknet's own order, for which its weights are trained: elements are indexed as if the input had
/// `stride` times the side lengths and fewer channels.
void Darknet::reorg(Warp& w) {
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
void Darknet::softmax(Warp& w) {
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
            const auto less = temperature == 1.0f ? above : w.divide(above, all_lanes(temperature));
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

} // namespace memsim::workload
