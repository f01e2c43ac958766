#pragma once

#include "workload/llm/serving/product_work.hh"

namespace memsim::workload {

/// The product of many rows of activations.
///
/// Models        A block computes a tile of `size` rows of activations and as many of the matrix
///               (with a matrix beside: half as many of each). Each of four warps computes a
///               quarter. They copy 64 columns at a time to shared memory and load the next ones
///               while the tensor cores multiply. In a block of several groups of four warps
///               (sliced K, as CUTLASS calls it), each group computes the same tile from its own
///               steps: step i is that of group i mod groups. In the end the groups' sums are
///               added up in shared memory. With several buffers, columns are copied to shared
///               memory asynchronously (cp.async), so many steps ahead less one; only values of 16
///               bits and whole steps are.
/// Requires      128 threads for each group.
template <class RowOf>
class TiledProduct {
  public:
    TiledProduct(Block& b, const ProductWork& work, RowOf row_of, u32 size)
        : b_(b), work_(work), row_of_(row_of), size_(size), groups_(b.warps() / group_warps),
          sum_(b) {
        for (Group& group : groups_) {
            for (u32 i = 0; i < (copied() ? work_.buffers : 1); ++i)
                group.buffers.push_back(b.shared<u64>(tile_words(size_)));
            group.tile = group.buffers[0];
            group.sums.assign(size_ * size_, 0.0f);
        }
        for (u32 i = 0; i < x_loads(); ++i) next_x_.emplace_back(b), x_index_.emplace_back(b);
        for (u32 i = 0; i < weight_loads(); ++i) {
            next_weight_.emplace_back(b), weight_index_.emplace_back(b);
            next_scale_.emplace_back(b), scale_index_.emplace_back(b);
        }
    }

    /// Calls finish(w, tile row, row of the matrix, sums) in the lanes that have such elements.
    template <class Finish>
    void run(Finish finish) {
        const auto groups = static_cast<u32>(groups_.size());
        const u32 steps = (work_.columns + step_columns - 1) / step_columns;
        copied() ? run_copied(steps) : run_loaded(steps);
        if (groups > 1) {
            b_.each([&](Warp& w) { store_sums(w); });
            b_.barrier();
        }
        b_.each([&](Warp& w) { end(w, finish); });
    }
    static constexpr u32 shared_bytes(u32 size, u32 groups, u32 buffers) {
        return groups * buffers * tile_words(size) * 8;
    }

  private:
    /// Loads the columns of the next step to registers while the tensor cores multiply.
    void run_loaded(u32 steps) {
        const auto groups = static_cast<u32>(groups_.size());
        b_.each([&](Warp& w) {
            set_indices(w);
            if (group_of(w) < steps) load(w, group_of(w));
        });
        for (u32 first = 0; first < steps; first += groups) {
            const auto step = [&](const Warp& w) { return first + group_of(w); };
            b_.each([&](Warp& w) {
                if (step(w) >= steps) return;
                store(w);
                if (step(w) + groups < steps) load(w, step(w) + groups);
            });
            b_.barrier();
            for (Group& group : groups_) decode(group);
            b_.each([&](Warp& w) {
                if (step(w) < steps) multiply(w);
            });
            b_.barrier();
        }
    }
    /// Copies the columns of the next steps to other buffers while the tensor cores multiply.
    void run_copied(u32 steps) {
        const auto groups = static_cast<u32>(groups_.size());
        const u32 ahead = work_.buffers - 1;
        b_.each([&](Warp& w) {
            set_indices(w);
            for (u32 round = 0; round < ahead; ++round) copy(w, round, steps);
        });
        for (u32 round = 0; round * groups < steps; ++round) {
            b_.each([&](Warp& w) { w.wait_copies(ahead - 1); });
            b_.barrier(); // before it, all warps have multiplied what the next copies replace
            for (Group& group : groups_) {
                group.tile = group.buffers[round % work_.buffers];
                decode(group);
            }
            b_.each([&](Warp& w) {
                copy(w, round + ahead, steps);
                if (round * groups + group_of(w) < steps) multiply(w);
            });
        }
        b_.barrier();
    }

    enum class TiledSite : u32 {
        scale = 1,
        weight,
        x,
        copy_x,
        copy_weight,
        operand_x,
        operand,
        part,
        sum
    };
    static constexpr u32 step_columns = 64;
    static constexpr u32 words_of_step = step_columns / values_in_word; ///< of a row
    static constexpr u32 stride = step_columns / values_in_word + 2; ///< words; no bank conflicts
    static constexpr u32 k_columns = 32; ///< of an operation on the tensor cores
    static constexpr u32 group_warps = 4;
    static constexpr u32 group_rows = 64; ///< of an operation of a group
    static constexpr u32 bytes_of_value = 2;
    static constexpr u32 threads = group_warps * warp_lanes; ///< of a group
    static constexpr u32 sums_stride = 36; ///< words of a row of sums, two in a word
    static constexpr u32 rows_at_once = 32;

    /// The tile of activations and that of the matrix in shared memory, in which a group's sums
    /// take their place in the end.
    static constexpr u32 tile_words(u32 size) { return 2 * size * stride; }

    /// A group of warps and the values of its tile.
    struct Group {
        std::vector<Shared<u64>> buffers;
        Shared<u64> tile; ///< the buffer that is multiplied
        std::vector<float> sums, x, weights;
    };

    u32 group_of(const Warp& w) const { return w.index() / group_warps; }
    u32 place_in_group(const Warp& w) const { return w.index() % group_warps; }
    Lanes<u32> thread_in_group(Warp& w) const {
        const auto thread = w.tx();
        return groups_.size() > 1 ? thread & (threads - 1) : thread;
    }
    u32 first_weight() const { return size_ * stride; } ///< in a group's tile
    u32 x_loads() const { return size_ * step_columns / values_in_word / threads; }
    u32 words() const { return step_columns / work_.per_word(); } ///< of a row in a step
    u32 weight_loads() const { return size_ * words() / threads; }
    bool scaled() const { return work_.bits < 16; }
    u32 warp_rows() const { return size_ / 2; } ///< of activations and of the matrix in a warp
    u32 products() const { return warp_rows() * warp_rows() * k_columns; } ///< of an operation
    u32 first_token(const Warp& w) const { return w.index() % 2 * warp_rows(); }
    /// The row of the tile.
    u32 first_of(const Warp& w) const { return place_in_group(w) / 2 * warp_rows(); }

    /// The row of the matrix of a row of the tile in shared memory. With a matrix beside, groups of
    /// 16 rows alternate between the two.
    u32 matrix_row(u32 row) const {
        const u32 group = row / rows_in_group / (work_.beside ? 2 : 1);
        const u32 at = work_.first_row + group * rows_in_group + row_of_group(row / 8 % 2, row % 8);
        return std::min(at, work_.rows - 1);
    }
    const Matrix& matrix_of(const Warp& w, u32 load) const {
        const u32 row = (place_in_group(w) * warp_lanes + load * threads) / words();
        return work_.beside && row / rows_in_group % 2 ? *work_.beside : *work_.matrix;
    }

    void set_indices(Warp& w) {
        const auto thread = thread_in_group(w);
        const auto x_word = thread & (step_columns / values_in_word - 1);
        for (u32 i = 0; i < x_loads(); ++i) {
            const auto row = row_of_(w, min((thread >> 4) + i * threads / 16, work_.tokens - 1));
            x_index_[i][w] = mad(row, work_.columns / values_in_word, x_word);
        }
        const auto word = thread & (words() - 1);
        const Needs ready = row_of_.ready(w);
        for (u32 i = 0; i < weight_loads(); ++i) {
            const auto row = w.apply<u32>(
                4, [&](u32 l) { return matrix_row((thread[l] + i * threads) / words()); }, thread);
            weight_index_[i][w] = mad(row, work_.row_words(), word);
            weight_index_[i][w].needs = weight_index_[i][w].needs | ready;
            if (scaled()) scale_index_[i][w] = row * groups_of(work_.columns);
        }
    }

    void load(Warp& w, u32 step) {
        const auto thread = thread_in_group(w);
        const auto load_words = [&](auto site, const auto& array, auto& to, auto& index, u32 n,
                                    u32 left) {
            const auto word = thread & (n - 1);
            to = Lanes<u64>();
            in_lanes(w, n <= left, word, left, [&] { to = w.load(site, array, index, step * n); });
        };
        for (u32 i = 0; i < weight_loads(); ++i) {
            const Matrix& matrix = matrix_of(w, i);
            load_words(TiledSite::weight, matrix.words, next_weight_[i][w], weight_index_[i][w],
                       words(), work_.row_words() - step * words());
            if (scaled())
                next_scale_[i][w] = w.load(TiledSite::scale, matrix.scales, scale_index_[i][w],
                                           step * step_columns / columns_in_group);
        }
        for (u32 i = 0; i < x_loads(); ++i)
            load_words(TiledSite::x, work_.x, next_x_[i][w], x_index_[i][w], words_of_step,
                       work_.columns / values_in_word - step * words_of_step);
    }

    /// Whether operands are copied to shared memory asynchronously.
    bool copied() const {
        return work_.buffers > 1 && !scaled() && work_.columns % step_columns == 0;
    }
    /// Starts the copies of a group's step in this round.
    void copy(Warp& w, u32 round, u32 steps) {
        const Group& group = groups_[group_of(w)];
        const u32 step = round * static_cast<u32>(groups_.size()) + group_of(w);
        if (step < steps) {
            const auto thread = thread_in_group(w);
            const auto place = mad(thread >> 4, stride, thread & 15);
            const auto copy_rows = [&](TiledSite site, const Array<u64>& from, auto& index, u32 i,
                                       u32 first) {
                w.copy(site, group.buffers[round % work_.buffers], place, from, index,
                       {1, step * words_of_step, first + i * threads / words_of_step * stride});
            };
            for (u32 i = 0; i < weight_loads(); ++i)
                copy_rows(TiledSite::copy_weight, matrix_of(w, i).words, weight_index_[i][w], i,
                          first_weight());
            for (u32 i = 0; i < x_loads(); ++i)
                copy_rows(TiledSite::copy_x, work_.x, x_index_[i][w], i, 0);
        }
        w.commit_copies();
    }

    /// Copies what was loaded to shared memory as bf16.
    void store(Warp& w) {
        const auto thread = thread_in_group(w);
        const Shared<u64>& tile = groups_[group_of(w)].tile;
        const auto x_place = mad(thread >> 4, stride, thread & 15);
        for (u32 i = 0; i < x_loads(); ++i)
            w.store(TiledSite::copy_x, tile, x_place, next_x_[i][w], i * threads / 16 * stride);
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
                w.store(TiledSite::copy_weight, tile, place, four,
                        first_weight() + i * threads / n * stride + part);
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
    void decode(Group& group) {
        group.x.resize(size_ * step_columns);
        group.weights.resize(step_columns * size_);
        for (u32 row = 0; row < size_; ++row)
            for (u32 k = 0; k < step_columns; ++k) {
                const u64 at = row * stride + k / values_in_word;
                group.x[row * step_columns + k] = packed_bf16(group.tile.data[at], k % 4);
                group.weights[k * size_ + row] =
                    packed_bf16(group.tile.data[first_weight() + at], k % 4);
            }
    }

    /// Whether tensor cores read operands from shared memory: in operations of a group's four warps
    /// on 64 rows of activations and all rows of the matrix.
    bool shared_operands() const { return work_.shared_operands && size_ % group_rows == 0; }
    /// Bytes of operands that a warp reads for `k_columns` columns: a quarter of the group's.
    u32 operand_bytes() const {
        return size_ / group_rows * (group_rows + size_) * k_columns * bytes_of_value / group_warps;
    }
    void multiply(Warp& w) {
        const u32 token = first_token(w), row = first_of(w);
        Group& group = groups_[group_of(w)];
        if (shared_operands())
            for (u32 k = 0; k < step_columns; k += k_columns)
                w.matrix_of_shared(products(), operand_bytes(), sum_[w]);
        else
            multiply_fragments(w, group, token, row);
        w.extra(rule::loop_round);
        for (u32 t = token; t < std::min(token + warp_rows(), work_.tokens); ++t)
            for (u32 r = row; r < row + warp_rows(); r += rows_at_once)
                add_products(&group.x[t * step_columns], &group.weights[r],
                             &group.sums[t * size_ + r]);
    }
    /// Loads operands to registers, as ldmatrix and mma do.
    void multiply_fragments(Warp& w, Group& group, u32 token, u32 row) {
        const auto lane = w.lane();
        const auto place = mad(lane >> 2, stride, (lane & 3) * 2);
        for (u32 k = 0; k < step_columns; k += k_columns) {
            Lanes<u64> operands;
            const auto read = [&](TiledSite site, u32 first, u32 at) {
                depend(operands, w.load_fragment(site, group.tile, place,
                                                 first + at * stride + k / values_in_word));
            };
            for (u32 t = 0; t < warp_rows(); t += 8) read(TiledSite::operand_x, 0, token + t);
            for (u32 r = 0; r < warp_rows(); r += 8)
                read(TiledSite::operand, first_weight(), row + r);
            w.matrix(products(), sum_[w], operands);
        }
    }
    void add_products(const float* x, const float* weights, float* to) const {
        std::array<float, rows_at_once> sum;
        std::copy_n(to, rows_at_once, sum.begin());
        for (u32 k = 0; k < step_columns; ++k)
            for (u32 r = 0; r < rows_at_once; ++r) {
                const float product = x[k] * weights[k * size_ + r];
                sum[r] += product;
            }
        std::copy_n(sum.begin(), rows_at_once, to);
    }

    /// Calls piece(token, row) for parts of a warp's quarter of 8 rows of activations and, of each
    /// matrix, 16 rows.
    template <class Piece>
    void each_piece(Warp& w, Piece piece) {
        const u32 matrices = work_.beside ? 2 : 1;
        for (u32 t = first_token(w); t < first_token(w) + warp_rows() && t < work_.tokens; t += 8)
            for (u32 row = first_of(w); row < first_of(w) + warp_rows();
                 row += matrices * rows_in_group)
                if (work_.first_row + row / matrices < work_.rows) piece(t, row);
    }
    /// The group that adds up the sums of a part.
    u32 owner(u32 token, u32 row) const {
        return (token / 8 + row / warp_lanes) % static_cast<u32>(groups_.size());
    }
    Lanes<u32> place_of_sums(Warp& w) const {
        const auto lane = w.lane();
        return mad(lane >> 2, sums_stride, (lane & 3) * 2);
    }
    u32 sums_at(u32 token, u32 row) const { return token * sums_stride + row / 2; }

    /// Stores the sums of parts that another group adds up.
    void store_sums(Warp& w) {
        const auto place = place_of_sums(w);
        each_piece(w, [&](u32 t, u32 row) {
            if (owner(t, row) == group_of(w)) return;
            for (u32 m = 0; m < (work_.beside ? 2u : 1u); ++m)
                for (u32 half = 0; half < 2; ++half) {
                    const u32 first = row + m * rows_in_group;
                    const auto low = sums_of(w, group_of(w), t, first, 2 * half),
                               high = sums_of(w, group_of(w), t, first, 2 * half + 1);
                    Lanes<u64> both; // two registers
                    both.flow = &w;
                    depend(both, low);
                    for (u32 i = 0; i < warp_lanes; ++i)
                        both[i] = std::bit_cast<u32>(low[i]) | u64 {std::bit_cast<u32>(high[i])}
                                                                   << 32;
                    w.store(TiledSite::part, groups_[group_of(w)].tile, place, both,
                            sums_at(t, first) + half);
                }
        });
    }
    /// Four sums of a part over all groups.
    FourSums all_sums(Warp& w, u32 token, u32 row) {
        FourSums sum;
        for (u32 j = 0; j < 4; ++j) sum[j] = sums_of(w, group_of(w), token, row, j);
        for (u32 g = 0; g < groups_.size(); ++g) {
            if (g == group_of(w)) continue;
            const auto place = place_of_sums(w);
            for (u32 half = 0; half < 2; ++half) {
                const auto both =
                    w.load(TiledSite::sum, groups_[g].tile, place, sums_at(token, row) + half);
                for (u32 j = 0; j < 2; ++j) {
                    Lanes<float> part;
                    part.flow = &w, part.needs = both.needs;
                    for (u32 i = 0; i < warp_lanes; ++i)
                        part[i] = std::bit_cast<float>(static_cast<u32>(both[i] >> 32 * j));
                    sum[2 * half + j] = sum[2 * half + j] + part;
                }
            }
        }
        return sum;
    }

    template <class Finish>
    void end(Warp& w, Finish finish) {
        const auto lane = w.lane();
        const auto g = lane >> 2, four = (lane & 3) * 4;
        const u32 matrices = work_.beside ? 2 : 1;
        each_piece(w, [&](u32 t, u32 row) {
            if (owner(t, row) != group_of(w)) return;
            const u32 first = work_.first_row + row / matrices;
            w.if_(g < work_.tokens - t && four < work_.rows - first, [&] {
                ProductSums all;
                for (u32 m = 0; m < matrices; ++m) all[m] = all_sums(w, t, row + m * rows_in_group);
                finish(w, g + t, four + first, all);
            });
        });
    }
    /// Element j of four, of a part of 16 rows of the tile: row 4 q + j is that of operation j / 2.
    Lanes<float> sums_of(Warp& w, u32 group, u32 token, u32 row, u32 j) {
        Lanes<float> four = sum_[w];
        for (u32 i = 0; i < warp_lanes; ++i) {
            const u32 at = row + j / 2 * 8 + i % 4 * 2 + j % 2;
            four[i] = groups_[group].sums[(token + i / 4) * size_ + at];
        }
        return four;
    }

    Block& b_;
    const ProductWork& work_;
    RowOf row_of_;
    u32 size_;
    std::vector<Group> groups_;
    Registers<float> sum_; ///< the dependence of a warp's sums
    std::vector<Registers<u64>> next_x_, next_weight_;
    std::vector<Registers<u16>> next_scale_;
    std::vector<Registers<u32>> x_index_, weight_index_, scale_index_;
};

} // namespace memsim::workload
