#include "workload/llm/decoder_params.hh"

#include "core/base/host_memory.hh"
#include "workload/application.hh"

namespace memsim::workload {

DecoderShape checked_shape(const DecoderParams& params) {
    if (const unsigned bits = params.weight_bits(); bits != 16 && bits != 8 && bits != 4)
        throw BadOption("weight_bits", std::to_string(bits) + " is not 16, 8 or 4");
    if (const unsigned bits = params.kv_bits(); bits != 16 && bits != 8)
        throw BadOption("kv_bits", std::to_string(bits) + " is not 16 or 8");
    const auto of_words = [&params](const char* name, std::uint64_t value) {
        if (const unsigned n = 64 / params.weight_bits(); value % n)
            throw BadOption(name,
                            std::to_string(value) + " is not a multiple of " + std::to_string(n));
    };
    of_words("hidden", params.hidden());
    of_words("ffn", params.ffn());
    of_words("heads", std::uint64_t {params.heads()} * params.head_dim());
    if (!std::has_single_bit(params.head_dim()))
        throw BadOption("head_dim", std::to_string(params.head_dim()) + " is not a power of 2");
    if (params.heads() % params.kv_heads())
        throw BadOption("kv_heads", std::to_string(params.kv_heads()) + " does not divide " +
                                        std::to_string(params.heads()) + " heads");
    return {.layers = params.layers(),
            .hidden = params.hidden(),
            .heads = params.heads(),
            .kv_heads = params.kv_heads(),
            .head_dim = params.head_dim(),
            .ffn = params.ffn(),
            .vocabulary = params.vocabulary(),
            .context = 0,
            .tokens = 1,
            .rotary_base = params.rotary_base(),
            .weight_bits = params.weight_bits(),
            .kv_bits = params.kv_bits()};
}

void check_room(u64 bytes, u64 words_of_largest_array) {
    if (const u64 available = available_memory(); bytes > available)
        throw BadOption("layers", "the model's arrays have " + show_bytes(bytes) + ", and " +
                                      show_bytes(available) +
                                      " of memory are available: simulate fewer layers, and "
                                      "extrapolate");
    if (words_of_largest_array >> 32)
        throw BadOption("hidden", "a matrix or the cache of a layer has " +
                                      std::to_string(words_of_largest_array) +
                                      " words of 8 bytes, and kernels index fewer than 2^32");
}

} // namespace memsim::workload
