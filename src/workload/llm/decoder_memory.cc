#include "workload/llm/decoder_memory.hh"

#include "core/base/rng.hh"
#include "workload/llm/random_weights.hh"
#include "workload/simt/exact_math.hh"

#include <algorithm>
#include <numeric>

namespace memsim::workload {

namespace {

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
    l.qkv = random_matrix(memory, seed, weights + "qkv", shape.qkv_size(), hidden, bits);
    l.output = random_matrix(memory, seed, weights + "output", hidden, shape.query_size(), bits);
    l.gate = random_matrix(memory, seed, weights + "gate", shape.ffn, hidden, bits);
    l.up = random_matrix(memory, seed, weights + "up", shape.ffn, hidden, bits);
    l.down = random_matrix(memory, seed, weights + "down", hidden, shape.ffn, bits);
    const std::vector<u64> cached =
        random_values(seed, "kv." + layer, cache_values(shape), unit_limit());
    if (shape.kv_bits == 16) {
        l.cache = memory.filled("kv." + layer, cached);
    } else {
        l.small_cache = memory.filled("kv." + layer, as_small_floats(cached));
    }
    return l;
}

} // namespace

DecoderMemory make_decoder_memory(DeviceMemory& memory, const DecoderShape& shape, u64 seed) {
    DecoderMemory m;
    m.shape = shape;
    for (u32 i = 0; i < shape.layers; ++i) m.layers.push_back(make_layer(memory, shape, seed, i));
    m.block_table = memory.input("kv.block_table", shuffled_blocks(seed, blocks_of(shape)));
    m.rotation =
        memory.input("activations.rotation", rotations(shape, shape.context, shape.positions()));
    std::vector<u32> first(shape.tokens + 1);
    if (shape.vocabulary) {
        const u64 values = u64 {shape.vocabulary} * shape.hidden;
        m.embedding = memory.input("weights.embedding",
                                   random_values(seed, "weights.embedding", values, unit_limit()));
        m.last_norm = memory.input("weights.last_norm",
                                   norm_weights(seed, "weights.last_norm", shape.hidden));
        m.head = random_matrix(memory, seed, "weights.head", shape.vocabulary, shape.hidden,
                               shape.weight_bits);
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
