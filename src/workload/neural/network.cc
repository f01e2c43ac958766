#include "workload/neural/network.hh"

#include <algorithm>
#include <cmath>

namespace memsim::workload {

namespace {

/// YOLOv3 with 1024 x 1024 pixels needs 0.4 x 2^30 floats.
constexpr std::uint64_t most_floats = 1 << 29, most_pool = 255;

std::string too_small(const Layer& l) {
    return "size is " + std::to_string(l.size) + ", larger than the image, which has " +
           std::to_string(l.in_w) + " pixels a side here: take a larger image";
}

} // namespace

/// Counts the data of a layer with an output of w x h x c.
std::string Network::take(const Layer& l, std::uint64_t to_w, std::uint64_t to_h,
                          std::uint64_t to_c) {
    // At most 2^17, 2^17 and 2^16 times the channels or layers: each product is checked.
    const std::uint64_t area = to_w * to_h;
    const std::uint64_t depth =
        l.weighted() ? std::uint64_t {l.in_c / l.groups} * l.size * l.size : 0;
    bool fits = area <= most_floats && to_c <= most_floats && depth <= most_floats &&
                depth * area <= most_floats;
    if (fits) {
        held += area * to_c + l.filters * depth * (l.kind == Layer::Kind::local ? area : 1);
        workspace = std::max(workspace, depth * area);
        fits = held + workspace + std::uint64_t {w} * h * c <= most_floats;
    }
    return fits ? ""
                : "its arrays and those of the preceding layers exceed 2 GiB, the maximum that "
                  "is supported";
}

namespace {

/// The extent of an image and its channels.
struct Shape {
    std::uint64_t w = 0, h = 0, c = 0;
};

/// Sets the output of a layer that moves a filter over its input with a stride.
std::string shape_filtered(const Layer& l, Shape& to) {
    const std::uint64_t pad = l.kind == Layer::Kind::maxpool ? l.pad : 2 * l.pad;
    if (l.in_w + pad < l.size) return too_small(l);
    to.w = (l.in_w + pad - l.size) / l.stride + 1;
    to.h = (l.in_h + pad - l.size) / l.stride + 1;
    if (l.kind != Layer::Kind::maxpool) to.c = l.filters;
    return "";
}

/// Sets the output of a layer that joins earlier ones.
std::string shape_joined(const Layer& l, const std::vector<Layer>& layers, Shape& to) {
    if (l.from.empty()) return "the list of layers is empty";
    const bool route = l.kind == Layer::Kind::route;
    if (!route && l.from.size() > 1)
        return "a shortcut from " + std::to_string(l.from.size()) + " layers, where one is right";
    const Layer& first = layers[static_cast<std::size_t>(l.from[0])];
    if (route) to = {first.w, first.h, 0};
    for (const int f : l.from) {
        const Layer& of = layers[static_cast<std::size_t>(f)];
        if (route && (of.w != to.w || of.h != to.h))
            return "layer " + std::to_string(f) + " has a different shape";
        // As in Darknet: one side must be a whole multiple of the other, equally for width and
        // height.
        if (!route && (of.w / to.w != of.h / to.h || to.w / of.w != to.h / of.h))
            return "layer " + std::to_string(f) + " is scaled differently in width and height";
        if (route) to.c += of.c;
    }
    return "";
}

/// The fault, if any, of a number that divides nothing or is too large.
std::string wrong_number(const Layer& l) {
    using Kind = Layer::Kind;
    const auto is = [](std::string_view what, std::uint64_t value) {
        return std::string(what) + " is " + std::to_string(value) + ", ";
    };
    const std::uint64_t inputs = std::uint64_t {l.in_w} * l.in_h * l.in_c;
    const std::uint64_t stride = l.stride;
    if (l.kind == Kind::convolutional && (l.in_c % l.groups || l.filters % l.groups))
        return is("groups", l.groups) + "which does not divide " + std::to_string(l.in_c) +
               " channels and " + std::to_string(l.filters) + " filters";
    if (l.kind == Kind::local && l.pad > 0 && l.size != 3)
        return is("size", l.size) + "where 3 is right for a padded local layer";
    if (l.kind == Kind::maxpool && l.size > most_pool)
        return is("size", l.size) + "where a pool of at most " + std::to_string(most_pool) +
               " is right";
    if (l.kind == Kind::crop && (l.size > l.in_w || l.size > l.in_h))
        return "the crop is larger than the image";
    if (l.kind == Kind::softmax && inputs % l.groups)
        return is("groups", l.groups) + "which does not divide " + std::to_string(inputs) +
               " inputs";
    if (l.kind == Kind::reorg && (l.in_w % stride || l.in_h % stride || l.in_c % (stride * stride)))
        return is("stride", stride) + "which does not divide " + std::to_string(l.in_w) +
               " pixels, or its square " + std::to_string(l.in_c) + " channels";
    return "";
}

/// Sets the output of a layer whose input is known. Returns what is wrong with the layer, if
/// anything is.
std::string shape(Layer& l, const std::vector<Layer>& layers, Shape& to) {
    using Kind = Layer::Kind;
    if (std::string wrong = wrong_number(l); !wrong.empty()) return wrong;
    to = {l.in_w, l.in_h, l.in_c};
    const std::uint64_t stride = l.stride;
    switch (l.kind) {
    case Kind::convolutional:
    case Kind::local:
    case Kind::maxpool:
        return shape_filtered(l, to);
    case Kind::shortcut:
    case Kind::route:
        return shape_joined(l, layers, to);
    case Kind::connected:
        l.in_c = l.in_w * l.in_h * l.in_c, l.in_w = l.in_h = 1;
        to = {1, 1, l.filters};
        break;
    case Kind::crop:
        to.w = to.h = l.size;
        break;
    case Kind::extra:
        to = {1, 1, to.w * to.h * to.c + l.filters};
        break;
    case Kind::avgpool:
        to.w = to.h = 1;
        break;
    case Kind::upsample:
        to.w *= stride, to.h *= stride;
        break;
    case Kind::reorg:
        to = {to.w / stride, to.h / stride, to.c * stride * stride};
        break;
    default:
        break;
    }
    return "";
}

} // namespace

std::string Network::add(Layer l) {
    using Kind = Layer::Kind;
    if (cut) return "";
    const auto here = static_cast<int>(layers.size());
    l.in_w = here ? layers.back().w : w;
    l.in_h = here ? layers.back().h : h;
    l.in_c = here ? layers.back().c : c;
    for (int& f : l.from) {
        const int to = f < 0 ? here + f : f;
        if (to < 0 || to >= here)
            return "layer " + std::to_string(here) + " refers to layer " + std::to_string(to) +
                   ", where one before it is right";
        f = to;
    }
    if ((l.kind == Kind::convolutional || l.kind == Kind::maxpool || l.kind == Kind::reorg) &&
        l.stride > 1 && l.in_w == 1) {
        cut = true;
        return "";
    }
    Shape to;
    if (std::string wrong = shape(l, layers, to); !wrong.empty()) return wrong;
    if (std::string wrong = take(l, to.w, to.h, to.c); !wrong.empty()) return wrong;
    l.w = static_cast<std::uint32_t>(to.w), l.h = static_cast<std::uint32_t>(to.h);
    l.c = static_cast<std::uint32_t>(to.c);
    layers.push_back(std::move(l));
    return "";
}

void read_weights(const std::string& path, Network& network) {
    InputFile file(path);
    std::int32_t version[3];
    file.read(version, sizeof version, "the version");
    const bool wide =
        std::int64_t {version[0]} * 10 + version[1] >= 2; // `seen` became wider in 0.2
    std::uint64_t images = 0;
    file.read(&images, wide ? 8 : 4, "the number of images seen");
    const bool transposed = version[0] > 1000 || version[1] > 1000;
    std::size_t at = 0;
    for (Layer& l : network.layers) {
        const std::string layer = " of layer " + std::to_string(at++);
        if (!l.weighted()) continue;
        const auto floats = [&](std::size_t n, const char* what) {
            return file.read_array<float>(n, what + layer);
        };
        const bool connected = l.kind == Layer::Kind::connected;
        l.bias = floats(l.bias_count(), "the biases");
        if (connected) l.weights = floats(l.weight_count(), "the weights");
        if (l.normalized) {
            l.scale = floats(l.filters, "the scales");
            l.mean = floats(l.filters, "the means");
            l.variance = floats(l.filters, "the variances");
        }
        if (!connected) l.weights = floats(l.weight_count(), "the weights");
        const std::size_t depth = l.depth();
        if (connected && transposed) {
            const std::vector<float> columns = l.weights;
            for (std::size_t f = 0; f < l.filters; ++f)
                for (std::size_t k = 0; k < depth; ++k)
                    l.weights[f * depth + k] = columns[k * l.filters + f];
        }
    }
    if (!network.cut && !file.at_end())
        file.refuse_byte("the layers of the .cfg end here, but the file continues");
}

} // namespace memsim::workload
