#include "workload/catalogue.hh"

/// Additions of one arithmetic unit. A warp whose additions need each other measures the latency of
/// an instruction, warps with independent ones the rate of the units.
namespace memsim::workload {

namespace {

using gpu_program::ArithmeticUnit;

template <ArithmeticUnit unit, bool dependent>
class Additions final : public Application {
  public:
    explicit Additions(const Options& options)
        : Application(options), n_(static_cast<u32>(options.size)) {
        to_ = memory_.zeroed<float>("to", n_);
        add_ = kernel(
            "add", 16, [this](Warp& w) { add(w); }, Counted::machine_code);
    }
    std::string difference() const override {
        const auto sum = static_cast<float>(options_.iterations);
        return first_difference("to", to_, std::vector<float>(n_, sum));
    }

  private:
    bool next() override {
        if (launches() == 1) return false;
        launch(add_, n_, threads_or(128));
        return true;
    }
    void add(Warp& w) const {
        enum class Site : u32 { to };
        Lanes<float> sum;
        for (u32 i = 0; i < options_.iterations; ++i) sum = sum + 1.0f;
        w.arithmetic(unit, options_.iterations, dependent);
        const auto thread = w.thread();
        w.if_(thread < n_, [&] { w.store(Site::to, to_, thread, sum); });
    }

    u32 n_;
    Array<float> to_;
    u32 add_;
};

template <ArithmeticUnit unit, bool dependent>
Workload additions(const char* name, const char* doc) {
    return {.names = {name},
            .doc = doc,
            .tables = "microbenchmarks (memsim silicon)",
            .size_is = "the number of threads; iterations are the additions of each",
            .size = 1 << 12,
            .check_size = 100,
            .most = 1 << 22,
            .iterations = 64,
            .memory = [](const Options& o) { return 4 * o.size; },
            .make = make<Additions<unit, dependent>>};
}

const Entry fp32_chain {additions<ArithmeticUnit::fp32, true>(
    "arithmetic_fp32_chain", "additions of 32-bit floating-point values, each of the last sum")};
const Entry fp32 {additions<ArithmeticUnit::fp32, false>(
    "arithmetic_fp32", "independent additions of 32-bit floating-point values")};
const Entry int32_chain {additions<ArithmeticUnit::int32, true>(
    "arithmetic_int32_chain", "additions of integers, each of the last sum")};
const Entry int32 {additions<ArithmeticUnit::int32, false>("arithmetic_int32",
                                                           "independent additions of integers")};
const Entry fp64_chain {additions<ArithmeticUnit::fp64, true>(
    "arithmetic_fp64_chain", "additions of 64-bit floating-point values, each of the last sum")};
const Entry fp64 {additions<ArithmeticUnit::fp64, false>(
    "arithmetic_fp64", "independent additions of 64-bit floating-point values")};
const Entry special_chain {additions<ArithmeticUnit::special, true>(
    "arithmetic_special_chain", "special functions, each of the last result")};
const Entry special {additions<ArithmeticUnit::special, false>("arithmetic_special",
                                                               "independent special functions")};

} // namespace

} // namespace memsim::workload
