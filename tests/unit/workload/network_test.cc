#include "run.hh"
#include "support.hh"
#include "workload/neural/network.hh"

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

TEST_CASE("every kind of layer computes what a plain one does", "[workloads]") {
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

TEST_CASE("weights: normalization is folded in, and they must fit", "[workloads]") {
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
    CHECK(layer.weights[0] == Approx(10)); // 5 x 6 / 3
    CHECK(layer.bias[0] == Approx(-3));    // 1 - 2 x 6 / 3
    const std::string shorter = error_of([&] { read(bytes.substr(0, 38)); });
    const std::string longer = error_of([&] { read(bytes + "more"); });
    CHECK(shorter.find("the weights of layer 0") != std::string::npos);
    CHECK(longer.find("the layers of the .cfg end here, but the file goes on") !=
          std::string::npos);
    CHECK(longer.find("40") != std::string::npos);
}

TEST_CASE("the most of numbers below all others is one of them", "[workloads]") {
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

TEST_CASE("a .cfg that is wrong is one sentence", "[workloads]") {
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
}

TEST_CASE("a real network and its weights fit", "[workloads]") {
    const std::string cfg = shared_data("dnn/yolo-fastest-1.1.cfg");
    if (cfg.empty()) return;
    const auto application = make_workload("darknet", of_cfg(cfg, 32));
    run_to_end(*application);
    CHECK(application->difference() == "");
}

} // namespace memsim::network_test
