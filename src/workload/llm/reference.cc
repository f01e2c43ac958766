#include "workload/llm/decoder_memory.hh"
#include "workload/simt/near.hh"

#include <algorithm>

/// The decoder by plain loops in double, without any function of the kernels.
namespace memsim::workload {

namespace {

using Vector = std::vector<double>;

double value_of(const Array<u64>& words, u64 i) { return packed_bf16(words[i / 4], i % 4); }

double cached(const DecoderLayer& layer, u64 i) {
    if (layer.small_cache.size == 0) return value_of(layer.cache, i);
    return from_e4m3(static_cast<std::uint8_t>(layer.small_cache[i / 4] >> i % 4 * 8));
}

/// Integers of `bits` bits and their scales by plain arithmetic.
double weight(const Matrix& m, u64 row, u64 column, u64 columns, u32 bits) {
    const u64 i = row * columns + column;
    if (bits == 16) return value_of(m.words, i);
    const u32 per_word = 64 / bits;
    const auto field =
        static_cast<int>(m.words[i / per_word] >> i % per_word * bits & ((1u << bits) - 1));
    const int integer = field < 1 << (bits - 1) ? field : field - (1 << bits);
    const u64 groups = (columns + 127) / 128;
    return integer * double {from_bf16(m.scales[row * groups + column / 128])};
}

class Reference {
  public:
    explicit Reference(const DecoderMemory& memory)
        : memory_(memory), shape_(memory.shape), hidden_(memory.start.begin(), memory.start.end()) {
    }

    std::string difference() {
        for (u32 i = 0; i < shape_.tokens; ++i) {
            const u32 position = shape_.context + i;
            if (shape_.vocabulary) embed(memory_.token[i]);
            for (u32 l = 0; l < shape_.layers; ++l)
                if (std::string wrong = add_layer(l, position); !wrong.empty()) return wrong;
            if (!shape_.vocabulary) continue;
            const u32 chosen = largest(product(memory_.head, normed(memory_.last_norm)));
            if (memory_.token[i + 1] != chosen)
                return "token " + std::to_string(i + 1) + " is " +
                       std::to_string(memory_.token[i + 1]) + ", but the reference has " +
                       std::to_string(chosen);
        }
        const double error = error_of(hidden_);
        return first_far("hidden", std::span<const float>(memory_.hidden.host()),
                         [&](std::size_t i) {
                             return std::pair {hidden_[i], error};
                         });
    }

  private:
    /// An upper bound of the rounding errors of the longest sums for a vector.
    double error_of(const Vector& v) const {
        const double terms = double {1} * shape_.layers *
                             (shape_.hidden + shape_.query_size() + shape_.ffn + shape_.context);
        double most = 0;
        for (const double x : v) most = std::max(most, std::abs(x));
        return terms * 0x1p-24 * most;
    }
    void embed(u32 token) {
        hidden_.resize(shape_.hidden);
        for (u32 i = 0; i < shape_.hidden; ++i)
            hidden_[i] = value_of(memory_.embedding, u64 {token} * shape_.hidden + i);
    }
    Vector normed(const Array<u16>& weight) const {
        double square = 0;
        for (const double x : hidden_) square += x * x;
        const double scale = 1 / std::sqrt(square / shape_.hidden + double {norm_epsilon});
        Vector result(shape_.hidden);
        for (u32 i = 0; i < shape_.hidden; ++i)
            result[i] = hidden_[i] * scale * double {from_bf16(weight[i])};
        return result;
    }
    Vector product(const Matrix& matrix, const Vector& x) const {
        const u32 bits = shape_.weight_bits;
        Vector result(matrix.words.size * (64 / bits) / x.size());
        for (u64 row = 0; row < result.size(); ++row)
            for (u64 k = 0; k < x.size(); ++k)
                result[row] += weight(matrix, row, k, x.size(), bits) * x[k];
        return result;
    }
    void add(const Vector& v) {
        for (u32 i = 0; i < shape_.hidden; ++i) hidden_[i] += v[i];
    }
    std::string add_layer(u32 number, u32 position) {
        const DecoderLayer& layer = memory_.layers[number];
        Vector qkv = product(layer.qkv, normed(layer.attention_norm));
        rotate(qkv, shape_, position);
        if (std::string wrong = check_cache(number, qkv, position); !wrong.empty()) return wrong;
        add(product(layer.output, attention(layer, qkv, position)));
        const Vector x = normed(layer.ffn_norm);
        Vector gate = product(layer.gate, x);
        const Vector up = product(layer.up, x);
        for (u32 i = 0; i < shape_.ffn; ++i) gate[i] = gate[i] / (1 + std::exp(-gate[i])) * up[i];
        add(product(layer.down, gate));
        return "";
    }
    /// Index of the key (which = 0) or value (1) of a token in the cache.
    u64 place(u32 token, u32 which, u32 kv_head, u32 dimension) const {
        const u64 block = memory_.block_table[token / 16];
        return (((block * 2 + which) * 16 + token % 16) * shape_.kv_heads + kv_head) *
                   shape_.head_dim +
               dimension;
    }
    /// The key and value that the layer has appended, to half a unit in the last place of the
    /// format. The stored ones are used from here on.
    std::string check_cache(u32 number, const Vector& qkv, u32 position) const {
        const u32 head = shape_.head_dim;
        const bool small = shape_.kv_bits == 8; // 3 bits of mantissa; below 2^-6 steps of 2^-9
        const double part = small ? 0x1p-4 : 0x1p-8;
        const double error = error_of(qkv) + (small ? 0x1p-10 : 0);
        for (u32 i = 0; i < 2 * shape_.kv_size(); ++i) {
            const u32 which = i / shape_.kv_size(), kv_head = i % shape_.kv_size() / head;
            const double exact = qkv[shape_.query_size() + i];
            const double stored =
                cached(memory_.layers[number], place(position, which, kv_head, i % head));
            if (!(std::abs(stored - exact) <= std::abs(exact) * part + error))
                return "the cache of layer " + std::to_string(number) + " has " +
                       std::to_string(stored) + " at token " + std::to_string(position) +
                       ", but the reference has " + std::to_string(exact);
        }
        return "";
    }
    Vector attention(const DecoderLayer& layer, const Vector& qkv, u32 position) const {
        const u32 dimensions = shape_.head_dim;
        Vector result(shape_.query_size());
        for (u32 head = 0; head < shape_.heads; ++head) {
            const u32 kv_head = head * shape_.kv_heads / shape_.heads;
            Vector weight(position + 1);
            double sum = 0;
            for (u32 t = 0; t <= position; ++t) {
                double score = 0;
                for (u32 d = 0; d < dimensions; ++d)
                    score += qkv[head * dimensions + d] * cached(layer, place(t, 0, kv_head, d));
                weight[t] = std::exp(score / std::sqrt(double {1} * dimensions));
                sum += weight[t];
            }
            for (u32 t = 0; t <= position; ++t)
                for (u32 d = 0; d < dimensions; ++d)
                    result[head * dimensions + d] +=
                        weight[t] / sum * cached(layer, place(t, 1, kv_head, d));
        }
        return result;
    }
    static u32 largest(const Vector& v) {
        return static_cast<u32>(std::max_element(v.begin(), v.end()) - v.begin());
    }

    const DecoderMemory& memory_;
    const DecoderShape& shape_;
    Vector hidden_;
};

} // namespace

void rotate(std::vector<double>& qkv, const DecoderShape& shape, u32 position) {
    for (u32 i = 0; i < (shape.heads + shape.kv_heads) * shape.head_dim; i += 2) {
        const double exponent = double {1} * (i % shape.head_dim) / shape.head_dim;
        const double angle = position * std::pow(shape.rotary_base, -exponent);
        const double x = qkv[i], y = qkv[i + 1];
        qkv[i] = x * std::cos(angle) - y * std::sin(angle);
        qkv[i + 1] = x * std::sin(angle) + y * std::cos(angle);
    }
}

std::string decoder_difference(const DecoderMemory& memory) {
    return Reference(memory).difference();
}

} // namespace memsim::workload
