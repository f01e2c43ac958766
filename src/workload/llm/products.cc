#include "workload/llm/bf16.hh"
#include "workload/llm/decoder.hh"
#include "workload/simt/exact_math.hh"

/// Products of a bf16 matrix and a float vector. A block copies the vector to shared memory. Each
/// warp multiplies two rows by it, 4 values of each row per lane, and adds the lanes' sums by
/// shuffles.
namespace memsim::workload {

namespace {

constexpr u32 under_way = 8; ///< loads per row that are issued before the first one is used
constexpr u32 word_instructions = 2 * values_in_word; ///< instructions for the values of a word

enum class ProductSite : u32 { vector, copy, weight, value, old, result };

/// A vector in shared memory: value 4 i + j is stored at j x stride + i, so that copying and using
/// neighbouring values cause no bank conflicts.
struct SharedVector {
    Shared<float> values;
    u32 stride;
};
u32 stride_of(u32 columns) {
    return (columns / values_in_word + warp_lanes - 1) / warp_lanes * warp_lanes + 8;
}

SharedVector copy_to_shared(Block& b, const Array<float>& x) {
    const auto columns = static_cast<u32>(x.size);
    const u32 stride = stride_of(columns);
    const SharedVector vector {b.shared<float>(stride * values_in_word), stride};
    b.each([&](Warp& w) {
        const auto thread = w.tx();
        const auto place = mad(thread & (values_in_word - 1), stride, thread >> 2);
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
                w.store(ProductSite::copy, vector.values, place, v, at / values_in_word);
            });
            w.extra(rule::loop_round);
        }
    });
    b.barrier();
    return vector;
}

/// The rows of a warp: two of one matrix, or one of each of two matrices.
struct Rows {
    std::array<Array<u64>, rows_in_warp> matrix;
    std::array<u32, rows_in_warp> row;
};
using Sums = std::array<Lanes<float>, rows_in_warp>;

/// Adds `rounds` words of each row per lane, from word `first` x 32 on.
void add_words(Warp& w, const Rows& rows, const std::array<Lanes<u32>, rows_in_warp>& index,
               const SharedVector& x, const Lanes<u32>& lane, u32 first, u32 rounds, Sums& sums) {
    std::array<std::array<Lanes<u64>, rows_in_warp>, under_way> words;
    for (u32 k = 0; k < rounds; ++k)
        for (u32 r = 0; r < rows_in_warp; ++r)
            words[k][r] =
                w.load(ProductSite::weight, rows.matrix[r], index[r], (first + k) * warp_lanes);
    for (u32 k = 0; k < rounds; ++k) {
        std::array<Lanes<float>, values_in_word> value;
        for (u32 j = 0; j < values_in_word; ++j)
            value[j] =
                w.load(ProductSite::value, x.values, lane, j * x.stride + (first + k) * warp_lanes);
        for (u32 r = 0; r < rows_in_warp; ++r) {
            const Lanes<u64>& word = words[k][r];
            const Lanes<float> before = sums[r];
            sums[r] = w.apply<float>(
                word_instructions,
                [&](u32 i) {
                    float sum = before[i];
                    for (u32 j = 0; j < values_in_word; ++j) {
                        const float product = packed_bf16(word[i], j) * value[j][i];
                        sum += product;
                    }
                    return sum;
                },
                word, value[0], value[1], value[2], value[3], before);
        }
    }
}

/// The products of a warp's rows with x, available in all lanes.
Sums products(Warp& w, const Rows& rows, const SharedVector& x, u32 columns) {
    const u32 words = columns / values_in_word, whole = words / warp_lanes;
    const auto lane = w.lane();
    std::array<Lanes<u32>, rows_in_warp> index;
    for (u32 r = 0; r < rows_in_warp; ++r) index[r] = lane + rows.row[r] * words;
    Sums sums;
    for (Lanes<float>& sum : sums) sum.flow = &w;
    for (u32 k = 0; k < whole; k += under_way) {
        add_words(w, rows, index, x, lane, k, std::min(under_way, whole - k), sums);
        w.extra(rule::loop_round);
    }
    if (const u32 rest = words % warp_lanes)
        w.if_(lane < rest, [&] { add_words(w, rows, index, x, lane, whole, 1, sums); });
    for (Lanes<float>& sum : sums) add_lanes(w, sum, 1, warp_lanes);
    return sums;
}

u32 first_row(const Block& b, const Warp& w) {
    return b.x() * rows_in_block + w.index() * rows_in_warp;
}

} // namespace

u32 product_shared_bytes(u32 columns) {
    return stride_of(columns) * values_in_word * static_cast<u32>(sizeof(float));
}

/// result = matrix x, or with `add` result += matrix x.
void Decoder::multiply(Block& b, const Array<u64>& matrix, const Array<float>& x,
                       const Array<float>& result, bool add) const {
    const auto rows = static_cast<u32>(result.size), columns = static_cast<u32>(x.size);
    const SharedVector vector = copy_to_shared(b, x);
    b.each([&](Warp& w) {
        const u32 row = first_row(b, w);
        if (row >= rows) return;
        const u32 second = std::min(row + 1, rows - 1);
        const Sums sums = products(w, {{matrix, matrix}, {row, second}}, vector, columns);
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
    const SharedVector vector = copy_to_shared(b, arrays_.normed);
    b.each([&](Warp& w) {
        const u32 row = first_row(b, w) / 2;
        if (row >= shape().ffn) return;
        const Sums sums =
            products(w, {{layer().gate, layer().up}, {row, row}}, vector, shape().hidden);
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
