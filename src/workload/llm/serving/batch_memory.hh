#pragma once

#include "workload/llm/decoder_memory.hh"
#include "workload/llm/serving/schedule.hh"

/// The data in device memory of a decoder that processes requests in batches. Activations are bf16,
/// four values in a word.
namespace memsim::workload {

/// Reads by which a program signals to each channel of memory which experts it will use. A signal
/// has an address of its own for each step, layer and expert, so that no cache holds it: a chunk of
/// each channel, of which a step uses a sector.
struct Signals {
    static constexpr u32 sector_bytes = 32;
    u32 channels = 0; ///< 0: experts are not predicted
    u32 chunk = 256;  ///< consecutive bytes of a channel

    u64 bytes() const { return u64 {channels} * chunk; }
    u32 steps_in_chunk() const { return chunk / sector_bytes; }
};

struct BatchShape {
    DecoderShape model; ///< its context and tokens are not used
    u32 experts = 0;    ///< of each layer; 0: one feed-forward part for all tokens
    u32 used = 0;       ///< experts of a token
    float temperature = 0;
    bool shared_operands = false; ///< tensor cores read those of large tiles from shared memory
    u32 buffers = 1;              ///< for tiles of operands (ProductWork)
    Requests requests;
    Signals signals;

    u32 pairs() const { return std::max(used, 1u); } ///< results of the feed-forward part, a token
    bool predicts() const { return signals.channels != 0; }
    /// Words of a block of a layer's cache.
    u32 block_words() const { return 2 * tokens_in_block * model.kv_size() / values_in_word; }
};

/// The feed-forward part of a layer, or one of its experts.
struct FeedForward {
    Matrix gate, up, down;
};

struct BatchLayer {
    Array<u16> attention_norm, ffn_norm;
    Matrix qkv, output, router;
    std::vector<FeedForward> experts; ///< one if the layer is dense
    Array<u64> cache, swapped;        ///< swapped: blocks of evicted requests
    Array<u32> small_cache, small_swapped;
};

/// The host's description of the rows of all steps.
struct RowTables {
    Array<u32> request, position;
    Array<u32> table;     ///< the row's in the block table
    Array<u32> end;       ///< by choice of a token: its row in the step
    Array<float> uniform; ///< by choice: a random number from 0 to 1
};

/// Which experts process which rows. A pair is a row and one of its experts.
struct Routing {
    Array<float> logits;  ///< [row][expert]
    Array<u32> chosen;    ///< [row of all steps][layer][of the row's experts]
    Array<float> weight;  ///< by pair
    Array<u32> rank;      ///< by pair: its number among those of its expert
    Array<u32> count;     ///< pairs by expert
    Array<u32> first;     ///< by expert: its first place in `sorted`
    Array<u32> sorted;    ///< pairs by expert; each expert's begin at a tile
    Array<u32> tile;      ///< by tile: its expert
    Array<u32> tile_rows; ///< by tile: its pairs; 0: not used
    Array<u32> predicted; ///< as `chosen`: by the router of the layer before; of layers from 1 on
    Array<u32> signals;   ///< never written (Signals)
};

struct BatchMemory {
    BatchShape shape;
    Schedule schedule;
    std::vector<BatchLayer> layers;
    Array<u64> embedding;
    Matrix head;
    Array<u16> last_norm;
    Array<float> rotation;               ///< by position: cosine and sine of each angle
    Array<u32> block_table;              ///< [admission of a request][block]
    Array<u32> swapped_block, swap_slot; ///< by swap of all steps
    Array<u32> token;                    ///< [request][position]: prompts, then what was chosen
    RowTables rows;
    std::vector<u64> start; ///< hidden states before the first step, if there is no vocabulary
    std::vector<std::vector<u64>> cached; ///< by layer: the cache before the first step, as bf16
    Array<u64> hidden, normed, qkv, attention, gated, result;
    Array<float> partial; ///< of attention, as in DecoderMemory, for each request
    Array<float> logits;  ///< [choice of the step][token of the vocabulary]
    Routing routing;

    u32 token_stride() const { return shape.requests.positions() + 1; }
    /// The word in `routing.signals` with the signal of an expert, of the first channel. Signals
    /// begin at a multiple of their size, so that each channel has the same chunk of all of them.
    u32 signal(u32 step, u32 layer, u32 expert) const;
};

/// Experts of all layers but the first, each counted once in a step.
struct PredictedExperts {
    u32 used = 0;   ///< predicted, and chosen by a row
    u32 unused = 0; ///< predicted, but not chosen
    u32 missed = 0; ///< chosen, but not predicted
};
PredictedExperts predicted_experts(const BatchMemory& memory, const Step& step);

BatchMemory make_batch_memory(DeviceMemory& memory, const BatchShape& shape, u64 seed);

/// Bytes of host memory, without scales.
u64 batch_bytes(const BatchShape& shape);
/// Words of the largest array, which kernels index with 32 bits.
u64 largest_array(const BatchShape& shape);

/// Pairs of a tile of an expert, and the most tiles of `pairs` pairs.
u32 expert_tile(const BatchShape& shape, u32 rows);
u32 expert_tiles(const BatchShape& shape, u32 rows);

/// Processes the same rows in double, by plain loops, with operands of tensor cores rounded to bf16
/// as the kernels round them, and gives what differs as a sentence; empty if nothing does.
std::string batch_difference(const BatchMemory& memory);

/// The tokens that plain loops generate for each request alone, one token after the other. Nothing
/// that the kernels computed is used.
/// Requires: no context, a vocabulary, temperature 0.
std::vector<std::vector<u32>> tokens_of_single_requests(const BatchMemory& memory);

} // namespace memsim::workload
