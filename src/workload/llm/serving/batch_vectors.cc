#include "workload/llm/serving/batch_kernels.hh"
#include "workload/llm/vector_steps.hh"

/// Kernels over rows of a batch: embedding, norm, rotary embedding, sum of experts' results. A
/// thread processes a word of four values.
namespace memsim::workload {

namespace {

using Four = std::array<Lanes<float>, 4>;

} // namespace

/// Copies the embedding of each row's token to the hidden state.
void VectorKernels::embed(Warp& w) const {
    enum class Site : u32 { request, position, token, word, set };
    const u32 words = hidden_words(), row = w.by();
    const auto word = w.x();
    w.if_(word < words, [&] {
        const Lanes<u32> at(step().first_row + row);
        const auto request = w.load(Site::request, arrays_.rows.request, at);
        const auto position = w.load(Site::position, arrays_.rows.position, at);
        const auto token =
            w.load(Site::token, arrays_.token, mad(request, arrays_.token_stride(), position));
        const auto value = w.load(Site::word, arrays_.embedding, mad(token, words, word));
        w.store(Site::set, arrays_.hidden, word, value, row * words);
    });
}

void VectorKernels::attention_norm(Block& b) const { normalize(b, layer().attention_norm, false); }
void VectorKernels::ffn_norm(Block& b) const { normalize(b, layer().ffn_norm, false); }
void VectorKernels::last_norm(Block& b) const { normalize(b, arrays_.last_norm, true); }

/// normed = hidden / sqrt(mean square of hidden + epsilon) x weight; a block for each row, or with
/// `of_ends` for each row that chooses a token.
void VectorKernels::normalize(Block& b, const Array<u16>& weight, bool of_ends) const {
    enum class Site : u32 { row, value, sum, all, weight, set };
    const u32 words = hidden_words(), threads = b.warps() * warp_lanes;
    const u32 rounds = (words + threads - 1) / threads;
    std::vector<Registers<u64>> value(rounds, Registers<u64>(b));
    const auto sums = b.shared<float>(warp_lanes);
    const auto each_round = [&](Warp& w, const Lanes<u32>& thread, auto body) {
        for (u32 k = 0; k < rounds; ++k)
            in_lanes(w, (k + 1) * threads <= words, thread, words - k * threads,
                     [&] { body(value[k][w], k * threads); });
    };
    b.each([&](Warp& w) {
        const auto thread = w.tx();
        Lanes<u32> row(b.x());
        if (of_ends)
            row = w.load(Site::row, arrays_.rows.end, Lanes<u32>(step().first_end + b.x()));
        const auto from = mad(row, words, thread);
        Lanes<float> square;
        square.flow = &w;
        each_round(w, thread,
                   [&](auto& v, u32 at) { v = w.load(Site::value, arrays_.hidden, from, at); });
        each_round(w, thread, [&](auto& v, u32) {
            for (const Lanes<float>& x : unpacked_word(w, v)) square = mad(x, x, square);
        });
        add_lanes(w, square, 1, warp_lanes);
        w.if_(w.lane() < 1, [&] { w.store(Site::sum, sums, Lanes<u32>(w.index()), square); });
    });
    b.barrier();
    b.each([&](Warp& w) {
        const auto thread = w.tx();
        const auto scale = norm_factor(w, b, Site::all, sums, model().hidden);
        const auto first = thread * values_in_word;
        each_round(w, thread, [&](auto& v, u32 at) {
            Four values = unpacked_word(w, v);
            for (u32 j = 0; j < 4; ++j) {
                const auto bits = w.load(Site::weight, weight, first, at * values_in_word + j);
                const auto by = w.apply<float>(
                    1, [&](u32 i) { return from_bf16(bits[i]); }, bits);
                values[j] = values[j] * scale * by;
            }
            w.store(Site::set, arrays_.normed, thread, packed_word(w, values), b.x() * words + at);
        });
    });
}

/// Applies the rotary embedding to query and key, for pairs of neighbouring dimensions, and stores
/// key and value in the block of the cache that the table names.
void VectorKernels::rotate(Warp& w) const {
    enum class Site : u32 { value, request, position, angle, set, table, append };
    const DecoderShape& s = model();
    const u32 words = s.head_dim / values_in_word, kv_words = s.kv_heads * words;
    const u32 query_words = s.heads * words, row = w.by();
    const auto word = w.x();
    w.if_(word < query_words + 2 * kv_words, [&] {
        const u32 row_words = query_words + 2 * kv_words;
        const Lanes<u32> at(step().first_row + row);
        const auto position = w.load(Site::position, arrays_.rows.position, at);
        const auto loaded = w.load(Site::value, arrays_.qkv, word, row * row_words);
        Four value = unpacked_word(w, loaded);
        for (Lanes<float>& v : value) v.flow = &w;
        w.if_(word < query_words + kv_words, [&] {
            const auto angle = mad(position, s.head_dim, (word & (words - 1)) * values_in_word);
            rotate_pairs(w, Site::angle, arrays_.rotation, angle, 0, value);
        });
        w.if_(
            word < query_words,
            [&] { w.store(Site::set, arrays_.qkv, word, packed_word(w, value), row * row_words); },
            [&] {
                const auto table = w.load(Site::request, arrays_.rows.table, at);
                const auto entry = mad(table, arrays_.shape.requests.blocks_each(), position >> 4);
                const auto block = w.load(Site::table, arrays_.block_table, entry);
                const auto number = word - query_words; // among the words of key and value
                const auto in_block = mad(position & (tokens_in_block - 1), kv_words, number);
                const auto value_part = select(number < kv_words, Lanes<u32>(0),
                                               Lanes<u32>((tokens_in_block - 1) * kv_words));
                const auto to = mad(block, 2 * tokens_in_block * kv_words, in_block) + value_part;
                append_word(w, Site::append, layer(), s.kv_bits, to, value);
            });
    });
}

/// Adds the results of a row's experts to its hidden state.
void VectorKernels::combine(Warp& w) const {
    enum class Site : u32 { hidden, result, set };
    const u32 words = hidden_words(), row = w.by(), used = arrays_.shape.used;
    const auto word = w.x();
    w.if_(word < words, [&] {
        const auto before = w.load(Site::hidden, arrays_.hidden, word, row * words);
        std::vector<Lanes<u64>> results;
        for (u32 j = 0; j < used; ++j)
            results.push_back(w.load(Site::result, arrays_.result, word, (row * used + j) * words));
        Four sum = unpacked_word(w, before);
        for (const Lanes<u64>& result : results) {
            const Four term = unpacked_word(w, result);
            for (u32 j = 0; j < 4; ++j) sum[j] = sum[j] + term[j];
        }
        w.store(Site::set, arrays_.hidden, word, packed_word(w, sum), row * words);
    });
}

/// Copies blocks of the cache to the places of swapped blocks, or back.
void VectorKernels::swap(Warp& w) const {
    if (model().kv_bits == 16)
        copy_block(w, layer().cache, layer().swapped);
    else
        copy_block(w, layer().small_cache, layer().small_swapped);
}

/// A thread copies up to swap_words words.
template <class Word>
void VectorKernels::copy_block(Warp& w, const Array<Word>& cache,
                               const Array<Word>& swapped) const {
    enum class Site : u32 { block, slot, from, to };
    const bool out = launch_.kernel == BatchKernel::swap_out;
    const u32 words = arrays_.shape.block_words(), first = w.by() * swap_words * swap_threads;
    const auto before = static_cast<u32>(out ? 0 : step().outs.size());
    const Lanes<u32> at(step().first_swap + before + w.bx());
    const auto block = w.load(Site::block, arrays_.swapped_block, at);
    const auto slot = w.load(Site::slot, arrays_.swap_slot, at);
    const auto word = w.tx() + first;
    const auto in_cache = mad(block, words, word), in_swapped = mad(slot, words, word);
    const auto each = [&](auto body) {
        for (u32 k = 0; k < swap_words; ++k)
            in_lanes(w, words % (swap_words * swap_threads) == 0, word + k * swap_threads, words,
                     [&] { body(k, k * swap_threads); });
    };
    std::array<Lanes<Word>, swap_words> value;
    each([&](u32 k, u32 offset) {
        value[k] = out ? w.load(Site::from, cache, in_cache, offset)
                       : w.load(Site::from, swapped, in_swapped, offset);
    });
    each([&](u32 k, u32 offset) {
        if (out)
            w.store(Site::to, swapped, in_swapped, value[k], offset);
        else
            w.store(Site::to, cache, in_cache, value[k], offset);
    });
}

} // namespace memsim::workload
