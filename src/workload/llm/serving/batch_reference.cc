#include "workload/llm/serving/batch_memory.hh"
#include "workload/simt/near.hh"

#include <algorithm>
#include <numeric>

/// A batch by plain loops in double, without any function of the kernels.
namespace memsim::workload {

namespace {

using Row = std::vector<double>;

/// As the activations are stored.
double rounded(double x) { return from_bf16(to_bf16(static_cast<float>(x))); }
double value_at(const Array<u64>& words, u64 i) {
    return from_bf16(static_cast<u16>(words[i / 4] >> i % 4 * 16));
}

/// A matrix as the tensor cores multiply it.
class Weights {
  public:
    Weights(const Matrix& m, u64 columns, u32 bits) : m_(m), columns_(columns), bits_(bits) {}
    u64 rows() const { return m_.words.size * (64 / bits_) / columns_; }
    double at(u64 row, u64 column) const {
        const u64 i = row * columns_ + column;
        if (bits_ == 16) return value_at(m_.words, i);
        const u32 per_word = 64 / bits_;
        const auto field =
            static_cast<int>(m_.words[i / per_word] >> i % per_word * bits_ & ((1u << bits_) - 1));
        const int integer = field < 1 << (bits_ - 1) ? field : field - (1 << bits_);
        const u64 scale = row * ((columns_ + 127) / 128) + column / 128;
        return rounded(integer * double {from_bf16(m_.scales[scale])});
    }

  private:
    const Matrix& m_;
    u64 columns_;
    u32 bits_;
};

class BatchReference {
  public:
    explicit BatchReference(const BatchMemory& memory)
        : memory_(memory), shape_(memory.shape), model_(shape_.model) {
        for (const std::vector<u64>& words : memory.cached) {
            Row values;
            for (const u64 word : words)
                for (u32 j = 0; j < 4; ++j) values.push_back(stored(packed_bf16(word, j)));
            cache_.push_back(std::move(values));
        }
        hidden_.assign(memory.hidden.size * 4 / model_.hidden, Row(model_.hidden));
        for (u64 i = 0; i < memory.start.size() * 4; ++i)
            hidden_[i / model_.hidden][i % model_.hidden] =
                packed_bf16(memory.start[i / 4], static_cast<u32>(i % 4));
    }

    std::string difference() {
        for (const Step& step : memory_.schedule.steps) {
            swap(step);
            rows_.clear();
            for (const Span& span : step.spans)
                for (u32 i = 0; i < span.rows; ++i)
                    rows_.push_back({span.request, span.table, span.position + i});
            if (model_.vocabulary) embed();
            for (u32 l = 0; l < model_.layers; ++l)
                if (std::string wrong = add_layer(step, l); !wrong.empty()) return wrong;
            if (std::string wrong = check_choices(step); !wrong.empty()) return wrong;
        }
        return last_difference();
    }

    /// The tokens of a request that is processed alone, token after token.
    std::vector<u32> generated(u32 request) {
        const u64 first = u64 {request} * memory_.token_stride();
        const u32 inputs = memory_.schedule.inputs[request];
        alone_.clear();
        for (u32 i = 0; i < inputs; ++i) alone_.push_back(memory_.token[first + i]);
        for (u32 at = 0; at + 1 < inputs + shape_.requests.tokens; ++at) {
            rows_ = {{request, alone, at}};
            embed();
            for (u32 l = 0; l < model_.layers; ++l) add_layer({}, l);
            if (at + 1 < inputs) continue;
            const Row logits = logits_of(hidden_[0]);
            alone_.push_back(
                static_cast<u32>(std::max_element(logits.begin(), logits.end()) - logits.begin()));
        }
        return {alone_.begin() + inputs, alone_.end()};
    }

  private:
    struct At {
        u32 request, table, position;
    };
    static constexpr u32 alone = ~0u; ///< the request has the first blocks of the cache
    /// A unit in the last place of bf16 for each time that the hidden state was rounded, twice in a
    /// layer: a value near the middle of two may be rounded to the other one, and what follows from
    /// it differs by as much.
    double error() const { return 0x1p-8 * (2 * layers_ + 1); }
    static double largest(const Row& row) {
        double most = 0;
        for (const double x : row) most = std::max(most, std::abs(x));
        return most;
    }
    double stored(double x) const {
        if (model_.kv_bits == 16) return rounded(x);
        return from_e4m3(to_e4m3(static_cast<float>(x)));
    }

    u64 token_of(At at) const {
        return alone_.empty() ? memory_.token[at.request * memory_.token_stride() + at.position]
                              : alone_[at.position];
    }
    void embed() {
        for (u32 r = 0; r < rows_.size(); ++r) {
            const u64 token = token_of(rows_[r]);
            for (u32 i = 0; i < model_.hidden; ++i)
                hidden_[r][i] = value_at(memory_.embedding, token * model_.hidden + i);
        }
    }
    Row normed(const Row& x, const Array<u16>& weight) const {
        double square = 0;
        for (const double v : x) square += v * v;
        const double scale = 1 / std::sqrt(square / model_.hidden + double {norm_epsilon});
        Row result(x.size());
        for (u32 i = 0; i < x.size(); ++i)
            result[i] = rounded(x[i] * scale * double {from_bf16(weight[i])});
        return result;
    }
    Row product(const Matrix& matrix, const Row& x, u32 bits) const {
        const Weights weights(matrix, x.size(), bits);
        Row result(weights.rows());
        for (u64 row = 0; row < result.size(); ++row)
            for (u64 k = 0; k < x.size(); ++k) result[row] += weights.at(row, k) * x[k];
        return result;
    }
    static void round_all(Row& row) {
        for (double& x : row) x = rounded(x);
    }
    static void add(Row& to, const Row& x) {
        for (u32 i = 0; i < to.size(); ++i) to[i] = rounded(to[i] + x[i]);
    }

    std::string add_layer(const Step& step, u32 number) {
        const BatchLayer& layer = memory_.layers[number];
        std::vector<Row> qkv;
        for (u32 r = 0; r < rows_.size(); ++r) {
            qkv.push_back(
                product(layer.qkv, normed(hidden_[r], layer.attention_norm), model_.weight_bits));
            round_all(qkv.back());
            rotate_and_round(qkv.back(), rows_[r].position);
            store(number, qkv.back(), rows_[r]);
        }
        for (u32 r = 0; r < rows_.size(); ++r) {
            Row of = attention(number, qkv[r], rows_[r]);
            round_all(of);
            add(hidden_[r], product(layer.output, of, model_.weight_bits));
            const Row x = normed(hidden_[r], layer.ffn_norm);
            if (!shape_.experts)
                add(hidden_[r], feed_forward(layer.experts.front(), x));
            else if (std::string wrong = mix(step, number, r, x); !wrong.empty())
                return wrong;
        }
        layers_ = std::max(layers_, number + 1);
        return "";
    }
    Row feed_forward(const FeedForward& matrices, const Row& x) const {
        Row gate = product(matrices.gate, x, model_.weight_bits);
        const Row up = product(matrices.up, x, model_.weight_bits);
        for (u32 i = 0; i < gate.size(); ++i)
            gate[i] = rounded(gate[i] / (1 + std::exp(-gate[i])) * up[i]);
        return product(matrices.down, gate, model_.weight_bits);
    }
    /// The experts with the largest logits, the best first.
    std::vector<u32> best_of(const Row& logits) const {
        std::vector<u32> experts(logits.size());
        std::iota(experts.begin(), experts.end(), 0u);
        std::stable_sort(experts.begin(), experts.end(),
                         [&](u32 a, u32 b) { return logits[a] > logits[b]; });
        experts.resize(shape_.used);
        return experts;
    }
    /// The kernels' choice of experts is checked by the reference's logits, and used.
    std::string mix(const Step& step, u32 number, u32 r, const Row& x) {
        const BatchLayer& layer = memory_.layers[number];
        const Row logits = product(layer.router, x, 16);
        std::vector<u32> experts = best_of(logits);
        if (alone_.empty()) {
            const double least = logits[experts.back()] - error() * largest(logits);
            const u64 first = ((u64 {step.first_row} + r) * model_.layers + number) * shape_.used;
            for (u32 j = 0; j < shape_.used; ++j) {
                const u32 expert = memory_.routing.chosen[first + j];
                const auto others = experts.begin() + j; // those that the kernels chose before
                if (expert >= shape_.experts || logits[expert] < least ||
                    std::find(experts.begin(), others, expert) != others)
                    return "row " + std::to_string(step.first_row + r) + " uses expert " +
                           std::to_string(expert) + " in layer " + std::to_string(number) +
                           ", but the reference does not";
                experts[j] = expert;
            }
        }
        if (alone_.empty() && shape_.predicts() && number + 1 < model_.layers)
            if (std::string wrong = check_prediction(step, number + 1, r, x); !wrong.empty())
                return wrong;
        double sum = 0;
        Row weight;
        for (const u32 expert : experts) {
            weight.push_back(std::exp(logits[expert] - logits[experts.front()]));
            sum += weight.back();
        }
        Row total = hidden_[r];
        for (u32 j = 0; j < shape_.used; ++j) {
            const Row result = feed_forward(layer.experts[experts[j]], x);
            for (u32 i = 0; i < total.size(); ++i) total[i] += rounded(result[i] * weight[j] / sum);
        }
        round_all(total);
        hidden_[r] = total;
        return "";
    }

    /// The experts that the kernels predict for a layer have the largest logits of its router with
    /// `x`, the input of the feed-forward part before.
    std::string check_prediction(const Step& step, u32 number, u32 r, const Row& x) const {
        const Row logits = product(memory_.layers[number].router, x, 16);
        const double least = logits[best_of(logits).back()] - error() * largest(logits);
        const u64 first = ((u64 {step.first_row} + r) * model_.layers + number) * shape_.used;
        for (u32 j = 0; j < shape_.used; ++j)
            if (const u32 expert = memory_.routing.predicted[first + j];
                expert >= shape_.experts || logits[expert] < least)
                return "row " + std::to_string(step.first_row + r) + " predicts expert " +
                       std::to_string(expert) + " of layer " + std::to_string(number) +
                       ", but the reference does not";
        return "";
    }

    void rotate_and_round(Row& qkv, u32 position) const {
        rotate(qkv, model_, position);
        for (u32 i = 0; i < model_.query_size(); ++i) qkv[i] = rounded(qkv[i]);
    }
    /// Index of the key (which = 0) or value (1) of a token in the cache.
    u64 place(At at, u32 which, u32 kv_head) const {
        const u32 number = at.position / 16;
        const u64 block = at.table == alone ? number : memory_.schedule.tables[at.table][number];
        return (((block * 2 + which) * 16 + at.position % 16) * model_.kv_heads + kv_head) *
               model_.head_dim;
    }
    void store(u32 layer, const Row& qkv, At at) {
        for (u32 i = 0; i < 2 * model_.kv_size(); ++i) {
            const u32 which = i / model_.kv_size(),
                      kv_head = i % model_.kv_size() / model_.head_dim;
            cache_[layer][place(at, which, kv_head) + i % model_.head_dim] =
                stored(qkv[model_.query_size() + i]);
        }
    }
    /// Copies blocks of evicted requests.
    void swap(const Step& step) {
        const u64 size = u64 {2} * 16 * model_.kv_size();
        swapped_.resize(cache_.size());
        for (u32 l = 0; l < cache_.size(); ++l) {
            swapped_[l].resize(memory_.schedule.slots * size);
            for (const Swap& s : step.outs)
                std::copy_n(&cache_[l][s.block * size], size, &swapped_[l][s.slot * size]);
            for (const Swap& s : step.ins)
                std::copy_n(&swapped_[l][s.slot * size], size, &cache_[l][s.block * size]);
        }
    }
    Row attention(u32 layer, const Row& qkv, At at) const {
        const u32 dimensions = model_.head_dim;
        Row result(model_.query_size());
        for (u32 head = 0; head < model_.heads; ++head) {
            const u32 kv_head = head * model_.kv_heads / model_.heads;
            Row weight(at.position + 1);
            double sum = 0, most = -1e300;
            for (u32 t = 0; t <= at.position; ++t) {
                const double* const key =
                    &cache_[layer][place({at.request, at.table, t}, 0, kv_head)];
                double score = 0;
                for (u32 d = 0; d < dimensions; ++d) score += qkv[head * dimensions + d] * key[d];
                weight[t] = score / std::sqrt(double {1} * dimensions);
                most = std::max(most, weight[t]);
            }
            for (double& w : weight) sum += w = std::exp(w - most);
            for (u32 t = 0; t <= at.position; ++t) {
                const double* const value =
                    &cache_[layer][place({at.request, at.table, t}, 1, kv_head)];
                for (u32 d = 0; d < dimensions; ++d)
                    result[head * dimensions + d] += weight[t] / sum * value[d];
            }
        }
        return result;
    }

    /// The tokens that the kernels chose, by the reference's logits; they are used from here on.
    std::string check_choices(const Step& step) {
        for (const Span& span : step.spans) {
            if (!span.ends || !model_.vocabulary) continue;
            const u32 choice = choices_++, position = span.position + span.rows;
            const u32 token = memory_.token[span.request * memory_.token_stride() + position];
            const Row& x = hidden_[span.row + span.rows - 1];
            const Row logits = logits_of(x);
            if (token < logits.size() && allowed(logits, token, choice)) continue;
            return "token " + std::to_string(position) + " of request " +
                   std::to_string(span.request) + " is " + std::to_string(token) +
                   ", but the reference has another one";
        }
        return "";
    }
    Row logits_of(const Row& x) const {
        return product(memory_.head, normed(x, memory_.last_norm), model_.weight_bits);
    }
    bool allowed(const Row& logits, u32 token, u32 choice) const {
        const double most = *std::max_element(logits.begin(), logits.end());
        const double part = error() * largest(logits);
        if (shape_.temperature <= 0) return logits[token] >= most - part;
        double sum = 0, before = 0, up_to = 0;
        for (u32 i = 0; i < logits.size(); ++i) {
            const double power = std::exp((logits[i] - most) / double {shape_.temperature});
            if (i < token) before += power;
            if (i <= token) up_to += power;
            sum += power;
        }
        const double at = double {memory_.rows.uniform[choice]};
        const double slack = part / double {shape_.temperature};
        return at >= before / sum - slack && at <= up_to / sum + slack;
    }

    std::string last_difference() const {
        for (u32 l = 0; l < model_.layers; ++l) {
            const BatchLayer& layer = memory_.layers[l];
            const double part = error() + (model_.kv_bits == 8 ? 0x1p-3 : 0);
            const double most = largest(cache_[l]);
            for (u64 i = 0; i < cache_[l].size(); ++i) {
                const double have = model_.kv_bits == 16
                                        ? value_at(layer.cache, i)
                                        : from_e4m3(static_cast<std::uint8_t>(
                                              layer.small_cache[i / 4] >> i % 4 * 8));
                const double exact = cache_[l][i];
                if (!(std::abs(have - exact) <= part * std::abs(exact) + error() * most))
                    return "the cache of layer " + std::to_string(l) + " has " +
                           std::to_string(have) + " at " + std::to_string(i) +
                           ", but the reference has " + std::to_string(exact);
            }
        }
        for (u32 r = 0; r < rows_.size(); ++r)
            for (u32 i = 0; i < model_.hidden; ++i) {
                const double have = value_at(memory_.hidden, u64 {r} * model_.hidden + i);
                if (!(std::abs(have - hidden_[r][i]) <= error() * largest(hidden_[r])))
                    return "hidden[" + std::to_string(r) + "][" + std::to_string(i) + "] is " +
                           std::to_string(have) + ", but the reference has " +
                           std::to_string(hidden_[r][i]);
            }
        return "";
    }

    const BatchMemory& memory_;
    const BatchShape& shape_;
    const DecoderShape& model_;
    std::vector<Row> cache_, swapped_; ///< by layer
    std::vector<Row> hidden_;
    std::vector<At> rows_;   ///< of the step
    std::vector<u32> alone_; ///< tokens of the only request; empty: those of the kernels
    u32 layers_ = 0, choices_ = 0;
};

} // namespace

std::string batch_difference(const BatchMemory& memory) {
    return BatchReference(memory).difference();
}

std::vector<std::vector<u32>> tokens_of_single_requests(const BatchMemory& memory) {
    MEMSIM_ASSERT(!memory.shape.requests.context && memory.shape.model.vocabulary,
                  "a context has the keys and values of other requests; tokens need a vocabulary");
    std::vector<std::vector<u32>> all;
    for (u32 i = 0; i < memory.shape.requests.number; ++i)
        all.push_back(BatchReference(memory).generated(i));
    return all;
}

} // namespace memsim::workload
