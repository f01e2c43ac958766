#pragma once

#include "workload/llm/serving/product_work.hh"

namespace memsim::workload {

/// The product of many rows of activations.
///
/// Models        A block computes a tile of as many rows of activations as of the matrix: 64 or 128
///               (with a matrix beside: half as many of each). It copies 64 columns at a time to
///               shared memory and loads the next ones while its tensor cores multiply.
/// Requires      The tile's threads: two for each row.
template <class RowOf>
class TiledProduct {
  public:
    TiledProduct(Block& b, const ProductWork& work, RowOf row_of)
        : b_(b), work_(work), row_of_(row_of), size_(b.warps() * warp_lanes / 2),
          threads_(2 * size_), x_(b.shared<u64>(size_ * stride)),
          weights_(b.shared<u64>(size_ * stride)), sum_(b), sums_(size_ * size_, 0.0f) {
        for (u32 i = 0; i < x_loads; ++i) next_x_.emplace_back(b), x_index_.emplace_back(b);
        for (u32 i = 0; i < weight_loads(); ++i) {
            next_weight_.emplace_back(b), weight_index_.emplace_back(b);
            next_scale_.emplace_back(b), scale_index_.emplace_back(b);
        }
    }

    /// Calls finish(w, tile row, row of the matrix, sums) in the lanes that have such elements.
    template <class Finish>
    void run(Finish finish) {
        const u32 steps = (work_.columns + step_columns - 1) / step_columns;
        b_.each([&](Warp& w) {
            set_indices(w);
            load(w, 0);
        });
        for (u32 step = 0; step < steps; ++step) {
            b_.each([&](Warp& w) {
                store(w);
                if (step + 1 < steps) load(w, step + 1);
            });
            b_.barrier();
            decode();
            b_.each([&](Warp& w) { multiply(w); });
            b_.barrier();
        }
        b_.each([&](Warp& w) { end(w, finish); });
    }
    static constexpr u32 shared_bytes(u32 size) { return 2 * size * stride * 8; }

  private:
    enum class TiledSite : u32 { scale = 1, weight, x, copy_x, copy_weight, operand_x, operand };
    static constexpr u32 step_columns = 64;
    static constexpr u32 stride = step_columns / values_in_word + 2; ///< words; no bank conflicts
    static constexpr u32 x_loads = step_columns / values_in_word / 2;
    static constexpr u32 warp_rows = 32; ///< of the matrix in a warp
    static constexpr u32 k_columns = 32; ///< of an operation on the tensor cores

    u32 words() const { return step_columns / work_.per_word(); } ///< of a row in a step
    u32 weight_loads() const { return words() / 2; }
    bool scaled() const { return work_.bits < 16; }
    u32 warp_tokens() const { return size_ / 2; }
    u32 first_token(const Warp& w) const { return w.index() % 2 * warp_tokens(); }
    u32 first_of(const Warp& w) const { return w.index() / 2 * warp_rows; } ///< row in the tile

    /// The row of the matrix of a row of the tile in shared memory. With a matrix beside, groups of
    /// 16 rows alternate between the two.
    u32 matrix_row(u32 row) const {
        const u32 group = row / rows_in_group / (work_.beside ? 2 : 1);
        const u32 at = work_.first_row + group * rows_in_group + row_of_group(row / 8 % 2, row % 8);
        return std::min(at, work_.rows - 1);
    }
    const Matrix& matrix_of(const Warp& w, u32 load) const {
        const u32 row = (w.index() * warp_lanes + load * threads_) / words();
        return work_.beside && row / rows_in_group % 2 ? *work_.beside : *work_.matrix;
    }

    void set_indices(Warp& w) {
        const auto thread = w.tx();
        const auto x_word = thread & (step_columns / values_in_word - 1);
        for (u32 i = 0; i < x_loads; ++i) {
            const auto row = row_of_(w, min((thread >> 4) + i * threads_ / 16, work_.tokens - 1));
            x_index_[i][w] = mad(row, work_.columns / values_in_word, x_word);
        }
        const auto word = thread & (words() - 1);
        const Needs ready = row_of_.ready(w);
        for (u32 i = 0; i < weight_loads(); ++i) {
            const auto row = w.apply<u32>(
                4, [&](u32 l) { return matrix_row((thread[l] + i * threads_) / words()); }, thread);
            weight_index_[i][w] = mad(row, work_.row_words(), word);
            weight_index_[i][w].needs = weight_index_[i][w].needs | ready;
            if (scaled()) scale_index_[i][w] = row * groups_of(work_.columns);
        }
    }

    void load(Warp& w, u32 step) {
        const auto thread = w.tx();
        const auto load_words = [&](auto site, const auto& array, auto& to, auto& index, u32 n,
                                    u32 left) {
            const auto word = thread & (n - 1);
            to = Lanes<u64>();
            in_lanes(w, n <= left, word, left, [&] { to = w.load(site, array, index, step * n); });
        };
        const u32 x_words = step_columns / values_in_word;
        for (u32 i = 0; i < weight_loads(); ++i) {
            const Matrix& matrix = matrix_of(w, i);
            load_words(TiledSite::weight, matrix.words, next_weight_[i][w], weight_index_[i][w],
                       words(), work_.row_words() - step * words());
            if (scaled())
                next_scale_[i][w] = w.load(TiledSite::scale, matrix.scales, scale_index_[i][w],
                                           step * step_columns / columns_in_group);
        }
        for (u32 i = 0; i < x_loads; ++i)
            load_words(TiledSite::x, work_.x, next_x_[i][w], x_index_[i][w], x_words,
                       work_.columns / values_in_word - step * x_words);
    }

    /// Copies what was loaded to shared memory as bf16.
    void store(Warp& w) {
        const auto thread = w.tx();
        const auto x_place = mad(thread >> 4, stride, thread & 15);
        for (u32 i = 0; i < x_loads; ++i)
            w.store(TiledSite::copy_x, x_, x_place, next_x_[i][w], i * threads_ / 16 * stride);
        const u32 n = words(), parts = work_.per_word() / values_in_word;
        const auto place = mad(thread >> static_cast<u32>(std::countr_zero(n)), stride,
                               (thread & (n - 1)) * parts);
        for (u32 i = 0; i < weight_loads(); ++i) {
            const Lanes<u64>& word = next_weight_[i][w];
            for (u32 part = 0; part < parts; ++part) {
                Lanes<u64> four = word;
                if (scaled()) {
                    const Lanes<u16>& scale = next_scale_[i][w];
                    four = w.apply<u64>(
                        values_in_word * integer_instructions,
                        [&](u32 l) { return four_weights(word[l], scale[l], part); }, word, scale);
                }
                w.store(TiledSite::copy_weight, weights_, place, four,
                        i * threads_ / n * stride + part);
            }
        }
    }
    u64 four_weights(u64 word, u16 scale, u32 part) const {
        u64 four = 0;
        decode_weights(word, work_.bits, scale, [&](u32 j, float value) {
            if (j / values_in_word == part) four |= u64 {to_bf16(value)} << 16 * (j % 4);
        });
        return four;
    }

    /// The tile's values in shared memory; no instructions.
    void decode() {
        x_values_.resize(size_ * step_columns);
        weight_values_.resize(step_columns * size_);
        for (u32 row = 0; row < size_; ++row)
            for (u32 k = 0; k < step_columns; ++k) {
                const u64 at = row * stride + k / values_in_word;
                x_values_[row * step_columns + k] = packed_bf16(x_.data[at], k % 4);
                weight_values_[k * size_ + row] = packed_bf16(weights_.data[at], k % 4);
            }
    }

    void multiply(Warp& w) {
        const auto lane = w.lane();
        const auto place = mad(lane >> 2, stride, (lane & 3) * 2);
        const u32 token = first_token(w), row = first_of(w);
        for (u32 k = 0; k < step_columns; k += k_columns) {
            Lanes<u64> operands;
            const auto read = [&](TiledSite site, const Shared<u64>& from, u32 at) {
                depend(operands, w.load_fragment(site, from, place, at * stride + k / 4));
            };
            for (u32 t = 0; t < warp_tokens(); t += 8) read(TiledSite::operand_x, x_, token + t);
            for (u32 r = 0; r < warp_rows; r += 8) read(TiledSite::operand, weights_, row + r);
            w.matrix(warp_tokens() * warp_rows * k_columns, sum_[w], operands);
        }
        w.extra(rule::loop_round);
        for (u32 t = token; t < std::min(token + warp_tokens(), work_.tokens); ++t)
            add_products(&x_values_[t * step_columns], &weight_values_[row],
                         &sums_[t * size_ + row]);
    }
    void add_products(const float* x, const float* weights, float* to) const {
        std::array<float, warp_rows> sum;
        std::copy_n(to, warp_rows, sum.begin());
        for (u32 k = 0; k < step_columns; ++k)
            for (u32 r = 0; r < warp_rows; ++r) {
                const float product = x[k] * weights[k * size_ + r];
                sum[r] += product;
            }
        std::copy_n(sum.begin(), warp_rows, to);
    }

    template <class Finish>
    void end(Warp& w, Finish finish) {
        const auto lane = w.lane();
        const auto g = lane >> 2, four = (lane & 3) * 4;
        const u32 matrices = work_.beside ? 2 : 1;
        for (u32 t = first_token(w); t < first_token(w) + warp_tokens() && t < work_.tokens; t += 8)
            for (u32 row = first_of(w); row < first_of(w) + warp_rows;
                 row += matrices * rows_in_group) {
                const u32 first = work_.first_row + row / matrices;
                if (first >= work_.rows) continue;
                w.if_(g < work_.tokens - t && four < work_.rows - first, [&] {
                    ProductSums all;
                    for (u32 m = 0; m < matrices; ++m)
                        for (u32 j = 0; j < 4; ++j)
                            all[m][j] = sums_at(w, t, row + m * rows_in_group, j);
                    finish(w, g + t, four + first, all);
                });
            }
    }
    /// Element j of four, of a group of 16 rows of the tile: row 4 q + j is that of operation j
    /// / 2.
    Lanes<float> sums_at(Warp& w, u32 token, u32 group, u32 j) {
        Lanes<float> four = sum_[w];
        for (u32 i = 0; i < warp_lanes; ++i) {
            const u32 row = group + j / 2 * 8 + i % 4 * 2 + j % 2;
            four[i] = sums_[(token + i / 4) * size_ + row];
        }
        return four;
    }

    Block& b_;
    const ProductWork& work_;
    RowOf row_of_;
    u32 size_, threads_;
    Shared<u64> x_, weights_;
    Registers<float> sum_; ///< the dependence of a warp's sums
    std::vector<float> sums_, x_values_, weight_values_;
    std::vector<Registers<u64>> next_x_, next_weight_;
    std::vector<Registers<u16>> next_scale_;
    std::vector<Registers<u32>> x_index_, weight_index_, scale_index_;
};

} // namespace memsim::workload
