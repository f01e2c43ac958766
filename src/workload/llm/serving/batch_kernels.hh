#pragma once

#include "workload/llm/best.hh"
#include "workload/llm/serving/batch_launch.hh"
#include "workload/llm/serving/product_work.hh"

/// The kernels of a step, by kind. Each function is the body of a kernel for a warp or a block.
namespace memsim::workload {

/// Kernels over rows of hidden states. A thread processes a word of four values.
struct VectorKernels : BatchLaunch {
    void embed(Warp& w) const;
    void attention_norm(Block& b) const;
    void ffn_norm(Block& b) const;
    void last_norm(Block& b) const;
    void rotate(Warp& w) const;
    void combine(Warp& w) const;
    void swap(Warp& w) const;

  private:
    template <class Word>
    void copy_block(Warp& w, const Array<Word>& cache, const Array<Word>& swapped) const;
    void normalize(Block& b, const Array<u16>& weight, bool of_ends) const;
};

/// Products of activations and a matrix.
struct ProductKernels : BatchLaunch {
    void qkv(Block& b) const;
    void output(Block& b) const;
    void router(Block& b) const;
    void predict(Block& b) const;
    void gate_up(Block& b) const;
    void down(Block& b) const;
    void head(Block& b) const;

  private:
    void down_of_expert(Block& b) const;
    ProductWork work(const Block& b, const Array<u64>& x, const Matrix& matrix, u32 columns,
                     u32 rows) const;
    ProductWork expert_work(const Block& b, const Array<u64>& x, u32 columns, u32 rows) const;
};

/// The routing of a mixture of experts.
struct ExpertKernels : BatchLaunch {
    void top_k(Warp& w) const;
    void align(Warp& w) const;
    void place(Warp& w) const;
    void predict_top_k(Warp& w) const;
    void signal(Warp& w) const;

  private:
    std::vector<Best> best_experts(Warp& w, const Lanes<u32>& lane, u32 row) const;
    u32 chosen_at(u32 row, u32 layer) const {
        return ((step().first_row + row) * model().layers + layer) * arrays_.shape.used;
    }
    Lanes<u32> chosen_at(Warp& w, const Lanes<u32>& pair) const;
};

/// Attention over the paged cache of keys and values.
struct AttentionKernels : BatchLaunch {
    void attend_prompt(Block& b) const;
    void attend(Block& b) const;
    void merge(Warp& w) const;
};
/// Of attend_prompt.
u32 prompt_shared_bytes(const DecoderShape& shape);

struct ChoiceKernels : BatchLaunch {
    void choose(Block& b) const;
};

} // namespace memsim::workload
