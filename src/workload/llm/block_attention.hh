#pragma once

#include "workload/llm/decoder.hh"
#include "workload/simt/exact_math.hh"

#include <vector>

/// Attention of one token over the paged cache of keys and values.
namespace memsim::workload {

inline constexpr u32 value_instructions = 2; ///< instructions per value of a word
inline constexpr float least_score = -3e38f; ///< below all scores

/// The distribution of a cache block over the lanes of a warp: neighbouring lanes process
/// neighbouring words of a token, several words each; groups of lanes process neighbouring tokens.
struct Split {
    explicit Split(u32 head_dim)
        : words(head_dim / values_in_word), lanes(std::min(8u, words)),
          words_in_lane(words / lanes), tokens(warp_lanes / lanes), loads(tokens_in_block / tokens),
          shift(static_cast<u32>(std::countr_zero(lanes))) {}
    u32 words;         ///< per key
    u32 lanes;         ///< per token
    u32 words_in_lane; ///< words of a token per lane
    u32 tokens;        ///< tokens covered by a load
    u32 loads;         ///< loads for the tokens of a block, one word per lane
    u32 shift;         ///< lane >> shift is its token within a load
};
inline constexpr u32 most_loads = 4, most_words = 4;

/// Results that the warps of a thread block store in shared memory.
struct PartResults {
    Shared<float> largest, sum; ///< [warp][head of the group]: largest score, sum of exponentials
    Shared<float> values;       ///< [warp][head of the group][dimension]: weighted sum
};

template <class Word>
using HeadWords = std::array<std::array<Lanes<Word>, most_words>, most_loads>;
using HeadValues = std::array<Lanes<float>, most_words * values_in_word>;

enum class PartSite : u32 { table, query, key, value, largest, sum, values, results };

/// A part of the context of a token, for the heads that share keys and values.
struct AttentionPart {
    const DecoderShape& shape;
    const Array<u32>& block_table;
    u32 first_block; ///< of the token's sequence in the table
    u32 position;    ///< of the token
    u32 kv_head, part, parts;
    const Array<float>& partial;
    u32 first_partial; ///< of the token
};

/// One warp's work on one block of the cache: it is loaded once for all heads of a group. A word of
/// the cache has four values. `load_query(w, word, head, split, query)` loads a head's query.
template <class Word, class LoadQuery>
class BlockAttention {
  public:
    BlockAttention(Warp& warp, const AttentionPart& part, const Array<Word>& cache, u32 tokens,
                   LoadQuery load_query)
        : warp_(warp), part_(part), shape_(part.shape), cache_(cache), load_query_(load_query),
          split_(shape_.head_dim), tokens_(tokens), lane_(warp_.lane()),
          word_(lane_ & (split_.lanes - 1)), token_(lane_ >> split_.shift) {}

    /// `number`: the block's index in the sequence.
    void run(u32 number, const PartResults& to) {
        const u32 group = shape_.group(), kv_head = part_.kv_head;
        load_cache(number, kv_head);
        for (u32 i = 0; i < group; ++i) {
            load_query_(warp_, word_, kv_head * group + i, split_, query_);
            weigh();
            add_values();
            store(warp_.index() * group + i, to);
        }
    }

  private:
    template <class Body>
    void each_load(Body body) {
        for (u32 t = 0; t < split_.loads && t * split_.tokens < tokens_; ++t) body(t);
    }
    /// Whether the token's index in the block lies within the sequence.
    Cond valid(u32 t) const { return token_ < tokens_ - t * split_.tokens; }

    void load_cache(u32 number, u32 kv_head) {
        const u32 token_words = shape_.kv_heads * split_.words;
        const auto block =
            warp_.load(PartSite::table, part_.block_table, Lanes<u32>(part_.first_block + number));
        const auto first = mad(block, 2 * tokens_in_block, token_) * token_words;
        const auto at = first + word_ + kv_head * split_.words;
        const auto words = [&](PartSite site, HeadWords<Word>& to, u32 plus) {
            each_load([&](u32 t) {
                in_lanes(warp_, (t + 1) * split_.tokens <= tokens_, token_,
                         tokens_ - t * split_.tokens, [&] {
                             for (u32 i = 0; i < split_.words_in_lane; ++i)
                                 to[t][i] = warp_.load(site, cache_, at,
                                                       plus + t * split_.tokens * token_words +
                                                           i * split_.lanes);
                         });
            });
        };
        words(PartSite::key, keys_, 0);
        words(PartSite::value, values_, tokens_in_block * token_words);
    }

    /// Computes the scores, their maximum, the exponentials and their sum.
    void weigh() {
        const float scale = 1.0f / std::sqrt(static_cast<float>(shape_.head_dim));
        each_load([&](u32 t) {
            Lanes<float> score;
            for (u32 i = 0; i < split_.words_in_lane; ++i)
                for (u32 j = 0; j < values_in_word; ++j)
                    score = add_product(score, keys_[t][i], j, query_[i * values_in_word + j]);
            add_lanes(warp_, score, 1, split_.lanes);
            weight_[t] = select(valid(t), score * scale, Lanes<float>(least_score));
            largest_ = t == 0 ? weight_[t] : max(largest_, weight_[t]);
        });
        for (u32 distance = split_.lanes; distance < warp_lanes; distance *= 2)
            largest_ =
                max(largest_, warp_.shuffle(largest_, [distance](u32 i) { return i ^ distance; }));
        each_load([&](u32 t) {
            const auto below = weight_[t] - largest_;
            const auto power = warp_.apply<float>(
                rule::exponential, [&](u32 i) { return exact_exp(below[i]); }, below);
            weight_[t] = select(valid(t), power, Lanes<float>(0.0f));
            sum_ = t == 0 ? weight_[t] : sum_ + weight_[t];
        });
        add_lanes(warp_, sum_, split_.lanes, warp_lanes);
    }

    void add_values() {
        each_load([&](u32 t) {
            for (u32 i = 0; i < split_.words_in_lane; ++i)
                for (u32 j = 0; j < values_in_word; ++j) {
                    Lanes<float>& result = result_[i * values_in_word + j];
                    if (t == 0) result = Lanes<float>();
                    result = add_product(result, values_[t][i], j, weight_[t]);
                }
        });
        for (u32 k = 0; k < split_.words_in_lane * values_in_word; ++k)
            add_lanes(warp_, result_[k], split_.lanes, warp_lanes);
    }

    /// `place`: index of the warp and the head.
    void store(u32 place, const PartResults& to) {
        warp_.if_(lane_ < 1, [&] {
            warp_.store(PartSite::largest, to.largest, Lanes<u32>(place), largest_);
            warp_.store(PartSite::sum, to.sum, Lanes<u32>(place), sum_);
        });
        warp_.if_(lane_ < split_.lanes, [&] {
            const auto at = word_ * values_in_word + place * shape_.head_dim;
            for (u32 i = 0; i < split_.words_in_lane; ++i)
                for (u32 j = 0; j < values_in_word; ++j)
                    warp_.store(PartSite::values, to.values, at, result_[i * values_in_word + j],
                                i * split_.lanes * values_in_word + j);
        });
    }

    Lanes<float> add_product(const Lanes<float>& sum, const Lanes<Word>& word, u32 j,
                             const Lanes<float>& by) {
        return warp_.apply<float>(
            value_instructions,
            [&](u32 i) {
                const float product = packed_value(word[i], j) * by[i];
                return sum[i] + product;
            },
            sum, word, by);
    }

    Warp& warp_;
    const AttentionPart& part_;
    const DecoderShape& shape_;
    const Array<Word>& cache_;
    LoadQuery load_query_;
    Split split_;
    u32 tokens_; ///< tokens of the block within the sequence
    Lanes<u32> lane_, word_, token_;
    HeadValues query_, result_;
    HeadWords<Word> keys_, values_;
    std::array<Lanes<float>, most_loads> weight_; ///< of each token: score, then exponential
    Lanes<float> largest_, sum_;
};

/// Softmax over several parts: the maximum score, the sum of exponentials, the weighted values.
struct Merged {
    Lanes<float> largest, sum, value;
};
/// Merges `n` parts; each function loads its result of a part.
template <class Largest, class Sum, class Value>
Merged merged(Warp& w, u32 n, Largest largest, Sum sum, Value value) {
    std::vector<Lanes<float>> scores, sums, values;
    for (u32 k = 0; k < n; ++k) scores.push_back(largest(k));
    for (u32 k = 0; k < n; ++k) sums.push_back(sum(k));
    for (u32 k = 0; k < n; ++k) values.push_back(value(k));
    Merged all {scores[0], {}, {}};
    for (u32 k = 1; k < n; ++k) all.largest = max(all.largest, scores[k]);
    for (u32 k = 0; k < n; ++k) {
        const auto below = scores[k] - all.largest;
        const auto power = w.apply<float>(
            rule::exponential, [&](u32 i) { return exact_exp(below[i]); }, below);
        all.sum = mad(sums[k], power, all.sum);
        all.value = mad(values[k], power, all.value);
    }
    return all;
}

/// Attention of one group's heads over a part of the context; each warp processes a block of the
/// cache.
template <class Word, class LoadQuery>
void attend_part(Block& b, const AttentionPart& of, const Array<Word>& cache,
                 LoadQuery load_query) {
    const u32 dimensions = of.shape.head_dim, group = of.shape.group();
    const u32 tokens = std::min(tokens_in_part, of.position + 1 - of.part * tokens_in_part);
    const u32 warps = (tokens + tokens_in_block - 1) / tokens_in_block;
    const u32 places = b.warps() * group;
    const auto largest = b.shared<float>(places), sum = b.shared<float>(places);
    const PartResults results {largest, sum, b.shared<float>(places * dimensions)};
    b.each([&](Warp& w) {
        if (w.index() >= warps) return;
        const u32 before = w.index() * tokens_in_block;
        BlockAttention attention(w, of, cache, std::min(tokens_in_block, tokens - before),
                                 load_query);
        attention.run(of.part * (tokens_in_part / tokens_in_block) + w.index(), results);
    });
    b.barrier();
    // A thread processes one dimension of one head at a time.
    const u32 shift = static_cast<u32>(std::countr_zero(dimensions));
    const auto end = [&](Warp& w, const Lanes<u32>& element) {
        const auto head = element >> shift;
        const auto read = [&](PartSite site, const Shared<float>& from, u32 k) {
            return w.load(site, from, head, k * group);
        };
        const Merged all = merged(
            w, warps, [&](u32 k) { return read(PartSite::largest, results.largest, k); },
            [&](u32 k) { return read(PartSite::sum, results.sum, k); },
            [&](u32 k) {
                return w.load(PartSite::values, results.values, element, k * group * dimensions);
            });
        const auto dimension = element & (dimensions - 1);
        const auto first = (head + of.kv_head * group) * of.parts * (dimensions + 2);
        const auto to = first + dimension;
        const u32 plus = of.first_partial + of.part * (dimensions + 2);
        w.store(PartSite::results, of.partial, to, all.value, plus + 2);
        w.if_(dimension < 1, [&] {
            w.store(PartSite::results, of.partial, to, all.largest, plus);
            w.store(PartSite::results, of.partial, to, all.sum, plus + 1);
        });
    };
    b.each([&](Warp& w) {
        const auto thread = w.tx();
        const u32 elements = group * dimensions;
        for (u32 at = 0; at < elements; at += attention_threads)
            in_lanes(w, at + attention_threads <= elements, thread, elements - at,
                     [&] { end(w, thread + at); });
    });
}

} // namespace memsim::workload
