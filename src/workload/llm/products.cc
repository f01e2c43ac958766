#include "workload/llm/decoder.hh"
#include "workload/simt/exact_math.hh"

/// Products of a matrix and a vector of floats. A block copies the vector to shared memory; then
/// each warp multiplies two rows by it, a word of each row a lane (4 values of bf16, 8 or 16
/// integers), and adds up the lanes' sums by shuffles. Integers of a word are multiplied by their
/// scale once.
namespace memsim::workload {

namespace {

constexpr u32 under_way = 8; ///< loads of each row that are issued before the first is used
constexpr u32 four_instructions = 2 * values_in_word; ///< instructions for four values of a word
constexpr u32 scale_instructions = 2; ///< to unpack a scale, and to multiply and add
constexpr u32 most_values = 16;       ///< of a word

enum class ProductSite : u32 { vector, copy, weight, value, old, result, scale };

/// A vector in shared memory: with n weights in a word, value n i + j is at j x stride + i, so that
/// neither the copy of neighbouring values nor their use has conflicts.
struct SharedVector {
    Shared<float> values;
    u32 stride, per_word;
};
u32 stride_of(u32 columns, u32 per_word) {
    const u32 words = (columns / per_word + warp_lanes - 1) / warp_lanes * warp_lanes;
    return words + warp_lanes / per_word;
}

SharedVector copy_to_shared(Block& b, const Array<float>& x, u32 per_word) {
    const auto columns = static_cast<u32>(x.size);
    const u32 stride = stride_of(columns, per_word);
    const SharedVector vector {b.shared<float>(stride * per_word), stride, per_word};
    b.each([&](Warp& w) {
        const auto thread = w.tx();
        const auto place = mad(thread & (per_word - 1), stride,
                               thread >> static_cast<u32>(std::countr_zero(per_word)));
        for (u32 first = 0; first < columns; first += product_threads * under_way) {
            std::array<Lanes<float>, under_way> value;
            const auto each_load = [&](auto body) {
                u32 at = first;
                for (u32 k = 0; k < under_way && at < columns; ++k, at += product_threads)
                    in_lanes(w, at + product_threads <= columns, thread, columns - at,
                             [&] { body(value[k], at); });
            };
            each_load([&](auto& v, u32 at) { v = w.load(ProductSite::vector, x, thread, at); });
            each_load([&](auto& v, u32 at) {
                w.store(ProductSite::copy, vector.values, place, v, at / per_word);
            });
            w.extra(rule::loop_round);
        }
    });
    b.barrier();
    return vector;
}

/// The rows of a warp: two of one matrix, or one of each of two matrices.
struct Rows {
    std::array<Matrix, rows_in_warp> matrix;
    std::array<u32, rows_in_warp> row;
};
using Sums = std::array<Lanes<float>, rows_in_warp>;

/// The products of a warp's rows with a vector.
class RowProducts {
  public:
    RowProducts(Warp& w, const Rows& rows, const SharedVector& x, u32 columns)
        : w_(w), rows_(rows), x_(x), columns_(columns), bits_(64 / x.per_word), lane_(w.lane()) {
        for (u32 r = 0; r < rows_in_warp; ++r)
            index_[r] = lane_ + rows.row[r] * (columns / x.per_word);
        if (!scaled()) return;
        const auto group =
            lane_ >> static_cast<u32>(std::countr_zero(columns_in_group / x.per_word));
        for (u32 r = 0; r < rows_in_warp; ++r)
            scale_index_[r] = group + rows.row[r] * groups_of(columns);
    }
    /// In all lanes.
    Sums run() {
        const u32 words = columns_ / x_.per_word, whole = words / warp_lanes;
        for (Lanes<float>& sum : sums_) sum.flow = &w_;
        for (u32 k = 0; k < whole; k += under_way) {
            add_words(k, std::min(under_way, whole - k));
            w_.extra(rule::loop_round);
        }
        if (const u32 rest = words % warp_lanes) w_.if_(lane_ < rest, [&] { add_words(whole, 1); });
        for (Lanes<float>& sum : sums_) add_lanes(w_, sum, 1, warp_lanes);
        return sums_;
    }

  private:
    bool scaled() const { return bits_ < 16; }

    /// `rounds` words of each row in each lane, from word `first` x 32 on.
    void add_words(u32 first, u32 rounds) {
        std::array<std::array<Lanes<u64>, rows_in_warp>, under_way> words;
        std::array<std::array<Lanes<u16>, rows_in_warp>, under_way> scales;
        for (u32 k = 0; k < rounds; ++k)
            for (u32 r = 0; r < rows_in_warp; ++r)
                words[k][r] = w_.load(ProductSite::weight, rows_.matrix[r].words, index_[r],
                                      (first + k) * warp_lanes);
        for (u32 k = 0; k < rounds && scaled(); ++k)
            for (u32 r = 0; r < rows_in_warp; ++r)
                scales[k][r] = w_.load(ProductSite::scale, rows_.matrix[r].scales, scale_index_[r],
                                       (first + k) * warp_lanes * x_.per_word / columns_in_group);
        for (u32 k = 0; k < rounds; ++k) {
            std::array<Lanes<float>, most_values> value;
            for (u32 j = 0; j < x_.per_word; ++j)
                value[j] = w_.load(ProductSite::value, x_.values, lane_,
                                   j * x_.stride + (first + k) * warp_lanes);
            for (u32 r = 0; r < rows_in_warp; ++r)
                if (scaled())
                    add_integers(sums_[r], words[k][r], scales[k][r], value);
                else
                    sums_[r] = add_four(words[k][r], 0, value, sums_[r]);
        }
    }
    /// before + the products of values first, ..., first + 3 of a word.
    Lanes<float> add_four(const Lanes<u64>& word, u32 first,
                          const std::array<Lanes<float>, most_values>& value,
                          const Lanes<float>& before) {
        return w_.apply<float>(
            four_instructions,
            [&](u32 i) {
                float sum = before[i];
                for (u32 j = first; j < first + values_in_word; ++j) {
                    const float weight =
                        scaled() ? packed_integer(word[i], j, bits_) : packed_bf16(word[i], j);
                    const float product = weight * value[j][i];
                    sum += product;
                }
                return sum;
            },
            word, value[first], value[first + 1], value[first + 2], value[first + 3], before);
    }
    void add_integers(Lanes<float>& sum, const Lanes<u64>& word, const Lanes<u16>& scale,
                      const std::array<Lanes<float>, most_values>& value) {
        Lanes<float> of_word;
        of_word.flow = &w_;
        for (u32 j = 0; j < x_.per_word; j += values_in_word)
            of_word = add_four(word, j, value, of_word);
        const Lanes<float> before = sum;
        sum = w_.apply<float>(
            scale_instructions,
            [&](u32 i) {
                const float product = of_word[i] * from_bf16(scale[i]);
                return before[i] + product;
            },
            of_word, scale, before);
    }

    Warp& w_;
    const Rows& rows_;
    const SharedVector& x_;
    u32 columns_, bits_;
    Lanes<u32> lane_;
    std::array<Lanes<u32>, rows_in_warp> index_, scale_index_;
    Sums sums_;
};

u32 first_row(const Block& b, const Warp& w) {
    return b.x() * rows_in_block + w.index() * rows_in_warp;
}

} // namespace

u32 product_shared_bytes(u32 columns, u32 weights_in_word) {
    return stride_of(columns, weights_in_word) * weights_in_word * static_cast<u32>(sizeof(float));
}

/// result = matrix x, or with `add` result += matrix x.
void Decoder::multiply(Block& b, const Matrix& matrix, const Array<float>& x,
                       const Array<float>& result, bool add) const {
    const auto rows = static_cast<u32>(result.size), columns = static_cast<u32>(x.size);
    const SharedVector vector = copy_to_shared(b, x, shape().weights_in_word());
    b.each([&](Warp& w) {
        const u32 row = first_row(b, w);
        if (row >= rows) return;
        const u32 second = std::min(row + 1, rows - 1);
        const Rows both {{matrix, matrix}, {row, second}};
        const Sums sums = RowProducts(w, both, vector, columns).run();
        const auto lane = w.lane();
        w.if_(lane < std::min(rows_in_warp, rows - row), [&] {
            const auto at = lane + row;
            auto value = select(lane == 0, sums[0], sums[1]);
            if (add) {
                const auto old = w.load(ProductSite::old, result, at);
                value = old + value;
            }
            w.store(ProductSite::result, result, at, value);
        });
    });
}

void Decoder::qkv(Block& b) const { multiply(b, layer().qkv, arrays_.normed, arrays_.qkv, false); }
void Decoder::output(Block& b) const {
    multiply(b, layer().output, arrays_.attention, arrays_.hidden, true);
}
void Decoder::down(Block& b) const {
    multiply(b, layer().down, arrays_.gated, arrays_.hidden, true);
}
void Decoder::head(Block& b) const {
    multiply(b, arrays_.head, arrays_.normed, arrays_.logits, false);
}

/// A warp computes one row of each matrix: g of the gate, u of the other, and g / (1 + e^-g) u.
void Decoder::gate_up(Block& b) const {
    const SharedVector vector = copy_to_shared(b, arrays_.normed, shape().weights_in_word());
    b.each([&](Warp& w) {
        const u32 row = first_row(b, w) / 2;
        if (row >= shape().ffn) return;
        const Rows both {{layer().gate, layer().up}, {row, row}};
        const Sums sums = RowProducts(w, both, vector, shape().hidden).run();
        w.if_(w.lane() < 1, [&] {
            const Lanes<float>&gate = sums[0], &up = sums[1];
            const auto power = w.apply<float>(
                rule::exponential, [&](u32 i) { return exact_exp(-gate[i]); }, gate);
            const auto silu = w.divide(gate, power + 1.0f);
            w.store(ProductSite::result, arrays_.gated, Lanes<u32>(row), silu * up);
        });
    });
}

} // namespace memsim::workload
