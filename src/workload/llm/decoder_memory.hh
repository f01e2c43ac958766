#pragma once

#include "workload/device_memory.hh"
#include "workload/llm/quantised.hh"

/// The data of a decoder in device memory.
namespace memsim::workload {

using u16 = std::uint16_t;

/// Dimensions of a dense decoder of the Llama family, and its work.
struct DecoderShape {
    u32 layers, hidden, heads, kv_heads, head_dim, ffn;
    u32 vocabulary;       ///< 0: no embedding, head and choice of a token
    u32 context;          ///< tokens whose keys and values are in the cache
    u32 tokens;           ///< decoded after them
    u32 rotary_base;      ///< of the angles of the rotary embedding
    u32 weight_bits = 16; ///< 16: bf16; 8 and 4: integers with scales
    u32 kv_bits = 16;     ///< 16: bf16; 8: floats of 8 bits

    u32 group() const { return heads / kv_heads; } ///< heads that share keys and values
    u32 query_size() const { return heads * head_dim; }
    u32 kv_size() const { return kv_heads * head_dim; }
    u32 qkv_size() const { return query_size() + 2 * kv_size(); }
    u32 positions() const { return context + tokens; }
    u32 weights_in_word() const { return 64 / weight_bits; }
};

/// Applies the rotary embedding of a position to the queries and keys of a vector, for references.
void rotate(std::vector<double>& qkv, const DecoderShape& shape, u32 position);

inline constexpr u32 values_in_word = 4;   ///< of bf16
inline constexpr u32 tokens_in_block = 16; ///< of the cache
inline constexpr u32 tokens_in_part = 128; ///< tokens of the context per thread block
inline constexpr float norm_epsilon = 1e-5f;

/// A matrix: a row for each element of the result.
struct Matrix {
    Array<u64> words;
    Array<u16> scales; ///< of integers: [row][group of columns], bf16
};

struct DecoderLayer {
    Array<u16> attention_norm, ffn_norm;
    Matrix qkv, output, gate, up, down;
    /// Blocks of [key, value][token][KV head][dimension], four values in a word.
    Array<u64> cache;
    Array<u32> small_cache; ///< instead of it, of values of 8 bits
};

struct DecoderMemory {
    DecoderShape shape;
    std::vector<DecoderLayer> layers;
    Array<u64> embedding;
    Matrix head;
    Array<u16> last_norm;
    Array<u32> block_table;   ///< by i: the cache block of tokens 16 i to 16 i + 15
    Array<u32> token;         ///< the first token is an input, the others are decoded
    Array<float> rotation;    ///< by decoded position: cosine and sine of each angle
    std::vector<float> start; ///< hidden state before the first layer, if there is no vocabulary
    Array<float> hidden;      ///< residual stream
    Array<float> normed, qkv, attention, gated, logits;
    Array<float> partial; ///< by head and part of the context: maximum score, sum, values
};

DecoderMemory make_decoder_memory(DeviceMemory& memory, const DecoderShape& shape, u64 seed);

/// Groups of columns of a row that have a scale each.
constexpr u32 groups_of(u32 columns) { return (columns + columns_in_group - 1) / columns_in_group; }

/// Bytes of device memory, without scales.
u64 decoder_bytes(const DecoderShape& shape);

/// Words of the largest array, which kernels index with 32 bits.
u64 largest_array(const DecoderShape& shape);

/// Decodes the same tokens in double, by plain loops, and gives what differs as a sentence; empty
/// if nothing does. Compares the decoded tokens exactly; entries of the cache to a unit in the last
/// place of the format; the final hidden state to a rounding of 2^-24 for each term of the longest
/// sums of each layer, in relation to its largest element.
std::string decoder_difference(const DecoderMemory& memory);

} // namespace memsim::workload
