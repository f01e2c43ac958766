#pragma once

#include "workload/llm/decoder.hh"
#include "workload/simt/kernel_host.hh"

namespace memsim::workload {

/// A host that decodes tokens of one sequence with a dense language model of the Llama family
/// (batch 1) by launching the kernels of each layer one after the other.
///
/// Models        Matrices in bf16 or integers of 8 or 4 bits, the cache in bf16 or floats of 8
/// bits,
///               arithmetic in float; the cache in blocks of 16 tokens
///               behind a block table; heads that share keys and values. Weights are random.
/// Not modelled  Copies between host and device; the exclusions of src/workload/llm/decoder.hh.
/// See           docs/models/llm.md
class LanguageModel final : public Model<LanguageModel>, public protocol::HasKernels {
  public:
    struct Params {
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
                             "Elements between the matrices of the feed-forward part, a multiple "
                             "of 4",
                             assumed("a tiny model, for tests")};
        Param<unsigned> vocabulary {
            0,
            {0, 1 << 20},
            "Size of the vocabulary (0: no embedding, output head and choice of a token; "
            "each step starts from the hidden state of the previous one)"};
        Param<unsigned> context {20,
                                 {0, 1 << 20},
                                 "Tokens whose keys and values the cache holds at the start",
                                 assumed("a tiny model, for tests")};
        Param<unsigned> tokens {1, {1, 1 << 16}, "Tokens decoded"};
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
        Param<std::uint64_t> seed {1, "Seed of weights, cache, block table and first token"};
        HostParams host;
    };
    using Ports = HostPorts<Params>;
    using Stats = HostStats;
    using State = HostState;

    explicit LanguageModel(const Params& p) : params(p) {}
    void init() override { kernels(); }
    void wake() override { serve_launches(*this); }
    program::KernelSource& kernels() override;
    std::string kernel() const override { return state.kernel; }
    std::unique_ptr<program::KernelSource>* prepared() override { return &state.function.source; }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    DecoderShape shape() const;
};

} // namespace memsim::workload
