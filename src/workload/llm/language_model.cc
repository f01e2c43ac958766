#include "workload/llm/language_model.hh"

#include "core/kernel/registry.hh"
#include "workload/llm/decoder.hh"

namespace memsim::workload {

static const Registration<LanguageModel> language_model {
    "Decoding of tokens by a dense language model, layer by layer, with random weights."};

DecoderShape LanguageModel::shape() const {
    DecoderShape shape = checked_shape(params.decoder);
    shape.context = params.context();
    shape.tokens = params.tokens();
    check_room(decoder_bytes(shape), largest_array(shape));
    return shape;
}

gpu_program::KernelSource& LanguageModel::kernels() {
    if (state.function.source) return *state.function.source;
    Options options;
    options.seed = params.seed();
    try {
        state.function.source = std::make_unique<Decoder>(options, shape());
    } catch (const BadOption& bad) {
        refuse(bad.option, bad.what());
    }
    return *state.function.source;
}

} // namespace memsim::workload
