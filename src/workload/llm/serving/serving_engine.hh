#pragma once

#include "workload/llm/decoder_params.hh"
#include "workload/llm/serving/batch_decoder.hh"
#include "workload/simt/kernel_host.hh"

namespace memsim::workload {

/// Experts of a layer and the choice of tokens.
struct ExpertParams {
    using group = void;
    Param<unsigned> experts {
        0,
        {0, 512},
        "Experts of a layer (0: a dense model, whose feed-forward part processes all tokens)",
        example_value()};
    Param<unsigned> experts_per_token {
        2,
        {1, 32},
        "Experts that process a token, if there are any",
        cited("Mixtral of Experts (arXiv 2401.04088), table 1: top_k_experts 2")};
    Param<Fraction> temperature {0_pct,
                                 {0_pct, 1000_pct},
                                 "Divides the logits before the softmax from which tokens are "
                                 "drawn (0: the largest logit is chosen)",
                                 assumed("results are compared with a reference's tokens")};
};

/// Prediction of experts for a mem.ReadAhead before each channel of memory.
struct PredictionParams {
    using group = void;
    Param<unsigned> signal_channels {
        0,
        {0, 4096},
        "Channels of memory to which the program signals the experts that the router of the next "
        "layer selects for the present hidden state (0: experts are not predicted)",
        from_wiring()};
    Param<Bytes> signal_chunk {256_B,
                               {32_B, 1_MiB},
                               "Consecutive addresses of a channel of memory, of which each "
                               "predicted expert has a chunk in each channel",
                               power_of_two(),
                               from_wiring()};
};

struct ProductParams {
    using group = void;
    Param<bool> shared_operands {
        false,
        "Have tensor cores read the operands of large tiles from shared memory, as wgmma of an "
        "H100 does, instead of loading them to registers",
        assumed("kernels that run on all chips with tensor cores")};
    Param<unsigned> buffers {
        1,
        {1, 4},
        "Buffers in shared memory for the operands of tiles of bf16. With two or more, operands "
        "are copied asynchronously (cp.async) to the other buffers while tensor cores multiply; "
        "with 1 they are loaded to registers first",
        assumed("kernels that run on all chips with tensor cores")};
};

/// The load and the limits of the engine.
struct RequestParams {
    using group = void;
    Param<unsigned> requests {1, {1, 1 << 16}, "Requests of the run", example_value()};
    Param<unsigned> context {0,
                             {0, 1 << 20},
                             "Tokens of each request whose keys and values the cache holds at its "
                             "arrival",
                             example_value()};
    Param<unsigned> prompt {
        32, {1, 1 << 20}, "Tokens of each request's prompt, after its context", example_value()};
    Param<unsigned> prompt_spread {
        0, {0, 1 << 20}, "Prompts have up to so many tokens fewer, drawn evenly", example_value()};
    Param<unsigned> shared_prefix {0,
                                   {0, 1 << 20},
                                   "First tokens that all requests have in common, of which whole "
                                   "blocks of the cache are shared",
                                   example_value()};
    Param<unsigned> tokens {1, {1, 1 << 16}, "Tokens that each request generates", example_value()};
    Param<unsigned> arrival_gap {
        0,
        {0, 1 << 20},
        "Mean steps between arrivals, which are random (0: all requests arrive at the start)",
        example_value()};
    Param<unsigned> batch {8, {1, 4096}, "Most requests in progress", example_value()};
    Param<unsigned> step_tokens {
        2048,
        {1, 1 << 16},
        "Most tokens of a step, at least `batch`; a longer prompt takes several steps",
        example_value()};
    Param<unsigned> cache_blocks {
        0,
        {0, 1 << 22},
        "Blocks of 16 tokens in the cache (0: as many as a full batch needs)",
        example_value()};
    Param<Evict> evict {
        Evict::none,
        "What happens to the request admitted last when another one needs a block and none is "
        "free. none: requests wait for admission until there are blocks for all of their tokens; "
        "recompute: its tokens are processed again later; swap: its blocks are copied to the "
        "arrays kv.<layer>.swapped, and back",
        switched_off()};
};

/// A host that serves requests to a language model with continuous batching: each step processes
/// one token of every request that generates, and prompts as far as they fit.
///
/// Models        Prompts on tensor cores; attention over a paged cache; mixtures of experts;
///               admission of requests by the room in batch and cache; their eviction; blocks of a
///               common prefix that are computed once. Times of arrivals are steps, so that the
///               same tokens are processed together on every machine. Weights are random.
/// Not modelled  Copies between host and device; the time of the host's scheduling; the exclusions
///               of batch_decoder.hh.
/// See           docs/models/llm.md
class ServingEngine final : public Model<ServingEngine>, public protocol::HasKernels {
  public:
    struct Params {
        DecoderParams decoder;
        ExpertParams choice;
        ProductParams products;
        PredictionParams prediction;
        RequestParams load;
        Param<std::uint64_t> seed {
            1, "Seed of weights, cache, block tables, prompts, arrivals and drawn tokens"};
        HostParams host;
    };
    using Ports = HostPorts<Params>;
    struct Stats {
        Counter launches {Unit::count, "Launches sent to the dispatcher"};
        Counter steps {Unit::count, "Steps that have ended"};
        Counter tokens {Unit::count, "Tokens generated"};
        PerSecond token_rate {tokens, "Tokens generated a second"};
        Counter requests {Unit::count, "Requests whose last token is generated"};
        Counter reused_tokens {
            Unit::count, "Tokens of prompts that were not processed because the cache had them"};
        Counter evictions {Unit::count, "Requests evicted from the cache"};
        Counter swapped_bytes {Unit::byte, "Bytes of the cache copied out and back"};
        Average step_tokens {Unit::count, "Tokens processed in a step"};
        Average step_time {Unit::time, "Time of a step"};
        Distribution time_to_first_token {
            Unit::time, "Time from a request's arrival to the end of the step that generates its "
                        "first token"};
        Distribution time_between_tokens {
            Unit::time, "Time between the ends of the steps that generate a request's tokens"};
        Distribution request_time {Unit::time, "Time from a request's arrival to its last token"};
        Gathered predicted_used {Unit::count,
                                 "Experts that were predicted and used, each once in a layer and "
                                 "step; of all layers but the first"};
        Gathered predicted_unused {Unit::count, "Experts that were predicted but not used"};
        Gathered predicted_missed {Unit::count,
                                   "Experts of layers but the first that were used but not "
                                   "predicted"};
    };
    struct State {
        FunctionalState function;
        std::uint32_t launches = 0;
        std::string kernel;        ///< of the last launch
        Tick began = 0;            ///< the step
        std::vector<Tick> arrived; ///< by request
        std::vector<Tick> last;    ///< by request: its last token
        PredictedExperts predicted;
    };

    explicit ServingEngine(const Params& p) : params(p) {}
    void init() override;
    void wake() override { serve_launches(*this); }
    gpu_program::KernelSource& kernels() override;
    std::string kernel() const override { return state.kernel; }
    std::unique_ptr<gpu_program::KernelSource>* prepared() override {
        return &state.function.source;
    }
    /// The dispatcher requests a launch, so the previous one has ended.
    void before_launch();

    const Params params;
    Ports port;
    Stats stat;
    State state;

  private:
    BatchShape shape() const;
    const BatchDecoder& decoder() { return static_cast<const BatchDecoder&>(kernels()); }
    void begin_step(u32 number);
    void end_step(const Step& step);
};

} // namespace memsim::workload
