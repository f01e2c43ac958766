#include "workload/llm/block_attention.hh"
#include "workload/llm/serving/batch_kernels.hh"

/// Attention of the spans of one row: a part of the context in a block, then the sum of the parts.
namespace memsim::workload {

namespace {

enum class TokenSite : u32 { request = 16, position };

} // namespace

void AttentionKernels::attend(Block& b) const {
    const Span& span = *single_rows(step())[b.z()];
    const u32 parts = launch_.grid[1], query_words = model().qkv_size() / values_in_word;
    const AttentionPart part {model(),
                              arrays_.block_table,
                              table_of(span),
                              span.position,
                              b.x(),
                              b.y(),
                              parts,
                              arrays_.partial,
                              b.z() * model().heads * parts * (model().head_dim + 2)};
    // The row's request and position decide what a block does.
    b.each([&](Warp& w) {
        const Lanes<u32> row(step().first_row + span.row);
        const auto position = w.load(TokenSite::position, arrays_.rows.position, row);
        const auto request = w.load(TokenSite::request, arrays_.rows.table, row);
        w.use(2, w.open(position.needs) | w.open(request.needs));
    });
    if (part.part * tokens_in_part > span.position) return;
    const auto load_query = [&](Warp& w, const Lanes<u32>& word, u32 head, const Split& split,
                                HeadValues& query) {
        for (u32 i = 0; i < split.words_in_lane; ++i) {
            const auto loaded =
                w.load(PartSite::query, arrays_.qkv, word,
                       span.row * query_words + head * split.words + i * split.lanes);
            const auto value = unpacked_word(w, loaded);
            for (u32 j = 0; j < values_in_word; ++j) query[i * values_in_word + j] = value[j];
        }
    };
    if (model().kv_bits == 16)
        attend_part(b, part, layer().cache, load_query);
    else
        attend_part(b, part, layer().small_cache, load_query);
}

/// A warp adds the parts of a head; a lane processes a word of the result.
void AttentionKernels::merge(Warp& w) const {
    enum class Site : u32 { largest, sum, value, set };
    const Span& span = *single_rows(step())[w.by()];
    const u32 dimensions = model().head_dim, words = dimensions / values_in_word;
    const u32 parts = span.position / tokens_in_part + 1, stride = dimensions + 2;
    u32 longest = 0;
    for (const Span* other : single_rows(step())) longest = std::max(longest, other->position);
    const u32 most = longest / tokens_in_part + 1;
    const u32 first = (w.by() * model().heads + w.bx()) * most * stride;
    const auto lane = w.lane();
    w.if_(lane < words, [&] {
        const auto read = [&](Site site, u32 at) {
            return w.load(site, arrays_.partial, Lanes<u32>(at));
        };
        std::array<Lanes<float>, 4> value;
        Lanes<float> sum;
        const auto dimension = lane * values_in_word;
        for (u32 j = 0; j < 4; ++j) {
            const Merged all = merged(
                w, parts, [&](u32 k) { return read(Site::largest, first + k * stride); },
                [&](u32 k) { return read(Site::sum, first + k * stride + 1); },
                [&](u32 k) {
                    return w.load(Site::value, arrays_.partial, dimension,
                                  first + k * stride + 2 + j);
                });
            value[j] = w.divide(all.value, all.sum);
        }
        w.store(Site::set, arrays_.attention, lane, packed_word(w, value),
                (span.row * model().heads + w.bx()) * words);
    });
}

} // namespace memsim::workload
