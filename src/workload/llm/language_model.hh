#pragma once

#include "workload/llm/decoder_params.hh"
#include "workload/simt/kernel_host.hh"

namespace memsim::workload {

/// A host that decodes tokens of one sequence with a dense language model of the Llama family
/// (batch 1) by launching the kernels of each layer one after the other.
///
/// Models        Matrices in bf16 or integers of 8 or 4 bits, the cache in bf16 or floats of 8
///               bits, arithmetic in float; the cache in blocks of 16 tokens behind a block table;
///               heads that share keys and values. Weights are random.
/// Not modelled  Copies between host and device; the exclusions of src/workload/llm/decoder.hh.
/// See           docs/models/llm.md
class LanguageModel final : public Model<LanguageModel>, public protocol::HasKernels {
  public:
    struct Params {
        DecoderParams decoder;
        Param<unsigned> context {20,
                                 {0, 1 << 20},
                                 "Tokens whose keys and values the cache holds at the start",
                                 assumed("a tiny model, for tests")};
        Param<unsigned> tokens {1, {1, 1 << 16}, "Tokens decoded"};
        Param<std::uint64_t> seed {1, "Seed of weights, cache, block table and first token"};
        HostParams host;
    };
    using Ports = HostPorts<Params>;
    using Stats = HostStats;
    using State = HostState;

    explicit LanguageModel(const Params& p) : params(p) {}
    void init() override { kernels(); }
    void wake() override { serve_launches(*this); }
    gpu_program::KernelSource& kernels() override;
    std::string kernel() const override { return state.kernel; }
    std::unique_ptr<gpu_program::KernelSource>* prepared() override {
        return &state.function.source;
    }

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    DecoderShape shape() const;
};

} // namespace memsim::workload
