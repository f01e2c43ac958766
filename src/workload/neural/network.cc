#include "workload/neural/network.hh"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace memsim::workload {

namespace {

/// YOLOv3 on 1024 x 1024 pixels takes 0.4 x 2^30 floats.
constexpr std::uint64_t most_floats = 1 << 29, most_pool = 255;

} // namespace

/// Counts what the layer holds when its output is w x h x c.
std::string Network::take(const Layer& l, std::uint64_t to_w, std::uint64_t to_h,
                          std::uint64_t to_c) {
    const bool convolution = l.kind == Layer::Kind::convolutional;
    // At most 2^17, 2^17 and 2^16 times as many channels or layers: each product is looked at.
    const std::uint64_t area = to_w * to_h;
    const std::uint64_t depth =
        convolution ? std::uint64_t {l.in_c / l.groups} * l.size * l.size : 0;
    bool fits = area <= most_floats && to_c <= most_floats && depth <= most_floats;
    if (fits) {
        held += area * to_c + l.filters * depth;
        workspace = std::max(workspace, depth * area);
        fits = held + workspace + std::uint64_t {w} * h * c <= most_floats;
    }
    return fits ? ""
                : "its arrays and those of the layers before take over 2 GiB, the most that "
                  "is taken";
}

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
    std::uint64_t to_w = l.in_w, to_h = l.in_h, to_c = l.in_c;
    const std::uint64_t stride = l.stride;
    if (l.kind == Kind::convolutional) {
        if (l.in_c % l.groups || l.filters % l.groups)
            return "groups is " + std::to_string(l.groups) + ", which does not divide " +
                   std::to_string(l.in_c) + " channels and " + std::to_string(l.filters) +
                   " filters";
        if (l.in_w + 2 * l.pad < l.size) return "size is larger than the image";
        to_w = (l.in_w + 2 * l.pad - l.size) / stride + 1;
        to_h = (l.in_h + 2 * l.pad - l.size) / stride + 1;
        to_c = l.filters;
    } else if (l.kind == Kind::maxpool) {
        if (l.size > most_pool)
            return "size is " + std::to_string(l.size) + ", where a pool of at most " +
                   std::to_string(most_pool) + " is right";
        to_w = (l.in_w - 1) / stride + 1;
        to_h = (l.in_h - 1) / stride + 1;
    } else if (l.kind == Kind::avgpool) {
        to_w = to_h = 1;
    } else if (l.kind == Kind::upsample) {
        to_w *= stride, to_h *= stride;
    } else if (l.kind == Kind::reorg) {
        if (to_w % stride || to_h % stride || to_c % (stride * stride))
            return "stride is " + std::to_string(stride) + ", which does not divide " +
                   std::to_string(to_w) + " pixels, or its square " + std::to_string(to_c) +
                   " channels";
        to_w /= stride, to_h /= stride, to_c *= stride * stride;
    } else if (l.kind == Kind::shortcut || l.kind == Kind::route) {
        if (l.from.empty()) return "a layer to take from is missing";
        const bool route = l.kind == Kind::route;
        if (!route && l.from.size() > 1)
            return "a shortcut from " + std::to_string(l.from.size()) +
                   " layers, where one is right";
        const Layer& first = layers[static_cast<std::size_t>(l.from[0])];
        if (route) to_w = first.w, to_h = first.h, to_c = 0;
        for (const int f : l.from) {
            const Layer& of = layers[static_cast<std::size_t>(f)];
            if (of.w != to_w || of.h != to_h || (!route && of.c != to_c))
                return "layer " + std::to_string(f) + " has another shape";
            if (route) to_c += of.c;
        }
    }
    if (std::string wrong = take(l, to_w, to_h, to_c); !wrong.empty()) return wrong;
    l.w = static_cast<std::uint32_t>(to_w), l.h = static_cast<std::uint32_t>(to_h);
    l.c = static_cast<std::uint32_t>(to_c);
    layers.push_back(std::move(l));
    return "";
}

namespace {

std::string_view trim(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
    return s;
}

/// A whole number of a line, at its column.
int whole(const InputFile& file, std::string_view line, std::string_view text, int least) {
    int n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc {} || end != text.data() + text.size() || n < least || n > 65536)
        file.refuse_column(static_cast<std::size_t>(text.data() - line.data()) + 1,
                           "'" + std::string(text.substr(0, 40)) + "', where a whole number from " +
                               std::to_string(least) + " to 65536 is right");
    return n;
}

struct Section {
    Layer layer;
    bool net = false, padded = false, sized = false;
};

Section section(const InputFile& file, std::string_view name) {
    using Kind = Layer::Kind;
    Section s;
    if (name == "[net]" || name == "[network]")
        s.net = true;
    else if (name == "[convolutional]")
        s.layer.kind = Kind::convolutional;
    else if (name == "[maxpool]")
        s.layer.kind = Kind::maxpool;
    else if (name == "[avgpool]")
        s.layer.kind = Kind::avgpool;
    else if (name == "[shortcut]")
        s.layer.kind = Kind::shortcut;
    else if (name == "[route]")
        s.layer.kind = Kind::route;
    else if (name == "[upsample]")
        s.layer.kind = Kind::upsample, s.layer.stride = 2;
    else if (name == "[reorg]")
        s.layer.kind = Kind::reorg;
    else if (name == "[softmax]")
        s.layer.kind = Kind::softmax;
    else if (name != "[dropout]" && name != "[yolo]" && name != "[region]" && name != "[cost]")
        file.refuse_column(1, "a layer '" + std::string(name.substr(0, 40)) +
                                  "', which is none of convolutional, maxpool, avgpool, shortcut, "
                                  "route, upsample, reorg, softmax, dropout, yolo, region, cost");
    return s;
}

void take(const InputFile& file, std::string_view line, Network& network, Section& s) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) file.refuse_column(1, "'key=value' was expected");
    const std::string_view key = trim(line.substr(0, equals)),
                           value = trim(line.substr(equals + 1));
    const auto number = [&](int least) {
        return static_cast<std::uint32_t>(whole(file, line, value, least));
    };
    Layer& l = s.layer;
    const bool shaped = l.kind == Layer::Kind::convolutional || l.kind == Layer::Kind::maxpool;
    if (s.net) {
        if (key == "channels") network.c = number(1);
    } else if (key == "activation") {
        if (value != "leaky" && value != "linear")
            file.refuse_column(static_cast<std::size_t>(value.data() - line.data()) + 1,
                               "activation '" + std::string(value.substr(0, 40)) +
                                   "', where leaky or linear is right");
        l.leaky = value == "leaky";
    } else if (key == "from" || key == "layers") {
        for (std::string_view rest = value; !rest.empty();) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            l.from.push_back(whole(file, line, trim(rest.substr(0, comma)), -65536));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    } else if (key == "stride" &&
               (shaped || l.kind == Layer::Kind::upsample || l.kind == Layer::Kind::reorg)) {
        l.stride = number(1);
    } else if (l.kind == Layer::Kind::reorg && (key == "reverse" || key == "flatten")) {
        if (number(0) != 0) file.refuse_column(1, std::string(key) + " is not there yet");
    } else if (key == "groups") {
        if (l.kind != Layer::Kind::convolutional)
            file.refuse_column(1, "groups of a layer that is no convolution");
        l.groups = number(1);
    } else if (shaped) {
        if (key == "filters") l.filters = number(1);
        if (key == "size") l.size = number(1), s.sized = true;
        if (key == "pad") s.padded = number(0) != 0;
        if (key == "padding") {
            l.pad = number(0);
            if (l.kind == Layer::Kind::maxpool)
                file.refuse_column(1, "padding of a pool is not there yet: leave it out, and it is "
                                      "size - 1, as Darknet has it");
        }
        if (key == "batch_normalize") l.normalized = number(0) != 0;
        if (key == "dilation" && number(1) != 1) file.refuse_column(1, "dilation is not there yet");
    }
}

} // namespace

Network read_cfg(const std::string& path, std::uint32_t side) {
    InputFile file(path);
    Network network;
    network.w = network.h = side;
    Section now;
    bool begun = false;
    const auto finish = [&] {
        if (!begun || now.net) return;
        if (now.padded) now.layer.pad = now.layer.size / 2;
        if (now.layer.kind == Layer::Kind::maxpool && !now.sized) now.layer.size = now.layer.stride;
        const std::string wrong = network.add(now.layer);
        if (!wrong.empty()) file.refuse_line("the layer before this line is wrong: " + wrong);
    };
    for (std::string_view line; file.next_line(line);) {
        const std::string_view text = trim(line);
        if (text.empty() || text[0] == '#' || text[0] == ';') continue;
        if (text[0] == '[') {
            finish();
            now = section(file, text);
            if (begun == now.net)
                file.refuse_column(1, begun ? "a second section [net], where one is right"
                                            : "the first section must be [net]");
            begun = true;
        } else if (!begun) {
            file.refuse_column(1, "'[net]' was expected");
        } else {
            take(file, line, network, now);
        }
    }
    finish();
    if (network.layers.empty()) file.refuse("has no layers");
    return network;
}

void read_weights(const std::string& path, Network& network) {
    InputFile file(path);
    std::int32_t version[3];
    file.read(version, sizeof version, "the version");
    const bool wide = std::int64_t {version[0]} * 10 + version[1] >= 2; // `seen` grew in 0.2
    std::uint64_t images = 0;
    file.read(&images, wide ? 8 : 4, "the number of images seen");
    std::size_t at = 0;
    for (Layer& l : network.layers) {
        const std::string layer = " of layer " + std::to_string(at++);
        if (l.kind != Layer::Kind::convolutional) continue;
        const auto floats = [&](std::size_t n, const char* what) {
            return file.read_array<float>(n, what + layer);
        };
        l.bias = floats(l.filters, "the biases");
        std::vector<float> scale, mean, variance;
        if (l.normalized) {
            scale = floats(l.filters, "the scales");
            mean = floats(l.filters, "the means");
            variance = floats(l.filters, "the variances");
        }
        l.weights = floats(std::size_t {l.filters} * l.depth(), "the weights");
        if (!l.normalized) continue;
        for (std::size_t f = 0; f < l.filters; ++f) {
            const float by = scale[f] / (std::sqrt(variance[f]) + .000001f);
            const float moved = mean[f] * by;
            l.bias[f] = l.bias[f] - moved;
            for (std::size_t k = 0; k < l.depth(); ++k) l.weights[f * l.depth() + k] *= by;
        }
    }
    if (!network.cut && !file.at_end())
        file.refuse_byte("the layers of the .cfg end here, but the file goes on");
}

} // namespace memsim::workload
