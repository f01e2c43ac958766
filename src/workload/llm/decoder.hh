#pragma once

#include "workload/application.hh"
#include "workload/llm/decoder_memory.hh"

namespace memsim::workload {

/// Decodes tokens of one sequence with a dense decoder of the Llama family.
///
/// Models        The kernels of docs/models/llm.md, launched one after the other for each layer.
///               Instructions are counted by the rule of docs/models/workloads.md.
/// Requires      hidden, ffn and heads x head_dim are multiples of the weights in a word; head_dim
///               is a power of 2 from 8 to 128; kv_heads divides heads.
/// Not modelled  Tensor cores, batches, prefill, sampling.
class Decoder final : public Application {
  public:
    Decoder(const Options& options, const DecoderShape& shape);

    std::string difference() const override { return decoder_difference(arrays_); }
    const DecoderMemory& arrays() const { return arrays_; }

  private:
    struct Step {
        u32 kernel, layer, blocks, threads;
    };
    /// Numbers of the kernels.
    struct Kernels {
        u32 embed, attention_norm, qkv, rotate, attend, merge, output, ffn_norm, gate_up, down,
            last_norm, head, choose;
    };

    bool next() override;
    void add_kernels();
    void plan();
    const DecoderShape& shape() const { return arrays_.shape; }
    u32 layer_number() const { return steps_[(launches() - 1) % steps_.size()].layer; }
    const DecoderLayer& layer() const { return arrays_.layers[layer_number()]; }
    /// Tokens decoded before the current one, and the position of the current one in the sequence.
    u32 decoded() const { return (launches() - 1) / static_cast<u32>(steps_.size()); }
    u32 position() const { return shape().context + decoded(); }
    /// Number of parts of the context up to this position.
    static u32 parts_to(u32 position) { return position / tokens_in_part + 1; }

    // vectors.cc
    void embed(Warp& w) const;
    void normalize(Block& b, const Array<u16>& weight) const;
    void choose(Block& b) const;
    // products.cc
    void qkv(Block& b) const;
    void output(Block& b) const;
    void gate_up(Block& b) const;
    void down(Block& b) const;
    void head(Block& b) const;
    void multiply(Block& b, const Matrix& matrix, const Array<float>& x, const Array<float>& result,
                  bool add) const;
    // attention.cc
    void rotate(Warp& w) const;
    void attend(Block& b) const;
    void merge(Warp& w) const;

    DecoderMemory arrays_;
    std::vector<Step> steps_; ///< per token
    Kernels kernel_ {};
};

/// Threads per block of the kernels with more than one warp.
inline constexpr u32 product_threads = 512, norm_threads = 512, choice_threads = 1024,
                     attention_threads = 256;
inline constexpr u32 rows_in_warp = 2;
inline constexpr u32 rows_in_block = product_threads / warp_lanes * rows_in_warp;

/// Bytes of shared memory for a vector of so many floats in products.cc, of which a word of weights
/// takes so many.
u32 product_shared_bytes(u32 columns, u32 weights_in_word);
/// Of the kernel `attend`.
u32 attention_shared_bytes(const DecoderShape& shape);

/// Runs a body in all lanes, or in those with a number below `below`.
template <class Body>
void in_lanes(Warp& w, bool all, const Lanes<u32>& number, u32 below, Body body) {
    if (all)
        body();
    else
        w.if_(number < below, body);
}

/// Gives each lane the sum over all lanes whose numbers differ from its own only in the bits of the
/// distances from `from` to below `below`; both must be powers of 2.
inline void add_lanes(Warp& w, Lanes<float>& sum, u32 from, u32 below) {
    for (u32 distance = from; distance < below; distance *= 2)
        sum = sum + w.shuffle(sum, [distance](u32 i) { return i ^ distance; });
}

} // namespace memsim::workload
