#pragma once

#include "core/kernel/component.hh"
#include "workload/llm/decoder_memory.hh"

namespace memsim::workload {

/// The parameters that describe a decoder of the Llama family.
struct DecoderParams {
    using group = void;
    Param<unsigned> layers {2, {1, 256}, "Layers", assumed("a tiny model, for tests")};
    Param<unsigned> hidden {64,
                            {8, 65536},
                            "Elements of the hidden state, a multiple of 4",
                            assumed("a tiny model, for tests")};
    Param<unsigned> heads {4, {1, 256}, "Heads of queries", assumed("a tiny model, for tests")};
    Param<unsigned> kv_heads {2,
                              {1, 256},
                              "Heads of keys and values, a divisor of the heads",
                              assumed("a tiny model, for tests")};
    Param<unsigned> head_dim {
        16, {8, 128}, "Elements of a head, a power of 2", assumed("a tiny model, for tests")};
    Param<unsigned> ffn {128,
                         {8, 262144},
                         "Elements between the matrices of the feed-forward part, a multiple of 4",
                         assumed("a tiny model, for tests")};
    Param<unsigned> vocabulary {
        0,
        {0, 1 << 20},
        "Size of the vocabulary (0: no embedding, output head and choice of a token; "
        "each step starts from the hidden state of the previous one)"};
    Param<unsigned> weight_bits {
        16,
        {4, 16},
        "Bits of a weight: 16 (bf16), 8 or 4 (integers with a scale of bf16 for "
        "each 128 columns); the embedding has 16"};
    Param<unsigned> kv_bits {
        16, {8, 16}, "Bits of a cached key or value: 16 (bf16) or 8 (E4M3 floats)"};
    Param<unsigned> rotary_base {10000,
                                 {2, 1'000'000'000},
                                 "Base of the angles of the rotary embedding",
                                 cited("RoFormer (arXiv 2104.09864), section 3.2.2: 10000")};
};

/// The shape without context and tokens. Throws BadOption for a parameter whose value the kernels
/// do not process.
DecoderShape checked_shape(const DecoderParams& params);

/// Throws BadOption if the host has less memory than `bytes`, or if an array has more words than
/// kernels index.
void check_room(u64 bytes, u64 words_of_largest_array);

} // namespace memsim::workload
