#include "workload/llm/serving/batch_kernels.hh"
#include "workload/simt/exact_math.hh"

/// Fused attention of several rows of a request over the paged cache. A warp has 16 rows of
/// queries: tokens, and for each the heads that share keys and values. It goes over the context in
/// chunks, which its block copies to shared memory, and keeps the largest score, the sum of
/// exponentials and the weighted sum of the values of each row.
namespace memsim::workload {

namespace {

constexpr u32 chunk_tokens = 64;
constexpr u32 warp_queries = 16;
constexpr u32 most_dimensions = 128;
constexpr u32 padding_words = 2; ///< of a token's row in shared memory, against conflicts

enum class PromptSite : u32 {
    request,
    position,
    query,
    table,
    key,
    value,
    copy_key,
    copy_value,
    key_operand,
    value_operand,
    result
};

/// Where the rows of a block's tile are.
struct PromptPlace {
    const DecoderShape& shape;
    u32 table;      ///< first entry of the request in the block table
    u32 row;        ///< of the first token in the step
    u32 row_of_all; ///< among those of all steps
    u32 position;   ///< of the first token
    u32 tokens, kv_head;

    u32 rows() const { return tokens * shape.group(); }
    u32 words() const { return shape.head_dim / values_in_word; }
    u32 last() const { return position + tokens - 1; }
};

/// The arithmetic of a warp's rows, in the order of the tensor cores' operations.
struct PromptRows {
    std::array<std::array<float, most_dimensions>, warp_queries> query {}, sum {};
    std::array<float, warp_queries> largest {}, total {};
    std::array<u32, warp_queries> position {};
    u32 rows = 0; ///< used

    /// Adds a chunk of keys and values, [token][dimension], the first at position `first`.
    void add(const float* keys, const float* values, u32 first, u32 tokens, u32 dimensions) {
        const float scale = 1.0f / std::sqrt(static_cast<float>(dimensions));
        for (u32 r = 0; r < rows && first <= position[r]; ++r) {
            const u32 n = std::min(tokens, position[r] + 1 - first);
            std::array<float, chunk_tokens> weight;
            float most = largest[r];
            for (u32 t = 0; t < n; ++t) {
                float score = 0;
                for (u32 d = 0; d < dimensions; ++d) {
                    const float product = query[r][d] * keys[t * dimensions + d];
                    score += product;
                }
                weight[t] = score * scale;
                most = first == 0 && t == 0 ? weight[t] : std::max(most, weight[t]);
            }
            const float keep = first == 0 ? 0.0f : exact_exp(largest[r] - most);
            largest[r] = most;
            total[r] *= keep;
            for (u32 d = 0; d < dimensions; ++d) sum[r][d] *= keep;
            for (u32 t = 0; t < n; ++t) {
                const float power = exact_exp(weight[t] - most);
                total[r] += power;
                const float rounded = from_bf16(to_bf16(power));
                for (u32 d = 0; d < dimensions; ++d) {
                    const float product = rounded * values[t * dimensions + d];
                    sum[r][d] += product;
                }
            }
        }
    }
};

/// A block's work. A word of the cache has four values.
template <class Word>
class PromptAttention {
  public:
    PromptAttention(Block& b, const PromptPlace& tile, const BatchMemory& arrays,
                    const Array<Word>& cache)
        : b_(b), tile_(tile), arrays_(arrays), cache_(cache), words_(tile.words()),
          stride_(words_ + padding_words), keys_(b.shared<u64>(chunk_tokens * stride_)),
          values_(b.shared<u64>(chunk_tokens * stride_)), rows_(b.warps()), queries_(b), scores_(b),
          sums_(b) {}

    void run() {
        b_.each([&](Warp& w) { load_queries(w); });
        for (u32 first = 0; first <= tile_.last(); first += chunk_tokens) {
            b_.each([&](Warp& w) { copy(w, first); });
            b_.barrier();
            decode();
            b_.each([&](Warp& w) { add(w, first); });
            b_.barrier();
        }
        b_.each([&](Warp& w) { store(w); });
    }

  private:
    u32 first_row(const Warp& w) const { return w.index() * warp_queries; }
    /// The words of qkv or of the result that have a row's head.
    Lanes<u32> head_of(Warp& w, const Lanes<u32>& g, u32 half, u32 row_words) const {
        constexpr u32 instructions = 5;
        const u32 group = tile_.shape.group();
        return w.apply<u32>(
            instructions,
            [&](u32 i) {
                const u32 row = std::min(first_row(w) + g[i] + 8 * half, tile_.rows() - 1);
                return (tile_.row + row / group) * row_words +
                       (tile_.kv_head * group + row % group) * words_;
            },
            g);
    }
    template <class Body>
    void each_word(Warp& w, const Lanes<u32>& t, Body body) {
        for (u32 i = 0; i < words_; i += 4) in_lanes(w, words_ >= 4, t, words_, [&] { body(i); });
    }

    void load_queries(Warp& w) {
        const Lanes<u32> row(tile_.row_of_all);
        const auto position = w.load(PromptSite::position, arrays_.rows.position, row);
        const auto table = w.load(PromptSite::request, arrays_.rows.table, row);
        w.use(2, w.open(position.needs) | w.open(table.needs));
        if (first_row(w) >= tile_.rows()) return;
        PromptRows& to = rows_[w.index()];
        to.rows = std::min(warp_queries, tile_.rows() - first_row(w));
        for (u32 r = 0; r < to.rows; ++r)
            to.position[r] = tile_.position + (first_row(w) + r) / tile_.shape.group();
        const auto lane = w.lane();
        const auto g = lane >> 2, t = lane & 3;
        for (u32 half = 0; half < 2; ++half) {
            const auto at = head_of(w, g, half, tile_.shape.qkv_size() / values_in_word) + t;
            each_word(w, t, [&](u32 i) {
                const auto word = w.load(PromptSite::query, arrays_.qkv, at, i);
                depend(queries_[w], word);
                w.for_active([&](u32 l) {
                    for (u32 j = 0; j < values_in_word; ++j)
                        to.query[l / 4 + 8 * half][(i + l % 4) * values_in_word + j] =
                            packed_bf16(word[l], j);
                });
            });
        }
    }

    /// Copies keys and values of the chunk to shared memory.
    void copy(Warp& w, u32 first) {
        const u32 tokens = std::min(chunk_tokens, tile_.last() + 1 - first);
        const u32 at_once = prompt_threads / words_, loads = chunk_tokens / at_once;
        const auto shift = static_cast<u32>(std::countr_zero(words_));
        const auto thread = w.tx();
        const auto token = thread >> shift, word = thread & (words_ - 1);
        const u32 kv_words = tile_.shape.kv_heads * words_;
        const auto each_load = [&](auto body) {
            for (u32 i = 0; i < loads && i * at_once < tokens; ++i)
                in_lanes(w, (i + 1) * at_once <= tokens, token, tokens - i * at_once,
                         [&] { body(i); });
        };
        std::array<Lanes<Word>, chunk_tokens> keys, values;
        Lanes<u32> block;
        block.flow = &w;
        each_load([&](u32 i) {
            const auto number = token + i * at_once;
            if (i * at_once % tokens_in_block == 0)
                block = w.load(PromptSite::table, arrays_.block_table,
                               (number >> 4) + (tile_.table + first / tokens_in_block));
            const auto in_block = mad(block, 2 * tokens_in_block, number & (tokens_in_block - 1));
            const auto at = mad(in_block, kv_words, word) + tile_.kv_head * words_;
            keys[i] = w.load(PromptSite::key, cache_, at);
            values[i] = w.load(PromptSite::value, cache_, at, tokens_in_block * kv_words);
        });
        const auto place = mad(token, stride_, word);
        each_load([&](u32 i) {
            w.store(PromptSite::copy_key, keys_, place, as_bf16(w, keys[i]), i * at_once * stride_);
            w.store(PromptSite::copy_value, values_, place, as_bf16(w, values[i]),
                    i * at_once * stride_);
        });
    }
    static const Lanes<u64>& as_bf16(Warp&, const Lanes<u64>& word) { return word; }
    static Lanes<u64> as_bf16(Warp& w, const Lanes<u32>& word) {
        constexpr u32 instructions = 4; // two values each
        return w.apply<u64>(
            instructions,
            [&](u32 i) {
                return pack_values<u64>([&](u32 j) { return packed_value(word[i], j); });
            },
            word);
    }

    /// The chunk's values in shared memory; no instructions.
    void decode() {
        const u32 dimensions = tile_.shape.head_dim;
        for (auto [from, to] : {std::pair {&keys_, &key_values_}, {&values_, &value_values_}}) {
            to->resize(chunk_tokens * dimensions);
            for (u32 t = 0; t < chunk_tokens; ++t)
                for (u32 d = 0; d < dimensions; ++d)
                    (*to)[t * dimensions + d] =
                        packed_bf16(from->data[t * stride_ + d / values_in_word], d % 4);
        }
    }

    void add(Warp& w, u32 first) {
        PromptRows& rows = rows_[w.index()];
        if (!rows.rows || first > rows.position[rows.rows - 1]) return;
        const u32 dimensions = tile_.shape.head_dim, products = warp_queries * chunk_tokens;
        Lanes<u64> operands = queries_[w];
        const auto lane = w.lane();
        const auto key = mad(lane >> 2, stride_, (lane & 3) * 2 & (words_ - 1));
        for (u32 k = 0; k < words_; k += 8)
            for (u32 t = 0; t < chunk_tokens; t += 8)
                depend(operands,
                       w.load_fragment(PromptSite::key_operand, keys_, key, t * stride_ + k));
        w.matrix(products * dimensions, scores_[w], operands);
        add_exponentials(w);
        Lanes<u64> weights;
        const auto value = lane * stride_;
        for (u32 t = 0; t < chunk_tokens; t += warp_lanes)
            for (u32 d = 0; d < dimensions; d += 8)
                depend(weights, w.load_fragment(PromptSite::value_operand, values_, value,
                                                t * stride_ + d / values_in_word));
        w.matrix(products * dimensions, sums_[w], weights);
        w.extra(rule::loop_round);
        rows.add(key_values_.data(), value_values_.data(), first,
                 std::min(chunk_tokens, tile_.last() + 1 - first), dimensions);
    }
    /// Of each lane's scores: scale, mask, maximum, exponential, sum, packing of two; then the
    /// maximum over the lanes of two rows, and the scaling of the sums so far.
    void add_exponentials(Warp& w) {
        constexpr u32 each = 3 + rule::exponential + 1, rows = 2, shuffles = 2 * 2;
        const u32 scores = warp_queries * chunk_tokens / warp_lanes;
        const u32 sums = warp_queries * tile_.shape.head_dim / warp_lanes;
        w.use(scores * each + scores / 2 + rows * shuffles + sums,
              w.open(scores_[w].needs) | w.open(sums_[w].needs));
    }

    void store(Warp& w) {
        const PromptRows& rows = rows_[w.index()];
        if (!rows.rows) return;
        const auto lane = w.lane();
        const auto g = lane >> 2, t = lane & 3;
        const u32 row_words = tile_.shape.query_size() / values_in_word;
        for (u32 half = 0; half < 2 && half * 8 < rows.rows; ++half)
            in_lanes(w, (half + 1) * 8 <= rows.rows, g, rows.rows - half * 8, [&] {
                const auto at = head_of(w, g, half, row_words) + t;
                each_word(w, t, [&](u32 i) {
                    std::array<Lanes<float>, 4> value;
                    for (u32 j = 0; j < 4; ++j) {
                        Lanes<float> sum = sums_[w], total;
                        for (u32 l = 0; l < warp_lanes; ++l) {
                            const u32 r = l / 4 + 8 * half, d = (i + l % 4) * values_in_word + j;
                            sum[l] = d < tile_.shape.head_dim ? rows.sum[r][d] : 0;
                            total[l] = rows.total[r];
                        }
                        value[j] = w.divide(sum, total);
                    }
                    w.store(PromptSite::result, arrays_.attention, at, packed_word(w, value), i);
                });
            });
    }
    Block& b_;
    const PromptPlace& tile_;
    const BatchMemory& arrays_;
    const Array<Word>& cache_;
    u32 words_, stride_;
    Shared<u64> keys_, values_;
    std::vector<PromptRows> rows_; ///< by warp
    Registers<u64> queries_;       ///< the dependence on their loads
    Registers<float> scores_, sums_;
    std::vector<float> key_values_, value_values_;
};

} // namespace

u32 prompt_shared_bytes(const DecoderShape& shape) {
    return 2 * chunk_tokens * (shape.head_dim / values_in_word + padding_words) *
           static_cast<u32>(sizeof(u64));
}

void AttentionKernels::attend_prompt(Block& b) const {
    const PromptTile tile = prompt_tiles(arrays_.shape, step())[b.y()];
    const Span& span = step().spans[tile.span];
    const PromptPlace place {model(),
                             table_of(span),
                             span.row + tile.first,
                             step().first_row + span.row + tile.first,
                             span.position + tile.first,
                             tile.rows,
                             b.x()};
    if (model().kv_bits == 16)
        PromptAttention(b, place, arrays_, layer().cache).run();
    else
        PromptAttention(b, place, arrays_, layer().small_cache).run();
}

} // namespace memsim::workload
