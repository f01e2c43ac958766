#include "run.hh"
#include "support.hh"
#include "workload/neural/darknet.hh"

#include <cstring>
#include <limits>

namespace memsim::network_test {

using namespace memsim::workload;

namespace {

const std::string net = "[net]\nchannels=2\n";

Options of_cfg(const std::string& path, u64 side) {
    Options options;
    options.input = path;
    options.size = side;
    return options;
}
std::string refused(const std::string& cfg) {
    const TemporaryFile file("bad.cfg", cfg);
    const std::string error = error_of([&] { read_cfg(file.path, 8); });
    return error.starts_with(file.path) ? error.substr(file.path.size()) : error;
}

} // namespace

TEST_CASE("every kind of layer agrees with a plain implementation", "[workloads]") {
    const TemporaryFile file(
        "all.cfg", net + "[convolutional]\nfilters=4\nsize=3\nstride=2\npad=1\nactivation=leaky\n"
                         "[convolutional]\nfilters=4\nsize=3\ngroups=2\npad=1\nactivation=linear\n"
                         "[dropout]\n[shortcut]\nfrom=-3\nactivation=leaky\n"
                         "[maxpool]\nsize=3\nstride=1\n[upsample]\nstride=2\n"
                         "[convolutional]\nfilters=3\nsize=2\nstride=2\nactivation=leaky\n"
                         "[route]\nlayers = -1, 0\n[upsample]\n[convolutional]\nfilters=8\nsize=1\n"
                         "activation=linear\n[reorg]\nstride=2\n"
                         "[convolutional]\nfilters=5\nsize=3\npad=1\nactivation=leaky\n"
                         "[avgpool]\n[softmax]\n");
    const auto application = make_workload("darknet", of_cfg(file.path, 10));
    run_to_end(*application);
    CHECK(application->difference() == "");
}

TEST_CASE("layers of Darknet's public networks agree with plain implementations", "[workloads]") {
    const TemporaryFile file(
        "more.cfg",
        "[net]\nchannels=2\nwidth=12\nheight=12\n[crop]\ncrop_width=9\ncrop_height=9\nflip=1\n"
        "[convolutional]\nfilters=4\nsize=3\npad=1\nactivation=relu\n"
        "[maxpool]\nsize=3\nstride=2\npadding=0\n"
        "[convolutional]\nfilters=6\nsize=1\nactivation=ramp\n[shortcut]\nfrom=-3\n"
        "activation=relu\n[maxpool]\nsize=2\nstride=2\n[shortcut]\nfrom=1\n"
        "[upsample]\nstride=2\n[shortcut]\nfrom=-2\nactivation=leaky\n"
        "[local]\nfilters=3\nsize=3\npad=1\nstride=2\nactivation=logistic\n"
        "[reorg]\nextra=2\n[connected]\noutput=12\nactivation=linear\n"
        "[softmax]\ngroups=3\ntemperature=2\n");
    const auto application = make_workload("darknet", of_cfg(file.path, 12));
    run_to_end(*application);
    CHECK(application->difference() == "");
}

TEST_CASE("a convolution runs Darknet's kernels one after the other", "[workloads]") {
    const auto kernels_of = [](const std::string& layer) {
        const TemporaryFile file("one.cfg", net + layer);
        const auto application = make_workload("darknet", of_cfg(file.path, 8));
        std::vector<std::string> kernels;
        BlockStreams out;
        for (gpu_program::Launch launch; application->next_launch(launch);) {
            kernels.push_back(launch.kernel.substr(0, launch.kernel.find('_')));
            for (u32 block = 0; block < launch.blocks(); ++block)
                application->run_block(block, out);
        }
        CHECK(application->difference() == "");
        return kernels;
    };
    using Names = std::vector<std::string>;
    CHECK(kernels_of("[convolutional]\nbatch_normalize=1\nfilters=2\nsize=3\npad=1\n"
                     "activation=leaky\n") ==
          Names {"fill", "im2col", "gemm", "normalize", "scale", "add", "activate"});
    CHECK(kernels_of("[convolutional]\nfilters=2\nsize=1\nactivation=linear\n") ==
          Names {"fill", "gemm", "add", "activate"});
    CHECK(kernels_of("[upsample]\nstride=2\n[shortcut]\nfrom=-1\nactivation=linear\n") ==
          Names {"fill", "upsample", "copy", "shortcut", "activate"});
}

TEST_CASE("iterations limit the number of layers of a network", "[workloads]") {
    Options options = of_cfg("", 16);
    options.iterations = 3;
    const auto application = make_workload("tiny", options);
    run_to_end(*application);
    CHECK(application->difference() == "");
    CHECK(application->allocations().back().name == "workspace");
    u32 outputs = 0;
    for (const Allocation& a : application->allocations()) outputs += a.name.starts_with("output");
    CHECK(outputs == 3);
}

TEST_CASE("a shortcut adds the common part of both layers", "[workloads]") {
    using Kind = Layer::Kind;
    Layer small, large;
    small.w = small.h = 1, small.c = 3;
    large.kind = small.kind = Kind::shortcut;
    large.w = large.h = 2, large.c = 2;
    large.from = {0}, small.from = {1};
    const std::vector<float> one {1, 2, 3}, many {10, 11, 12, 13, 20, 21, 22, 23};
    const std::vector<Layer> layers {small, large};
    CHECK(plain_layer(large, many, layers, {one, many}) ==
          std::vector<float> {11, 11, 12, 13, 22, 21, 22, 23});
    CHECK(plain_layer(small, one, layers, {one, many}) == std::vector<float> {11, 22, 3});
}

TEST_CASE("weights: normalization lies between biases and weights; sizes must match",
          "[workloads]") {
    const TemporaryFile cfg(
        "w.cfg", "[net]\nchannels=1\n[convolutional]\nbatch_normalize=1\nactivation=linear\n");
    std::string bytes(20, '\0');
    bytes[4] = 2; // 0.2
    for (const float f : {1.0f, 6.0f, 2.0f, 9.0f, 5.0f}) {
        char raw[4];
        std::memcpy(raw, &f, 4);
        bytes.append(raw, 4);
    }
    const auto read = [&](const std::string& what) {
        const TemporaryFile file("w.weights", what);
        Network network = read_cfg(cfg.path, 4);
        read_weights(file.path, network);
        return network.layers[0];
    };
    const Layer layer = read(bytes);
    CHECK(layer.bias == std::vector {1.0f});
    CHECK(layer.scale == std::vector {6.0f});
    CHECK(layer.mean == std::vector {2.0f});
    CHECK(layer.variance == std::vector {9.0f});
    CHECK(layer.weights == std::vector {5.0f});
    const std::string shorter = error_of([&] { read(bytes.substr(0, 38)); });
    const std::string longer = error_of([&] { read(bytes + "more"); });
    CHECK(shorter.find("the weights of layer 0") != std::string::npos);
    CHECK(longer.find("the layers of the .cfg end here, but the file continues") !=
          std::string::npos);
    CHECK(longer.find("40") != std::string::npos);
}

TEST_CASE("weights of a connected layer precede its normalization and may be transposed",
          "[workloads]") {
    const TemporaryFile cfg("c.cfg", "[net]\nchannels=2\n[connected]\noutput=2\n"
                                     "batch_normalize=1\nactivation=linear\n");
    for (const std::int32_t minor : {2, 1002}) {
        std::string bytes(20, '\0');
        std::memcpy(&bytes[4], &minor, 4);
        for (const float f :
             {0.0f, 0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 1.0f, 1.0f, 0.0f, 0.0f, 1.0f, 1.0f})
            bytes.append(reinterpret_cast<const char*>(&f), 4);
        const TemporaryFile file("c.weights", bytes);
        Network network = read_cfg(cfg.path, 1);
        read_weights(file.path, network);
        CHECK(network.layers[0].weights[1] == Approx(minor == 2 ? 2 : 3));
        CHECK(network.layers[0].weights[2] == Approx(minor == 2 ? 3 : 2));
    }
}

TEST_CASE("the maximum of very negative numbers is one of them", "[workloads]") {
    const TemporaryFile cfg("low.cfg", "[net]\nchannels=1\n[convolutional]\nactivation=linear\n"
                                       "[maxpool]\nsize=2\nstride=1\n");
    std::string bytes(20, '\0');
    bytes[4] = 2;
    const float low[] {-std::numeric_limits<float>::infinity(), 0}; // the bias and the weight
    bytes.append(reinterpret_cast<const char*>(low), sizeof low);
    const std::string path = cfg.path.substr(0, cfg.path.size() - 3) + "weights";
    std::ofstream(path, std::ios::binary) << bytes;
    const auto application = make_workload("darknet", of_cfg(cfg.path, 3));
    std::filesystem::remove(path);
    for (u32 word : stored(*application, "output1")) CHECK(std::bit_cast<float>(word) == low[0]);
    CHECK(application->difference() == "");
}

TEST_CASE("an invalid .cfg is rejected with a message", "[workloads]") {
    const std::string layer = refused(net + "[lstm]\n"),
                      number = refused(net + "[maxpool]\nsize= x\n");
    INFO(layer << "\n" << number);
    CHECK(layer.find("a layer '[lstm]'") != std::string::npos);
    CHECK(number.find("'x', where a whole number from 1 to 65536 is right") != std::string::npos);
    CHECK(refused(net + "[route]\nlayers=-1\n").find("layer 0 refers to layer -1") !=
          std::string::npos);
    CHECK(refused(net + "[convolutional]\ngroups=3\n").find("does not divide") !=
          std::string::npos);
    CHECK(refused(net + "[reorg]\nstride=2\n")
              .find("stride is 2, which does not divide 8 pixels, "
                    "or its square 2 channels") != std::string::npos);
    CHECK(error_of([] { make_workload("yolo2", of_cfg("", 48)); }) ==
          "an image of 48 pixels does not fit the layers (stride is 2, which does not divide 3 "
          "pixels, or its square 64 channels): take a multiple of 32");
    CHECK(refused("").find("has no layers") != std::string::npos);
    const std::string conv = net + "[convolutional]\n";
    CHECK(refused(conv + "stride_x=2\n") ==
          ": line 4, column 1: 'stride_x' is no key of [convolutional] (did you mean 'stride'?)");
    CHECK(refused(conv + "xnor=1\n") == ": line 4, column 1: xnor=1 is not modelled: leave it out");
    CHECK(refused(conv + "xnor=0\n") == "");
    CHECK(refused(net + "bacth=1\n") ==
          ": line 3, column 1: 'bacth' is no key of [net] (did you mean 'batch'?)");
    CHECK(refused(net + "[gru]\n").find("recurrent layers are not modelled") != std::string::npos);
    CHECK(refused(net + "[softmax]\ngroups=3\n").find("does not divide 128 inputs") !=
          std::string::npos);
    CHECK(refused(net + "[softmax]\ntree=9k.tree\n").find("tree=9k.tree is not modelled") !=
          std::string::npos);
}

TEST_CASE("sizes of a real network and its weights match", "[workloads]") {
    const std::string cfg = shared_data("dnn/yolo-fastest-1.1.cfg");
    if (cfg.empty()) return;
    const auto application = make_workload("darknet", of_cfg(cfg, 32));
    run_to_end(*application);
    CHECK(application->difference() == "");
}

} // namespace memsim::network_test
