#include "workload/llm/random_weights.hh"

#include "core/base/rng.hh"
#include "workload/simt/exact_math.hh"

#include <cmath>

namespace memsim::workload {

namespace {

/// Scales of the groups of columns of all rows, a tenth more or less than `scale`.
std::vector<u16> scales(u64 seed, const std::string& name, u64 groups, float scale) {
    std::vector<u16> all(groups);
    const std::vector<float> drawn = random_floats(seed, name, static_cast<u32>(groups));
    for (u64 i = 0; i < groups; ++i) all[i] = to_bf16(scale * (0.9f + 0.2f * drawn[i]));
    return all;
}

/// Cosine and sine in double, with IEEE products and sums only: reduces the angle to within pi / 4
/// of a multiple of pi / 2 and sums 10 terms of the series.
std::pair<double, double> exact_rotation(double angle) {
    constexpr double upper = 1.57079632673412561417, lower = 6.07710050650619224932e-11;
    const auto quarter = static_cast<std::int64_t>(std::floor(angle / upper + 0.5));
    const auto turns = static_cast<double>(quarter);
    const double rest = (angle - turns * upper) - turns * lower;
    double cosine = 1, sine = 1;
    for (int n = 10; n > 0; --n) {
        cosine = 1 - rest * rest / ((2 * n - 1) * (2 * n)) * cosine;
        sine = 1 - rest * rest / ((2 * n) * (2 * n + 1)) * sine;
    }
    sine *= rest;
    switch (quarter & 3) {
    case 0:
        return {cosine, sine};
    case 1:
        return {-sine, cosine};
    case 2:
        return {-cosine, -sine};
    default:
        return {sine, -cosine};
    }
}

} // namespace

float unit_limit() { return std::sqrt(3.0f); }

std::vector<u64> random_values(u64 seed, const std::string& name, u64 values, float limit) {
    std::vector<u16> table(1 << 16);
    for (u32 i = 0; i < table.size(); ++i)
        table[i] = to_bf16(limit * (static_cast<float>(i) - 32767.5f) / 32767.5f);
    Rng random(seed, name);
    std::vector<u64> all(values / values_in_word);
    for (u64& word : all) {
        const u64 drawn = random.next();
        word = 0;
        for (u32 i = 0; i < values_in_word; ++i)
            word |= u64 {table[drawn >> 16 * i & 0xffff]} << 16 * i;
    }
    return all;
}

std::vector<u16> norm_weights(u64 seed, const std::string& name, u32 n) {
    std::vector<u16> all(n);
    const std::vector<float> drawn = random_floats(seed, name, n);
    for (u32 i = 0; i < n; ++i) all[i] = to_bf16(0.9f + 0.2f * drawn[i]);
    return all;
}

Matrix random_matrix(DeviceMemory& memory, u64 seed, const std::string& name, u64 rows, u32 columns,
                     u32 bits) {
    const float limit = std::sqrt(3.0f / static_cast<float>(columns));
    if (bits == 16)
        return {memory.input(name, random_values(seed, name, rows * columns, limit)), {}};
    Rng random(seed, name);
    std::vector<u64> words(rows * columns * bits / 64);
    for (u64& word : words) word = random.next();
    const Array<u64> integers = memory.input(name, words);
    const u64 groups = rows * groups_of(columns);
    const float scale = limit / static_cast<float>(1u << (bits - 1));
    return {integers,
            memory.input(name + ".scales", scales(seed, name + ".scales", groups, scale))};
}

std::vector<u32> as_small_floats(const std::vector<u64>& words) {
    std::vector<u32> small(words.size());
    for (u64 i = 0; i < small.size(); ++i)
        small[i] = pack_values<u32>([&](u32 j) { return packed_bf16(words[i], j); });
    return small;
}

/// Angle i of a position is position x base^(-2 i / head_dim). head_dim is a power of 2, so square
/// roots give the factor between two angles.
std::vector<float> rotations(const DecoderShape& shape, u32 first, u32 last) {
    double factor = 1.0 / shape.rotary_base;
    for (u32 n = shape.head_dim / 2; n > 1; n /= 2) factor = std::sqrt(factor);
    std::vector<float> all;
    for (u32 position = first; position < last; ++position) {
        double angle = position;
        for (u32 i = 0; i < shape.head_dim / 2; ++i, angle *= factor) {
            const auto [cosine, sine] = exact_rotation(angle);
            all.push_back(static_cast<float>(cosine));
            all.push_back(static_cast<float>(sine));
        }
    }
    return all;
}

} // namespace memsim::workload
