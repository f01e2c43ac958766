#include "workload/llm/serving/batch_decoder.hh"

#include "workload/llm/serving/batch_kernels.hh"
#include "workload/llm/serving/skinny_product.hh"
#include "workload/llm/serving/tiled_product.hh"

namespace memsim::workload {

BatchDecoder::BatchDecoder(const Options& options, const BatchShape& shape)
    : Application(options), arrays_(make_batch_memory(memory_, shape, options.seed)) {
    add_kernels();
    for (u32 i = 0; i < arrays_.schedule.steps.size(); ++i) {
        const auto planned = plan_step(shape, arrays_.schedule.steps[i], i);
        plan_.insert(plan_.end(), planned.begin(), planned.end());
    }
}

template <class Body>
void BatchDecoder::add_product(BatchKernel kernel, const char* name, bool beside, Body body) {
    using RowOf = Lanes<u32> (*)(Warp&, const Lanes<u32>&);
    const bool router = kernel == BatchKernel::router || kernel == BatchKernel::predict;
    const bool bf16 = router || arrays_.shape.model.weight_bits == 16;
    const u32 buffers = bf16 ? arrays_.shape.buffers : 1;
    for (u32 i = 0; i < tile_shapes; ++i) {
        const auto tile = static_cast<Tile>(i);
        const u32 shared =
            tile == Tile::skinny
                ? SkinnyProduct<RowOf>::shared_bytes(beside)
                : TiledProduct<RowOf>::shared_bytes(tile_rows(tile), tile_groups(tile), buffers);
        // Operands of the chunks ahead, or sums, operands and the next step of a tile.
        const u32 registers = tile == Tile::large ? 232 : 128;
        number_[static_cast<u32>(kernel)][i] =
            this->kernel(name, registers, body, Counted::by_rule, shared);
    }
}

void BatchDecoder::add_kernels() {
    // Registers: live values, rounded up to even, and 8 for addresses.
    const auto add = [this](BatchKernel kernel, const char* name, u32 registers, auto body,
                            u32 shared_bytes = 0) {
        number_[static_cast<u32>(kernel)].fill(
            this->kernel(name, registers, body, Counted::by_rule, shared_bytes));
    };
    using K = BatchKernel;
    add(K::embed, "embed", 16, body(&VectorKernels::embed));
    add(K::attention_norm, "attention_norm", 24, body(&VectorKernels::attention_norm), 128);
    add_product(K::qkv, "qkv", false, body(&ProductKernels::qkv));
    add(K::rotate, "rotate", 24, body(&VectorKernels::rotate));
    add(K::attend_prompt, "attend_prompt", 168, body(&AttentionKernels::attend_prompt),
        prompt_shared_bytes(arrays_.shape.model));
    add(K::attend, "attend", 120, body(&AttentionKernels::attend),
        attention_shared_bytes(arrays_.shape.model));
    add(K::merge, "merge", 24, body(&AttentionKernels::merge));
    add_product(K::output, "output", false, body(&ProductKernels::output));
    add(K::ffn_norm, "ffn_norm", 24, body(&VectorKernels::ffn_norm), 128);
    add_product(K::router, "router", false, body(&ProductKernels::router));
    add(K::top_k, "top_k", 32, body(&ExpertKernels::top_k));
    add(K::align, "align", 24, body(&ExpertKernels::align));
    add(K::place, "place", 16, body(&ExpertKernels::place));
    add_product(K::gate_up, "gate_up", true, body(&ProductKernels::gate_up));
    add_product(K::down, "down", false, body(&ProductKernels::down));
    add(K::combine, "combine", 24, body(&VectorKernels::combine));
    add(K::last_norm, "last_norm", 24, body(&VectorKernels::last_norm), 128);
    add_product(K::head, "head", false, body(&ProductKernels::head));
    add(K::choose, "choose", 32, body(&ChoiceKernels::choose), 512);
    if (arrays_.schedule.slots) {
        add(K::swap_out, "swap_out", 24, body(&VectorKernels::swap));
        add(K::swap_in, "swap_in", 24, body(&VectorKernels::swap));
    }
    if (!arrays_.shape.predicts()) return;
    add_product(K::predict, "predict", false, body(&ProductKernels::predict));
    add(K::predict_top_k, "predict_top_k", 32, body(&ExpertKernels::predict_top_k));
    add(K::signal, "signal", 16, body(&ExpertKernels::signal));
}

bool BatchDecoder::next() {
    if (launches() == plan_.size()) return false;
    const PlannedLaunch& p = plan_[launches()];
    launch(number_[static_cast<u32>(p.kernel)][static_cast<u32>(p.tile)], p.grid,
           {p.threads, 1, 1});
    return true;
}

} // namespace memsim::workload
