#pragma once

#include "workload/llm/decoder.hh"

#include <vector>

/// Common parts of the products of activations and a matrix: result[t][r] = sum of x[t][k] w[r][k].
/// Operands of the tensor cores are bf16: integers are multiplied by their scale and rounded.
namespace memsim::workload {

/// A block's part of a product.
struct ProductWork {
    Array<u64> x; ///< [row][columns / 4]
    const Matrix* matrix;
    const Matrix* beside; ///< null, or a matrix of which the block computes the same rows
    u32 columns, rows, bits;
    u32 first_row;                ///< of the matrix
    u32 tokens;                   ///< rows of the tile that are used
    bool shared_operands = false; ///< tensor cores read those of large tiles from shared memory
    u32 buffers = 1; ///< for tiles of operands; several: they are copied asynchronously

    u32 per_word() const { return 64 / bits; }
    u32 row_words() const { return columns / per_word(); }
};

/// Four neighbouring elements of a row of the result, in each lane.
using FourSums = std::array<Lanes<float>, 4>;
/// Those of the matrix and of the one beside.
using ProductSums = std::array<FourSums, 2>;

/// A tensor core multiplies 8 rows of the matrix at a time, and lane 4 g + t gets elements 2 t and
/// 2 t + 1 of the result. Rows are taken in such an order that two operations give a lane four
/// neighbouring ones: the row of a group of 16 that is number g of operation p.
constexpr u32 rows_in_group = 16;
constexpr u32 row_of_group(u32 p, u32 g) { return 4 * (g / 2) + 2 * p + g % 2; }

/// Decodes a word of weights to the values that the tensor cores multiply.
template <class To>
void decode_weights(u64 word, u32 bits, u16 scale, To to) {
    const u32 n = 64 / bits;
    for (u32 j = 0; j < n; ++j) {
        if (bits == 16) {
            to(j, packed_bf16(word, j));
            continue;
        }
        const float scaled = packed_integer(word, j, bits) * from_bf16(scale);
        to(j, from_bf16(to_bf16(scaled)));
    }
}

/// Instructions to convert an integer, to scale it and to pack it.
inline constexpr u32 integer_instructions = 3;

/// The result of several loads, of which only the dependences matter.
template <class... T>
void depend(Lanes<u64>& on, const Lanes<T>&... loads) {
    ((on.needs = on.needs | loads.needs), ...);
}

} // namespace memsim::workload
