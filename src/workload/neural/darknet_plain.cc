#include "workload/neural/darknet.hh"

#include <algorithm>
#include <cmath>
#include <limits>

namespace memsim::workload {

std::vector<float> plain_layer(const Layer& l, const std::vector<float>& in,
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
        const double most = *std::max_element(in.begin(), in.end());
        double sum = 0;
        for (const float f : in) sum += std::exp(f - most);
        for (u32 i = 0; i < out.size(); ++i)
            out[i] = static_cast<float>(std::exp(in[i] - most) / sum);
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
                    value = -std::numeric_limits<float>::infinity();
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

} // namespace memsim::workload
