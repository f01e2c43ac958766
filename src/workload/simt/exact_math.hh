#pragma once

#include "core/base/rng.hh"

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

/// Floating-point functions with identical results on all compilers and machines. IEEE sums,
/// products, quotients and square roots are exact by the standard; functions of libm are not.
namespace memsim::workload {

/// e^x as 2^k x a polynomial of degree 11 in double, within a unit in the last place of float.
inline float exact_exp(float x) {
    if (x > 88.0f) x = 88.0f;
    if (x < -87.0f) x = -87.0f;
    constexpr double log2_e = 1.4426950408889634, ln_2 = 0.6931471805599453;
    const double y = static_cast<double>(x);
    const double scaled = y * log2_e;
    const auto k = static_cast<int>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    const double r = y - k * ln_2;
    double sum = 1;
    for (int n = 11; n > 0; --n) sum = 1 + r / n * sum;
    return static_cast<float>(sum * std::bit_cast<double>(std::uint64_t(1023 + k) << 52));
}

/// Uniform in [0, 1), in steps of 2^-24.
inline std::vector<float> random_floats(std::uint64_t seed, std::string_view name,
                                        std::uint64_t n) {
    Rng random(seed, name);
    std::vector<float> all(n);
    for (float& f : all) f = static_cast<float>(random.next() >> 40) * 0x1p-24f;
    return all;
}
inline std::vector<std::uint32_t> random_words(std::uint64_t seed, std::string_view name,
                                               std::uint64_t n, std::uint64_t below) {
    Rng random(seed, name);
    std::vector<std::uint32_t> all(n);
    for (std::uint32_t& w : all) w = static_cast<std::uint32_t>(random.below(below));
    return all;
}

} // namespace memsim::workload
