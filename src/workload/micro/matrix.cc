#include "workload/catalogue.hh"

/// Operations of tensor cores on tiles of ones, so each adds the tile's depth to all sums. A warp
/// with one sum measures the latency of an operation, warps with several sums the rate. Operations
/// of four warps (wgmma) read both operands from shared memory.
namespace memsim::workload {

namespace {

constexpr u32 depth = 16;

/// `products`: multiply-accumulates of a warp's operation. `sums`: tiles to which it adds in turn.
/// `operands`: bytes that it reads from shared memory.
template <u32 products, u32 sums, u32 operands>
class MatrixOperations final : public Application {
  public:
    explicit MatrixOperations(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size)) {
        to_ = memory_.zeroed<float>("to", n_);
        multiply_ = kernel(
            "multiply", 16, [this](Warp& w) { multiply(w); }, Counted::machine_code);
    }
    std::string difference() const override {
        const auto sum = static_cast<float>(depth * options_.iterations);
        return first_difference("to", to_, std::vector<float>(n_, sum));
    }

  private:
    bool next() override {
        if (launches() == 1) return false;
        launch(multiply_, n_, threads_or(128));
        return true;
    }
    void multiply(Warp& w) const {
        enum class Site : u32 { to };
        std::array<Lanes<float>, sums> sum;
        for (u32 i = 0; i < options_.iterations; ++i) {
            Lanes<float>& s = sum[i % sums];
            for (u32 lane = 0; lane < gpu_program::warp_lanes; ++lane) s[lane] += depth;
            if constexpr (operands != 0)
                w.matrix_of_shared(products, operands, s);
            else
                w.matrix(products, s);
        }
        Lanes<float> all = sum[0];
        for (u32 i = 1; i < sums; ++i) all = all + sum[i];
        const auto thread = w.thread();
        w.if_(thread < n_, [&] { w.store(Site::to, to_, thread, all); });
    }

    u32 n_;
    Array<float> to_;
    u32 multiply_;
};

template <u32 products, u32 sums, u32 operands = 0>
Workload matrix(const char* name, const char* doc) {
    return {.names = {name},
            .doc = doc,
            .tables = "microbenchmarks (memsim silicon)",
            .size_is = "the number of threads; iterations are the operations of each warp",
            .size = 1 << 12,
            .check_size = 100,
            .most = 1 << 22,
            .iterations = 64,
            .memory = [](const Options& o) { return 4 * o.size; },
            .make = make<MatrixOperations<products, sums, operands>>};
}

constexpr u32 mma_products = 16 * 8 * depth;   // m16n8k16
constexpr u32 wmma_products = 16 * 16 * depth; // m16n16k16
/// A quarter of m64nNk16, which is an operation of four warps.
constexpr u32 wgmma_products(u32 n) { return 64 * n * depth / 4; }
constexpr u32 wgmma_operands(u32 n) { return 2 * depth * (64 + n) / 4; }
template <u32 n>
Workload wgmma(const char* name, const char* doc) {
    return matrix<wgmma_products(n), 2, wgmma_operands(n)>(name, doc);
}

const Entry mma_chain {matrix<mma_products, 1>(
    "mma_chain", "m16n8k16 on tensor cores; each operation needs the sum of the one before")};
const Entry mma {
    matrix<mma_products, 8>("mma", "m16n8k16 on tensor cores, with eight sums for each warp")};
const Entry wmma_chain {matrix<wmma_products, 1>(
    "wmma_chain", "m16n16k16 on tensor cores; each operation needs the sum of the one before")};
const Entry wmma {
    matrix<wmma_products, 8>("wmma", "m16n16k16 on tensor cores, with eight sums for each warp")};
const Entry wgmma_256 {
    wgmma<256>("wgmma", "m64n256k16 of four warps on tensor cores, with two sums for each warp")};
const Entry wgmma_64 {
    wgmma<64>("wgmma_n64", "m64n64k16 of four warps on tensor cores, with two sums for each warp")};
const Entry wgmma_32 {
    wgmma<32>("wgmma_n32", "m64n32k16 of four warps on tensor cores, with two sums for each warp")};

} // namespace

} // namespace memsim::workload
