#include "workload/neural/darknet.hh"

#include <algorithm>
#include <cmath>
#include <limits>

namespace memsim::workload {

namespace {

float activated(Layer::Activation activation, float x) {
    using enum Layer::Activation;
    switch (activation) {
    case linear:
        return x;
    case leaky:
        return x > 0 ? x : x * 0.1f;
    case relu:
        return x > 0 ? x : 0;
    case ramp: {
        const float small = x * 0.1f;
        return x > 0 ? x + small : small;
    }
    case logistic:
        break;
    }
    return static_cast<float>(1 / (1 + std::exp(-static_cast<double>(x))));
}

} // namespace

std::vector<float> plain_layer(const Layer& l, const std::vector<float>& in,
                               const std::vector<Layer>& layers,
                               const std::vector<std::vector<float>>& all) {
    using Kind = Layer::Kind;
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
    if (l.kind == Kind::reorg) {
        const u32 share = l.in_c / (l.stride * l.stride);
        u64 at = 0;
        for (u32 down = 0; down < l.stride; ++down)
            for (u32 right = 0; right < l.stride; ++right)
                for (u32 c = 0; c < share; ++c)
                    for (u32 y = 0; y < l.in_h; ++y)
                        for (u32 x = 0; x < l.in_w; ++x)
                            out[at++] =
                                in[((u64 {c} * l.in_h + y) * l.stride + down) * l.in_w * l.stride +
                                   u64 {x} * l.stride + right];
        return out;
    }
    if (l.kind == Kind::softmax) {
        const std::size_t n = out.size() / l.groups;
        for (std::size_t from = 0; from < out.size(); from += n) {
            const double most = *std::max_element(&in[from], &in[from] + n);
            const auto power = [&](std::size_t i) {
                return std::exp((in[i] - most) / static_cast<double>(l.temperature));
            };
            double sum = 0;
            for (std::size_t i = from; i < from + n; ++i) sum += power(i);
            for (std::size_t i = from; i < from + n; ++i)
                out[i] = static_cast<float>(power(i) / sum);
        }
        return out;
    }
    if (l.kind == Kind::extra) {
        std::copy(in.begin(), in.end(), out.begin());
        return out;
    }
    if (l.kind == Kind::shortcut) {
        const Layer& from = layers[static_cast<u32>(l.from[0])];
        const std::vector<float>& other = all[static_cast<u32>(l.from[0])];
        const u32 down = std::max(from.w / l.w, 1u), up = std::max(l.w / from.w, 1u);
        out = in;
        for (u32 c = 0; c < std::min(l.c, from.c); ++c)
            for (u32 y = 0; y < std::min(l.h, from.h); ++y)
                for (u32 x = 0; x < std::min(l.w, from.w); ++x) {
                    float& sum = out[(u64 {c} * l.h + y * up) * l.w + x * up];
                    sum = sum + other[(u64 {c} * from.h + y * down) * from.w + x * down];
                }
        for (float& f : out) f = activated(l.activation, f);
        return out;
    }
    const u32 channels = l.in_c / l.groups;
    u64 at = 0;
    for (u32 c = 0; c < l.c; ++c)
        for (u32 y = 0; y < l.h; ++y)
            for (u32 x = 0; x < l.w; ++x, ++at) {
                float value = 0;
                if (l.weighted()) {
                    const bool local = l.kind == Kind::local;
                    const u64 set = local ? (u64 {y} * l.w + x) * l.filters : 0;
                    u64 k = (set + c) * l.depth();
                    for (u32 d = 0; d < channels; ++d)
                        for (u32 i = 0; i < l.size; ++i)
                            for (u32 j = 0; j < l.size; ++j) {
                                const u32 of = c / (l.filters / l.groups) * channels + d;
                                const float term =
                                    l.weights[k++] * pixel(of, y * l.stride + i - l.pad,
                                                           x * l.stride + j - l.pad, 0);
                                value = term + value;
                            }
                    if (l.normalized) {
                        const float deviation = std::sqrt(l.variance[c]) + normalization_least;
                        value = (value - l.mean[c]) / deviation;
                        value = value * l.scale[c];
                    }
                    value = value + l.bias[local ? at : c];
                } else if (l.kind == Kind::maxpool) {
                    const u32 before = l.pad / 2;
                    value = -std::numeric_limits<float>::infinity();
                    for (u32 i = 0; i < l.size; ++i)
                        for (u32 j = 0; j < l.size; ++j)
                            value = std::max(value, pixel(c, y * l.stride + i - before,
                                                          x * l.stride + j - before, value));
                } else if (l.kind == Kind::avgpool) {
                    for (u32 i = 0; i < l.in_h; ++i)
                        for (u32 j = 0; j < l.in_w; ++j) value = value + pixel(c, i, j, 0);
                    value = value / static_cast<float>(l.in_w * l.in_h);
                } else if (l.kind == Kind::crop) {
                    value =
                        pixel(c, y + (l.in_h - l.h) / 2, x + (l.in_w - l.w) / 2, 0) * 2.0f - 1.0f;
                } else {
                    value = 0.0f + pixel(c, y / l.stride, x / l.stride, 0); // not -0
                }
                out[at] = activated(l.activation, value);
            }
    return out;
}

} // namespace memsim::workload
