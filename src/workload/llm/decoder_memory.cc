#include "workload/llm/decoder_memory.hh"

#include "core/base/rng.hh"
#include "workload/llm/quantised.hh"
#include "workload/simt/exact_math.hh"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace memsim::workload {

namespace {

/// Random bf16 values, uniform from -limit to limit, from 16 random bits each.
class Values {
  public:
    Values(u64 seed, float limit) : seed_(seed), table_(1 << 16) {
        for (u32 i = 0; i < table_.size(); ++i)
            table_[i] = to_bf16(limit * (static_cast<float>(i) - 32767.5f) / 32767.5f);
    }
    std::vector<u64> words(const std::string& name, u64 values) const {
        Rng random(seed_, name);
        std::vector<u64> all(values / values_in_word);
        for (u64& word : all) {
            const u64 drawn = random.next();
            word = 0;
            for (u32 i = 0; i < values_in_word; ++i)
                word |= u64 {table_[drawn >> 16 * i & 0xffff]} << 16 * i;
        }
        return all;
    }

  private:
    u64 seed_;
    std::vector<u16> table_;
};

/// Weights of a norm: 1 with a deviation of at most a tenth.
std::vector<u16> norm_weights(u64 seed, const std::string& name, u32 n) {
    std::vector<u16> all(n);
    const std::vector<float> drawn = random_floats(seed, name, n);
    for (u32 i = 0; i < n; ++i) all[i] = to_bf16(0.9f + 0.2f * drawn[i]);
    return all;
}

/// Scales of the groups of columns of all rows, a tenth more or less than `scale`.
std::vector<u16> scales(u64 seed, const std::string& name, u64 groups, float scale) {
    std::vector<u16> all(groups);
    const std::vector<float> drawn = random_floats(seed, name, static_cast<u32>(groups));
    for (u64 i = 0; i < groups; ++i) all[i] = to_bf16(scale * (0.9f + 0.2f * drawn[i]));
    return all;
}

/// With a variance of 1 / columns, so that a product has the size of its vector.
Matrix matrix(DeviceMemory& memory, u64 seed, const std::string& name, u64 rows, u32 columns,
              u32 bits) {
    const float limit = std::sqrt(3.0f / static_cast<float>(columns));
    if (bits == 16)
        return {memory.input(name, Values(seed, limit).words(name, rows * columns)), {}};
    Rng random(seed, name);
    std::vector<u64> words(rows * columns * bits / 64);
    for (u64& word : words) word = random.next();
    const Array<u64> integers = memory.input(name, words);
    const u64 groups = rows * groups_of(columns);
    const float scale = limit / static_cast<float>(1u << (bits - 1));
    return {integers,
            memory.input(name + ".scales", scales(seed, name + ".scales", groups, scale))};
}

/// Cosine and sine in double, with IEEE products and sums only: reduces the angle to within pi / 4
/// of a multiple of pi / 2 and sums 10 terms of the series.
std::pair<double, double> exact_rotation(double angle) {
    constexpr double upper = 1.57079632673412561417, lower = 6.07710050650619224932e-11;
    const auto quarter = static_cast<std::int64_t>(angle / upper + 0.5);
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

/// Angle i of a position is position x base^(-2 i / head_dim). head_dim is a power of 2, so square
/// roots give the factor between two angles.
std::vector<float> rotations(const DecoderShape& shape) {
    double factor = 1.0 / shape.rotary_base;
    for (u32 n = shape.head_dim / 2; n > 1; n /= 2) factor = std::sqrt(factor);
    std::vector<float> all;
    for (u32 position = shape.context; position < shape.positions(); ++position) {
        double angle = position;
        for (u32 i = 0; i < shape.head_dim / 2; ++i, angle *= factor) {
            const auto [cosine, sine] = exact_rotation(angle);
            all.push_back(static_cast<float>(cosine));
            all.push_back(static_cast<float>(sine));
        }
    }
    return all;
}

/// The blocks of the cache in random order, as after some time of serving.
std::vector<u32> shuffled_blocks(u64 seed, u32 blocks) {
    std::vector<u32> table(blocks);
    std::iota(table.begin(), table.end(), 0u);
    Rng random(seed, "kv.block_table");
    for (u32 i = blocks; i > 1; --i)
        std::swap(table[i - 1], table[static_cast<u32>(random.below(i))]);
    return table;
}

u32 blocks_of(const DecoderShape& shape) {
    return (shape.positions() + tokens_in_block - 1) / tokens_in_block;
}
u64 cache_values(const DecoderShape& shape) {
    return u64 {blocks_of(shape)} * 2 * tokens_in_block * shape.kv_size();
}

DecoderLayer make_layer(DeviceMemory& memory, const DecoderShape& shape, u64 seed, u32 number) {
    const std::string layer = std::to_string(number), weights = "weights." + layer + ".";
    const u32 hidden = shape.hidden;
    DecoderLayer l;
    for (auto [norm, name] :
         {std::pair {&l.attention_norm, "attention_norm"}, std::pair {&l.ffn_norm, "ffn_norm"}})
        *norm = memory.input(weights + name, norm_weights(seed, weights + name, hidden));
    const u32 bits = shape.weight_bits;
    l.qkv = matrix(memory, seed, weights + "qkv", shape.qkv_size(), hidden, bits);
    l.output = matrix(memory, seed, weights + "output", hidden, shape.query_size(), bits);
    l.gate = matrix(memory, seed, weights + "gate", shape.ffn, hidden, bits);
    l.up = matrix(memory, seed, weights + "up", shape.ffn, hidden, bits);
    l.down = matrix(memory, seed, weights + "down", hidden, shape.ffn, bits);
    const std::vector<u64> cached =
        Values(seed, std::sqrt(3.0f)).words("kv." + layer, cache_values(shape));
    if (shape.kv_bits == 16) {
        l.cache = memory.filled("kv." + layer, cached);
    } else {
        std::vector<u32> small(cached.size());
        for (u64 i = 0; i < small.size(); ++i)
            small[i] = pack_values<u32>([&](u32 j) { return packed_bf16(cached[i], j); });
        l.small_cache = memory.filled("kv." + layer, small);
    }
    return l;
}

} // namespace

DecoderMemory make_decoder_memory(DeviceMemory& memory, const DecoderShape& shape, u64 seed) {
    DecoderMemory m;
    m.shape = shape;
    for (u32 i = 0; i < shape.layers; ++i) m.layers.push_back(make_layer(memory, shape, seed, i));
    m.block_table = memory.input("kv.block_table", shuffled_blocks(seed, blocks_of(shape)));
    m.rotation = memory.input("activations.rotation", rotations(shape));
    std::vector<u32> first(shape.tokens + 1);
    if (shape.vocabulary) {
        const u64 values = u64 {shape.vocabulary} * shape.hidden;
        m.embedding = memory.input(
            "weights.embedding", Values(seed, std::sqrt(3.0f)).words("weights.embedding", values));
        m.last_norm = memory.input("weights.last_norm",
                                   norm_weights(seed, "weights.last_norm", shape.hidden));
        m.head =
            matrix(memory, seed, "weights.head", shape.vocabulary, shape.hidden, shape.weight_bits);
        first[0] = random_words(seed, "token", 1, shape.vocabulary)[0];
        m.logits = memory.zeroed<float>("activations.logits", shape.vocabulary);
    } else {
        m.start = random_floats(seed, "activations.hidden", shape.hidden);
        for (float& f : m.start) f = 2 * f - 1;
    }
    m.token = memory.filled("activations.token", first);
    m.hidden = m.start.empty() ? memory.zeroed<float>("activations.hidden", shape.hidden)
                               : memory.filled("activations.hidden", m.start);
    m.normed = memory.zeroed<float>("activations.normed", shape.hidden);
    m.qkv = memory.zeroed<float>("activations.qkv", shape.qkv_size());
    m.attention = memory.zeroed<float>("activations.attention", shape.query_size());
    m.gated = memory.zeroed<float>("activations.gated", shape.ffn);
    const u32 parts = (shape.positions() + tokens_in_part - 1) / tokens_in_part;
    m.partial = memory.zeroed<float>("activations.partial",
                                     u64 {shape.heads} * parts * (shape.head_dim + 2));
    return m;
}

u64 decoder_bytes(const DecoderShape& shape) {
    const u64 matrices = u64 {shape.hidden} * (shape.qkv_size() + shape.query_size()) +
                         3 * u64 {shape.hidden} * shape.ffn;
    const u64 layer = (matrices * shape.weight_bits + cache_values(shape) * shape.kv_bits) / 8;
    return shape.layers * layer + 4 * u64 {shape.vocabulary} * shape.hidden;
}

u64 largest_array(const DecoderShape& shape) {
    const u64 rows = std::max({shape.qkv_size(), shape.ffn, shape.vocabulary});
    return std::max(rows * shape.hidden, cache_values(shape)) / values_in_word;
}

} // namespace memsim::workload
