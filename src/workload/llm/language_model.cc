#include "workload/llm/language_model.hh"

#include "core/base/host_memory.hh"
#include "core/kernel/registry.hh"

namespace memsim::workload {

static const Registration<LanguageModel> language_model {
    "Decoding of tokens by a dense language model, layer by layer, with random weights."};

DecoderShape LanguageModel::shape() const {
    if (const unsigned bits = params.weight_bits(); bits != 16 && bits != 8 && bits != 4)
        refuse("weight_bits", std::to_string(bits) + " is not 16, 8 or 4");
    if (const unsigned bits = params.kv_bits(); bits != 16 && bits != 8)
        refuse("kv_bits", std::to_string(bits) + " is not 16 or 8");
    const auto of_words = [this](const char* name, std::uint64_t value) {
        if (const unsigned n = 64 / params.weight_bits(); value % n)
            refuse(name, std::to_string(value) + " is not a multiple of " + std::to_string(n));
    };
    of_words("hidden", params.hidden());
    of_words("ffn", params.ffn());
    of_words("heads", std::uint64_t {params.heads()} * params.head_dim());
    if (!std::has_single_bit(params.head_dim()))
        refuse("head_dim", std::to_string(params.head_dim()) + " is not a power of 2");
    if (params.heads() % params.kv_heads())
        refuse("kv_heads", std::to_string(params.kv_heads()) + " does not divide " +
                               std::to_string(params.heads()) + " heads");
    const DecoderShape shape {params.layers(),      params.hidden(),      params.heads(),
                              params.kv_heads(),    params.head_dim(),    params.ffn(),
                              params.vocabulary(),  params.context(),     params.tokens(),
                              params.rotary_base(), params.weight_bits(), params.kv_bits()};
    if (const u64 needed = decoder_bytes(shape), available = available_memory(); needed > available)
        refuse("layers", "the model's arrays have " + show_bytes(needed) + ", and " +
                             show_bytes(available) +
                             " of memory are available: simulate fewer layers, and extrapolate");
    if (const u64 words = largest_array(shape); words >> 32)
        refuse("hidden", "a matrix or the cache of a layer has " + std::to_string(words) +
                             " words of 8 bytes, and kernels index fewer than 2^32");
    return shape;
}

program::KernelSource& LanguageModel::kernels() {
    if (state.function.source) return *state.function.source;
    Options options;
    options.seed = params.seed();
    state.function.source = std::make_unique<Decoder>(options, shape());
    return *state.function.source;
}

} // namespace memsim::workload
