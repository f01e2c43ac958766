#pragma once

#include "workload/llm/serving/product_work.hh"

namespace memsim::workload {

inline constexpr u32 skinny_threads = 256;
inline constexpr u32 skinny_tokens = 16;

/// The product of up to 16 rows of activations: limited by the reading of the matrix.
///
/// Models        A block computes 16 rows of the matrix (with a matrix beside: of each). Its warps
///               process chunks of 16 words of these rows in turn. Lanes load the operands of the
///               tensor cores straight from memory, several chunks ahead, and the warps' sums are
///               added up in shared memory.
template <class RowOf>
class SkinnyProduct {
  public:
    /// `row_of(w, t)`: the rows of x of the tile's rows t; `row_of.ready(w)`: what the addresses of
    /// the matrix depend on.
    SkinnyProduct(Block& b, const ProductWork& work, RowOf row_of)
        : b_(b), work_(work), row_of_(row_of), groups_(work.beside ? 2 : 1),
          halves_(work.tokens > 8 ? 2 : 1) {}

    /// Calls finish(w, tile row, row of the matrix, sums) in the lanes that have such elements.
    template <class Finish>
    void run(Finish finish) {
        const auto sums = b_.shared<float>(b_.warps() * warp_floats());
        b_.each([&](Warp& w) { multiply(w, sums); });
        b_.barrier();
        b_.each([&](Warp& w) {
            if (w.index() * warp_lanes >= 4 * work_.tokens) return;
            const auto thread = w.tx();
            const auto token = thread >> 2, row = (thread & 3) * 4;
            w.if_(token < work_.tokens && row < work_.rows - work_.first_row, [&] {
                const auto place = mad(token, rows_in_group, row);
                ProductSums all;
                for (u32 group = 0; group < groups_; ++group)
                    for (u32 j = 0; j < 4; ++j)
                        all[group][j] = added(w, sums, place, group * group_floats + j);
                finish(w, token, row + work_.first_row, all);
            });
        });
    }
    static constexpr u32 shared_bytes(bool beside) {
        return skinny_threads / warp_lanes * (beside ? 2 : 1) * group_floats *
               static_cast<u32>(sizeof(float));
    }

  private:
    enum class SkinnySite : u32 { scale = 1, weight, x, part, sum };
    static constexpr u32 group_floats = skinny_tokens * rows_in_group;
    static constexpr u32 chunk_words = 16; ///< of a row: 128 bytes
    static constexpr u32 rounds = 4;       ///< words of a row in a lane, in a chunk
    static constexpr u32 most_pieces = 4;  ///< of 8 rows of the matrix
    u32 warp_floats() const { return groups_ * group_floats; }
    u32 pieces() const { return 2 * groups_; }
    bool scaled() const { return work_.bits < 16; }
    /// Words of x for a word of weights.
    u32 x_words() const { return work_.per_word() / values_in_word; }
    u32 chunk_columns() const { return chunk_words * work_.per_word(); }
    u32 scales_in_chunk() const {
        return scaled() ? (chunk_columns() + columns_in_group - 1) / columns_in_group : 0;
    }

    struct Chunk {
        std::array<std::array<Lanes<u64>, rounds>, most_pieces> weight;
        std::array<std::array<Lanes<u16>, 2>, most_pieces> scale;
        std::array<std::array<std::array<Lanes<u64>, 4>, rounds>, 2> x;
    };
    struct Indices {
        Lanes<u32> word; ///< of the lane in a chunk
        std::array<Lanes<u32>, most_pieces> weight, scale;
        std::array<Lanes<u32>, 2> x;
    };

    const Matrix& matrix(u32 piece) const { return piece < 2 ? *work_.matrix : *work_.beside; }

    Indices indices(Warp& w) const {
        Indices at;
        const auto lane = w.lane();
        const auto g = lane >> 2;
        at.word = lane & 3;
        const Needs ready = row_of_.ready(w);
        for (u32 piece = 0; piece < pieces(); ++piece) {
            const auto row = w.apply<u32>(
                3,
                [&](u32 i) {
                    return std::min(work_.first_row + row_of_group(piece % 2, g[i]),
                                    work_.rows - 1);
                },
                g);
            at.weight[piece] = mad(row, work_.row_words(), at.word);
            at.weight[piece].needs = at.weight[piece].needs | ready;
            if (scaled()) at.scale[piece] = row * groups_of(work_.columns);
        }
        for (u32 half = 0; half < halves_; ++half) {
            const auto row = row_of_(w, min(g + 8 * half, work_.tokens - 1));
            at.x[half] = mad(row, work_.columns / values_in_word, at.word * x_words());
        }
        return at;
    }

    void load(Warp& w, const Indices& at, u32 chunk, Chunk& to) const {
        const u32 first = chunk * chunk_words, words = work_.row_words();
        const auto each_round = [&](auto body) {
            for (u32 i = 0; i < rounds && first + 4 * i < words; ++i)
                in_lanes(w, first + 4 * i + 4 <= words, at.word, words - first - 4 * i,
                         [&] { body(i, first + 4 * i); });
        };
        to = Chunk();
        for (u32 piece = 0; piece < pieces(); ++piece) {
            each_round([&](u32 i, u32 word) {
                to.weight[piece][i] =
                    w.load(SkinnySite::weight, matrix(piece).words, at.weight[piece], word);
            });
            const u32 group = chunk * scales_in_chunk();
            for (u32 s = 0; s < scales_in_chunk() && group + s < groups_of(work_.columns); ++s)
                to.scale[piece][s] =
                    w.load(SkinnySite::scale, matrix(piece).scales, at.scale[piece], group + s);
        }
        for (u32 half = 0; half < halves_; ++half)
            each_round([&](u32 i, u32 word) {
                for (u32 j = 0; j < x_words(); ++j)
                    to.x[half][i][j] =
                        w.load(SkinnySite::x, work_.x, at.x[half], word * x_words() + j);
            });
    }

    void multiply(Warp& w, const Shared<float>& sums) {
        const Indices at = indices(w);
        const u32 chunks = (work_.row_words() + chunk_words - 1) / chunk_words;
        const u32 loads = pieces() * (rounds + scales_in_chunk()) + halves_ * rounds * x_words();
        // A warp can wait for its last 64 results only.
        const u32 ahead = std::clamp(62 / (loads + 1), 1u, most_ahead);
        values_.assign(work_.tokens * groups_ * rows_in_group, 0);
        Lanes<float> sum;
        sum.flow = &w;
        std::array<Chunk, most_ahead> chunk;
        const auto number = [&](u32 i) { return w.index() + i * b_.warps(); };
        for (u32 i = 0; i < ahead && number(i) < chunks; ++i) load(w, at, number(i), chunk[i]);
        for (u32 i = 0; number(i) < chunks; ++i) {
            add_chunk(w, chunk[i % ahead], sum);
            if (number(i + ahead) < chunks) load(w, at, number(i + ahead), chunk[i % ahead]);
            w.extra(rule::loop_round);
        }
        const auto lane = w.lane();
        const auto place = mad(lane >> 2, rows_in_group, (lane & 3) * 4);
        for (u32 group = 0; group < groups_; ++group)
            for (u32 half = 0; half < halves_; ++half)
                for (u32 j = 0; j < 4; ++j) {
                    Lanes<float> value = sum;
                    for (u32 i = 0; i < warp_lanes; ++i)
                        value[i] =
                            value_at(i / 4 + 8 * half, group * rows_in_group + i % 4 * 4 + j);
                    w.store(SkinnySite::part, sums, place, value,
                            w.index() * warp_floats() + group * group_floats +
                                half * 8 * rows_in_group + j);
                }
    }
    float value_at(u32 token, u32 row) const {
        return token < work_.tokens ? values_[token * groups_ * rows_in_group + row] : 0;
    }

    /// Multiplies a chunk on the tensor cores.
    void add_chunk(Warp& w, const Chunk& chunk, Lanes<float>& sum) {
        Lanes<u64> operands;
        decode(chunk);
        for (u32 piece = 0; piece < pieces(); ++piece) {
            for (const auto& word : chunk.weight[piece]) depend(operands, word);
            for (const auto& scale : chunk.scale[piece]) depend(operands, scale);
        }
        if (scaled())
            w.use(pieces() * rounds * work_.per_word() * integer_instructions,
                  w.open(operands.needs));
        for (const auto& half : chunk.x)
            for (const auto& round : half)
                for (const auto& word : round) depend(operands, word);
        const u32 columns = chunk_columns(), rows = groups_ * rows_in_group;
        for (u32 t = 0; t < work_.tokens; ++t)
            for (u32 k = 0; k < columns; ++k) {
                const float x = x_[t * columns + k];
                float* const to = &values_[t * rows];
                for (u32 r = 0; r < rows; ++r) {
                    const float product = x * weights_[k * rows + r];
                    to[r] += product;
                }
            }
        w.matrix(rows * 8 * halves_ * columns, sum, operands);
    }
    /// The values that the lanes have loaded.
    void decode(const Chunk& chunk) {
        const u32 columns = chunk_columns(), rows = groups_ * rows_in_group, n = work_.per_word();
        weights_.assign(columns * rows, 0);
        x_.assign(work_.tokens * columns, 0);
        for (u32 piece = 0; piece < pieces(); ++piece)
            for (u32 i = 0; i < rounds; ++i)
                for (u32 lane = 0; lane < warp_lanes; ++lane) {
                    const u32 first = (lane % 4 + 4 * i) * n;
                    const u32 row = piece / 2 * rows_in_group + row_of_group(piece % 2, lane / 4);
                    decode_weights(chunk.weight[piece][i][lane], work_.bits,
                                   chunk.scale[piece][first / columns_in_group][lane],
                                   [&](u32 j, float v) { weights_[(first + j) * rows + row] = v; });
                }
        for (u32 t = 0; t < work_.tokens; ++t)
            for (u32 i = 0; i < rounds; ++i)
                for (u32 part = 0; part < 4; ++part)
                    for (u32 j = 0; j < n; ++j) {
                        const u64 word = chunk.x[t / 8][i][j / 4][t % 8 * 4 + part];
                        x_[t * columns + (part + 4 * i) * n + j] = packed_bf16(word, j % 4);
                    }
    }

    /// The sum over the warps' parts.
    Lanes<float> added(Warp& w, const Shared<float>& sums, const Lanes<u32>& place, u32 plus) {
        Lanes<float> all = w.load(SkinnySite::sum, sums, place, plus);
        for (u32 k = 1; k < b_.warps(); ++k) {
            const auto part = w.load(SkinnySite::sum, sums, place, k * warp_floats() + plus);
            all = all + part;
        }
        return all;
    }

    static constexpr u32 most_ahead = 3;
    Block& b_;
    const ProductWork& work_;
    RowOf row_of_;
    u32 groups_; ///< of 16 rows of a matrix
    u32 halves_; ///< of 8 rows of the tile
    std::vector<float> values_, weights_, x_;
};

} // namespace memsim::workload
