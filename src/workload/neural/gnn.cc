#include "workload/graph/bfs_rodinia.hh"
#include "workload/matrix/gemm.hh"
#include "workload/matrix/vadd.hh"
#include "workload/simt/exact_math.hh"

/// A layer of a graph neural network, composed of bfs, vadd and gemm, which is all that CXL-GPU's
/// paper states about its gnn. The composition follows networks with distance encoding (Li et al.,
/// NeurIPS'20), which is an assumption: the search finds each vertex's distance from the target,
/// the encoding of that distance is added to the vertex's features, and the sum is multiplied by
/// the layer's weights.
namespace memsim::workload {

/// The current part.
enum class GnnPart : u32 { search, sum, product };

struct GnnHost {
    GnnPart part = GnnPart::search;
};

namespace {

constexpr u32 features = 32, distances = 16; // greater distances have equal encodings [A]

class Gnn final : public HostedApplication<GnnHost> {
  public:
    explicit Gnn(const Options& options)
        : HostedApplication(options), search_(options, memory_),
          encoding_(random_floats(options.seed, "encoding", distances * features)),
          x_(random_floats(options.seed, "x", u64 {search_.vertices()} * features)) {
        sum_.x = memory_.input("x", x_);
        sum_.y = memory_.zeroed<float>("encoded", x_.size());
        sum_.out = memory_.zeroed<float>("sum", x_.size());
        product_.rows = search_.vertices();
        product_.columns = product_.depth = features;
        product_.a = sum_.out;
        product_.b =
            memory_.input("weights", random_floats(options.seed, "weights", features * features));
        product_.c = memory_.zeroed<float>("hidden", x_.size());
        expand_ = kernel(
            "Kernel", RodiniaSearch::expand_registers, [this](Warp& w) { search_.expand(w); },
            Counted::machine_code);
        advance_ = kernel(
            "Kernel2", RodiniaSearch::advance_registers, [this](Warp& w) { search_.advance(w); },
            Counted::machine_code);
        add_ = kernel("vadd", 10, [this](Warp& w) { sum_.add(w); });
        multiply_ = kernel("gemm_kernel", 20, [this](Warp& w) { product_.multiply(w); });
    }
    std::string difference() const override {
        if (std::string wrong = search_.difference(); !wrong.empty()) return wrong;
        std::vector<float> sum(x_.size());
        for (u32 v = 0; v < search_.vertices(); ++v) {
            u32 distance = search_.cost()[v]; // verified just before
            if (distance > distances - 1) distance = distances - 1;
            for (u32 f = 0; f < features; ++f)
                sum[v * features + f] = x_[v * features + f] + encoding_[distance * features + f];
        }
        if (std::string wrong = first_difference("sum", sum_.out, sum); !wrong.empty())
            return wrong;
        return first_difference("hidden", product_.c,
                                product_.plain(std::vector<float>(sum.size())));
    }

  private:
    float encoded(u64 i) const {
        const u32 distance = std::min(search_.cost()[i / features], distances - 1);
        return encoding_[distance * features + i % features];
    }
    bool next() override {
        if (host.part == GnnPart::search) {
            const bool second = launches() % 2 == 1;
            if (second || launches() == 0 || !search_.ended()) {
                if (!second) search_.begin_round();
                launch(second ? advance_ : expand_, search_.vertices(),
                       RodiniaSearch::threads_per_block);
                return true;
            }
            // The host copies the encoding of each vertex.
            for (u64 i = 0; i < x_.size(); ++i) sum_.y[i] = encoded(i);
            host.part = GnnPart::sum;
            launch(add_, sum_.size());
            return true;
        }
        if (host.part == GnnPart::product) return false;
        host.part = GnnPart::product;
        launch(multiply_, product_.grid(), MatrixProduct::block);
        return true;
    }

    RodiniaSearch search_;
    std::vector<float> encoding_, x_;
    VectorSum sum_;
    MatrixProduct product_;
    u32 expand_, advance_, add_, multiply_;
};

Workload gnn() {
    Workload w = graph_workload({"gnn"},
                                "A layer of a graph neural network: bfs (Rodinia), vadd of "
                                "distance encodings, gemm with the weights",
                                "CXL (gnn)", make<Gnn>);
    w.memory = [](const Options& o) {
        return std::max(graph_memory(o), u64 {680 + 7 * o.degree} << o.size);
    };
    w.most = 19; // gemm's grid has at most 65535 blocks along y
    return w;
}
const Entry entry {gnn()};

} // namespace

} // namespace memsim::workload
