#include "workload/llm/block_attention.hh"
#include "workload/llm/vector_steps.hh"

/// Attention of one token over the paged cache of keys and values.
namespace memsim::workload {

u32 attention_shared_bytes(const DecoderShape& shape) {
    const u32 floats = attention_threads / warp_lanes * shape.group() * (shape.head_dim + 2);
    return floats * static_cast<u32>(sizeof(float)) + 8; // each array begins at a multiple of 8
}

/// Applies the rotary embedding to query and key, for pairs of neighbouring dimensions, and appends
/// key and value to the cache. A thread processes 4 dimensions.
void Decoder::rotate(Warp& w) const {
    enum class Site : u32 { value, angle, set, table, append };
    const DecoderShape& s = shape();
    const u32 words = s.head_dim / values_in_word, kv_words = s.kv_heads * words;
    const u32 query_words = s.heads * words;
    const auto thread = w.thread();
    w.if_(thread < query_words + 2 * kv_words, [&] {
        HeadValues value;
        const auto from = thread * values_in_word;
        for (u32 j = 0; j < values_in_word; ++j) {
            value[j].flow = &w;
            value[j] = w.load(Site::value, arrays_.qkv, from, j);
        }
        w.if_(thread < query_words + kv_words, [&] {
            const auto angle = (thread & (words - 1)) * values_in_word;
            const u32 row = decoded() * s.head_dim;
            rotate_pairs(w, Site::angle, arrays_.rotation, angle, row, value);
        });
        w.if_(
            thread < query_words,
            [&] {
                for (u32 j = 0; j < values_in_word; ++j)
                    w.store(Site::set, arrays_.qkv, from, value[j], j);
            },
            [&] {
                const auto block = w.load(Site::table, arrays_.block_table,
                                          Lanes<u32>(position() / tokens_in_block));
                const auto number = thread - query_words; // index among the words of key and value
                const auto place = number + position() % tokens_in_block * kv_words;
                const auto value_part = select(number < kv_words, Lanes<u32>(0),
                                               Lanes<u32>((tokens_in_block - 1) * kv_words));
                const auto at = mad(block, 2 * tokens_in_block * kv_words, place) + value_part;
                append_word(w, Site::append, layer(), s.kv_bits, at, value);
            });
    });
}

/// Attention of one group's heads over a part of the context.
void Decoder::attend(Block& b) const {
    const AttentionPart part {shape(),
                              arrays_.block_table,
                              0,
                              position(),
                              b.x(),
                              b.y(),
                              parts_to(position()),
                              arrays_.partial,
                              0};
    const auto load_query = [this](Warp& w, const Lanes<u32>& word, u32 head, const Split& split,
                                   HeadValues& query) {
        const auto from = word * values_in_word + head * shape().head_dim;
        for (u32 i = 0; i < split.words_in_lane; ++i)
            for (u32 j = 0; j < values_in_word; ++j)
                query[i * values_in_word + j] = w.load(PartSite::query, arrays_.qkv, from,
                                                       i * split.lanes * values_in_word + j);
    };
    if (shape().kv_bits == 16)
        attend_part(b, part, layer().cache, load_query);
    else
        attend_part(b, part, layer().small_cache, load_query);
}

/// Adds the parts of a head. A block processes a head, a thread a dimension.
void Decoder::merge(Warp& w) const {
    enum class Site : u32 { largest, sum, value, set };
    const u32 dimensions = shape().head_dim, parts = parts_to(position());
    const u32 first = w.bx() * parts * (dimensions + 2);
    const auto thread = w.tx();
    w.if_(thread < dimensions, [&] {
        const auto at = [&](u32 k) { return first + k * (dimensions + 2); };
        const auto read = [&](Site site, u32 place) {
            return w.load(site, arrays_.partial, Lanes<u32>(place));
        };
        const Merged all = merged(
            w, parts, [&](u32 k) { return read(Site::largest, at(k)); },
            [&](u32 k) { return read(Site::sum, at(k) + 1); },
            [&](u32 k) { return w.load(Site::value, arrays_.partial, thread, at(k) + 2); });
        const auto result = w.divide(all.value, all.sum);
        const auto to = thread + w.bx() * dimensions;
        w.store(Site::set, arrays_.attention, to, result);
    });
}

} // namespace memsim::workload
