#include "workload/catalogue.hh"
#include "workload/neural/darknet.hh"

#include <filesystem>

/// The networks of the papers' tables, as in their .cfg files.
namespace memsim::workload {

namespace {

using Kind = Layer::Kind;
using Layers = std::vector<Layer>;
constexpr u32 most_side = 1024, most_layers = 100'000;

Layer conv(u32 filters, u32 size, u32 stride = 1) {
    Layer l;
    l.kind = Kind::convolutional;
    l.filters = filters, l.size = size, l.stride = stride, l.pad = size / 2;
    l.activation = Layer::Activation::leaky;
    l.normalized = true;
    return l;
}
/// The last convolution of a network or of a scale.
Layer linear(u32 filters) {
    Layer l = conv(filters, 1);
    l.activation = Layer::Activation::linear;
    l.normalized = false;
    return l;
}
Layer other(Kind kind, u32 size = 1, u32 stride = 1) {
    Layer l;
    l.kind = kind, l.size = size, l.stride = stride;
    if (kind == Kind::maxpool) l.pad = size - 1;
    return l;
}
Layer halved() { return other(Kind::maxpool, 2, 2); }

Layers reference_network() { // darknet.cfg
    Layers all;
    for (const u32 filters : {16u, 32u, 64u, 128u, 256u, 512u}) {
        all.push_back(conv(filters, 3));
        all.push_back(halved());
    }
    all.push_back(conv(1024, 3));
    all.push_back(linear(1000));
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
    all.push_back(linear(1000));
    all.push_back(other(Kind::avgpool));
    all.push_back(other(Kind::softmax));
    return all;
}

Layers yolo2_network() { // yolov2.cfg
    Layers all;
    const auto take = [&](std::vector<int> from) {
        all.push_back(other(Kind::route));
        all.back().from = std::move(from);
    };
    // An equal number of convolutions between two poolings, of which every second one is narrow.
    u32 filters = 32;
    for (const u32 convolutions : {1u, 1u, 3u, 3u, 5u, 5u}) {
        for (u32 k = 0; k < convolutions; ++k)
            all.push_back(k % 2 == 0 ? conv(filters, 3) : conv(filters / 2, 1));
        if (filters < 1024) all.push_back(halved());
        filters *= 2;
    }
    all.push_back(conv(1024, 3));
    all.push_back(conv(1024, 3));
    take({-9}); // the last layer with twice the side
    all.push_back(conv(64, 1));
    all.push_back(other(Kind::reorg, 1, 2));
    take({-1, -4});
    all.push_back(conv(1024, 3));
    all.push_back(linear(425));
    all.push_back(other(Kind::identity)); // [region] is performed by the host
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
        all.push_back(linear(255));
        all.push_back(other(Kind::identity)); // [yolo] is performed by the host
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
    if (options.size > most_side) // the catalogue checks it only without a file
        throw BadOption("size", "an image of " + std::to_string(options.size) +
                                    " pixels a side, where 1 to " + std::to_string(most_side) +
                                    " are right");
    Network net;
    if (!options.input.empty()) {
        net = read_cfg(options.input, static_cast<u32>(options.size));
        const auto weights = std::filesystem::path(options.input).replace_extension(".weights");
        net.files = {options.input};
        std::error_code why_not;
        if (std::filesystem::exists(weights, why_not)) {
            read_weights(weights.string(), net);
            net.files.push_back(weights.string());
        }
    } else {
        net.w = net.h = static_cast<u32>(options.size);
        for (const Layer& l : list()) {
            if (net.layers.size() == options.iterations) break;
            if (const std::string wrong = net.add(l); !wrong.empty())
                throw BadOption("size", "an image of " + std::to_string(options.size) +
                                            " pixels does not fit the layers (" + wrong +
                                            "): take a multiple of 32");
        }
    }
    if (net.layers.size() > options.iterations) {
        net.layers.resize(options.iterations);
        net.cut = true;
    }
    return make_darknet(options, std::move(net));
}

constexpr const char* side = "the side of the image in pixels; layers that would halve one pixel "
                             "and all layers after them are omitted";

const Entry reference {
    {.names = {"darknet"},
     .doc = "Darknet's reference network, or any .cfg (with the .weights beside it, if there), or "
            "its first layers (iterations), after Redmon",
     .tables = "CMD (darknet)",
     .size_is = side,
     .size = 64,
     .check_size = 4,
     .most = most_side,
     .iterations = most_layers,
     .memory = [](const Options& o) { return 59'000'000 + 320 * o.size * o.size; },
     .reads = "a network",
     .make = network<reference_network>}};
const Entry tiny {{.names = {"tiny"},
                   .doc = "Darknet's tiny network, or any .cfg, after Redmon",
                   .tables = "CMD (tiny)",
                   .size_is = side,
                   .size = 64,
                   .check_size = 4,
                   .most = most_side,
                   .iterations = most_layers,
                   .memory = [](const Options& o) { return 8'400'000 + 435 * o.size * o.size; },
                   .reads = "a network",
                   .make = network<tiny_network>}};
const Entry yolo2 {{.names = {"yolo2"},
                    .doc = "YOLOv2, or any .cfg, after Redmon",
                    .tables = "CMD (yolo2)",
                    .size_is = side,
                    .size = 96,
                    .check_size = 4,
                    .most = most_side,
                    .iterations = most_layers,
                    .memory = [](const Options& o) { return 408'000'000 + 750 * o.size * o.size; },
                    .reads = "a network",
                    .make = network<yolo2_network>}};
const Entry yolo3 {{.names = {"yolo3"},
                    .doc = "YOLOv3, or any .cfg, after Redmon",
                    .tables = "CMD (yolo3)",
                    .size_is = side,
                    .size = 96,
                    .check_size = 4,
                    .most = most_side,
                    .iterations = most_layers,
                    .memory = [](const Options& o) { return 496'000'000 + 1600 * o.size * o.size; },
                    .reads = "a network",
                    .make = network<yolo3_network>}};

} // namespace

} // namespace memsim::workload
