#include "workload/llm/serving/batch_kernels.hh"
#include "workload/llm/serving/skinny_product.hh"
#include "workload/llm/serving/tiled_product.hh"
#include "workload/simt/exact_math.hh"

/// Products of a batch's activations and the matrices of a layer, of its experts or of the head.
namespace memsim::workload {

namespace {

enum class BatchSite : u32 { old = 16, word, result, tile, tile_rows, sorted, weight };

/// The rows of a tile are those of the batch from `first` on.
struct BatchRows {
    u32 first;
    Needs ready(Warp&) const { return {}; }
    Lanes<u32> operator()(Warp&, const Lanes<u32>& row) const { return row + first; }
};

/// The rows of a tile are pairs that have been sorted by expert.
struct ExpertRows {
    const Routing& routing;
    u32 tile, size, used;

    /// The number of the expert, on which the addresses of the matrix depend.
    Needs ready(Warp& w) const {
        return w.load(BatchSite::tile, routing.tile, Lanes<u32>(tile)).needs;
    }
    Lanes<u32> pair(Warp& w, const Lanes<u32>& row) const {
        return w.load(BatchSite::sorted, routing.sorted, row, tile * size);
    }
};
/// The row of the batch of each pair.
struct PairTokens : ExpertRows {
    Lanes<u32> operator()(Warp& w, const Lanes<u32>& row) const {
        const auto at = pair(w, row);
        return std::has_single_bit(used) ? at >> static_cast<u32>(std::countr_zero(used))
                                         : w.divide(at, Lanes<u32>(used));
    }
};
/// The pair itself.
struct Pairs : ExpertRows {
    Lanes<u32> operator()(Warp& w, const Lanes<u32>& row) const { return pair(w, row); }
};

template <class RowOf, class Finish>
void run_product(Block& b, const ProductWork& work, Tile tile, RowOf row_of, Finish finish) {
    if (tile == Tile::skinny)
        SkinnyProduct(b, work, row_of).run(finish);
    else
        TiledProduct(b, work, row_of, tile_rows(tile)).run(finish);
}

/// result[row_of(row)] = sums, as words of bf16.
template <class RowOf>
auto to_words(const Array<u64>& result, u32 columns, RowOf row_of) {
    return [=](Warp& w, const Lanes<u32>& row, const Lanes<u32>& column, const ProductSums& sums) {
        const auto index = row_of(w, row);
        const auto at = mad(index, columns / values_in_word, column >> 2);
        w.store(BatchSite::result, result, at, packed_word(w, sums[0]));
    };
}
/// The same as floats, for results whose number of columns is no multiple of 4.
auto to_floats(const Array<float>& result, u32 columns, u32 first) {
    return [=](Warp& w, const Lanes<u32>& row, const Lanes<u32>& column, const ProductSums& sums) {
        const auto at = mad(row + first, columns, column);
        for (u32 j = 0; j < 4; ++j)
            in_lanes(w, columns % 4 == 0, column, std::max(columns, j) - j,
                     [&] { w.store(BatchSite::result, result, at, sums[0][j], j); });
    };
}
/// result += sums.
auto add_words(const Array<u64>& result, u32 columns, u32 first) {
    return [=](Warp& w, const Lanes<u32>& row, const Lanes<u32>& column, const ProductSums& sums) {
        const auto at = mad(row + first, columns / values_in_word, column >> 2);
        auto value = unpacked_word(w, w.load(BatchSite::old, result, at));
        for (u32 j = 0; j < 4; ++j) value[j] = value[j] + sums[0][j];
        w.store(BatchSite::result, result, at, packed_word(w, value));
    };
}
/// result = g / (1 + e^-g) u.
template <class RowOf>
auto gated_words(const Array<u64>& result, u32 columns, RowOf row_of) {
    return [=](Warp& w, const Lanes<u32>& row, const Lanes<u32>& column, const ProductSums& sums) {
        std::array<Lanes<float>, 4> value;
        for (u32 j = 0; j < 4; ++j) {
            const Lanes<float>& gate = sums[0][j];
            const auto power = w.apply<float>(
                rule::exponential, [&](u32 i) { return exact_exp(-gate[i]); }, gate);
            value[j] = w.divide(gate, power + 1.0f) * sums[1][j];
        }
        const auto index = row_of(w, row);
        const auto at = mad(index, columns / values_in_word, column >> 2);
        w.store(BatchSite::result, result, at, packed_word(w, value));
    };
}

/// Blocks of tiles that no expert has end here.
void end_unused(Block& b, const Routing& routing) {
    b.each([&](Warp& w) {
        const auto rows = w.load(BatchSite::tile_rows, routing.tile_rows, Lanes<u32>(b.x()));
        w.use(rule::branch, w.open(rows.needs));
    });
}

} // namespace

/// A block's part of a product for the rows of the step. Blocks of one part of the matrix have
/// neighbouring numbers.
ProductWork ProductKernels::work(const Block& b, const Array<u64>& x, const Matrix& matrix,
                                 u32 columns, u32 rows) const {
    const Tile tile = launch_.tile;
    const bool of_ends = launch_.kernel == BatchKernel::head;
    const bool of_router =
        launch_.kernel == BatchKernel::router || launch_.kernel == BatchKernel::predict;
    const u32 all = of_ends ? step().ends() : step().rows();
    const u32 first = b.x() * tile_tokens(tile);
    return {x,
            &matrix,
            nullptr,
            columns,
            rows,
            of_router ? 16 : model().weight_bits,
            b.y() * tile_rows(tile),
            std::min(tile_tokens(tile), all - first),
            arrays_.shape.shared_operands,
            arrays_.shape.buffers};
}

/// A block's part of a product for the pairs of an expert; no tokens if the tile is not used.
ProductWork ProductKernels::expert_work(const Block& b, const Array<u64>& x, u32 columns,
                                        u32 rows) const {
    const Tile tile = launch_.tile;
    const Routing& routing = arrays_.routing;
    return {x,
            nullptr,
            nullptr,
            columns,
            rows,
            model().weight_bits,
            b.y() * tile_rows(tile),
            routing.tile_rows[b.x()],
            arrays_.shape.shared_operands,
            arrays_.shape.buffers};
}

void ProductKernels::qkv(Block& b) const {
    const ProductWork part =
        work(b, arrays_.normed, layer().qkv, model().hidden, model().qkv_size());
    const BatchRows rows {b.x() * tile_tokens(launch_.tile)};
    run_product(b, part, launch_.tile, rows, to_words(arrays_.qkv, part.rows, rows));
}

void ProductKernels::output(Block& b) const {
    const ProductWork part =
        work(b, arrays_.attention, layer().output, model().query_size(), model().hidden);
    const BatchRows rows {b.x() * tile_tokens(launch_.tile)};
    run_product(b, part, launch_.tile, rows, add_words(arrays_.hidden, part.rows, rows.first));
}

void ProductKernels::router(Block& b) const {
    const ProductWork part =
        work(b, arrays_.normed, layer().router, model().hidden, arrays_.shape.experts);
    const BatchRows rows {b.x() * tile_tokens(launch_.tile)};
    run_product(b, part, launch_.tile, rows,
                to_floats(arrays_.routing.logits, part.rows, rows.first));
}

/// The router of the next layer, with the input of this layer's feed-forward part. The logits of
/// this layer have been used.
void ProductKernels::predict(Block& b) const {
    const ProductWork part = work(b, arrays_.normed, arrays_.layers[launch_.layer + 1].router,
                                  model().hidden, arrays_.shape.experts);
    const BatchRows rows {b.x() * tile_tokens(launch_.tile)};
    run_product(b, part, launch_.tile, rows,
                to_floats(arrays_.routing.logits, part.rows, rows.first));
}

void ProductKernels::head(Block& b) const {
    const ProductWork part =
        work(b, arrays_.normed, arrays_.head, model().hidden, model().vocabulary);
    const BatchRows rows {b.x() * tile_tokens(launch_.tile)};
    run_product(b, part, launch_.tile, rows, to_floats(arrays_.logits, part.rows, rows.first));
}

void ProductKernels::gate_up(Block& b) const {
    const u32 columns = model().hidden, rows = model().ffn, size = tile_tokens(launch_.tile);
    const auto of = [&](ProductWork part, const FeedForward& matrices) {
        part.matrix = &matrices.gate;
        part.beside = &matrices.up;
        part.first_row = b.y() * (launch_.tile == Tile::skinny ? rows_in_group : size / 2);
        return part;
    };
    if (!arrays_.shape.experts) {
        const ProductWork part =
            of(work(b, arrays_.normed, layer().experts.front().gate, columns, rows),
               layer().experts.front());
        const BatchRows all {b.x() * size};
        run_product(b, part, launch_.tile, all, gated_words(arrays_.gated, rows, all));
        return;
    }
    const ProductWork tile = expert_work(b, arrays_.normed, columns, rows);
    const ExpertRows pairs {arrays_.routing, b.x(), size, arrays_.shape.used};
    if (!tile.tokens) return end_unused(b, arrays_.routing);
    const ProductWork part = of(tile, layer().experts[arrays_.routing.tile[b.x()]]);
    run_product(b, part, launch_.tile, PairTokens {pairs},
                gated_words(arrays_.gated, rows, Pairs {pairs}));
}

void ProductKernels::down(Block& b) const {
    if (arrays_.shape.experts) return down_of_expert(b);
    const u32 rows = model().hidden;
    const ProductWork part =
        work(b, arrays_.gated, layer().experts.front().down, model().ffn, rows);
    const BatchRows all {b.x() * tile_tokens(launch_.tile)};
    run_product(b, part, launch_.tile, all, add_words(arrays_.hidden, rows, all.first));
}

/// The results of pairs, each multiplied by the weight of its expert.
void ProductKernels::down_of_expert(Block& b) const {
    const u32 rows = model().hidden, size = tile_tokens(launch_.tile);
    ProductWork part = expert_work(b, arrays_.gated, model().ffn, rows);
    const Routing& routing = arrays_.routing;
    if (!part.tokens) return end_unused(b, routing);
    part.matrix = &layer().experts[routing.tile[b.x()]].down;
    const Pairs pairs {{routing, b.x(), size, arrays_.shape.used}};
    run_product(
        b, part, launch_.tile, pairs,
        [&](Warp& w, const Lanes<u32>& row, const Lanes<u32>& column, const ProductSums& sums) {
            const auto pair = pairs(w, row);
            const auto weight = w.load(BatchSite::weight, routing.weight, pair);
            std::array<Lanes<float>, 4> value;
            for (u32 j = 0; j < 4; ++j) value[j] = sums[0][j] * weight;
            const auto at = mad(pair, rows / values_in_word, column >> 2);
            w.store(BatchSite::result, arrays_.result, at, packed_word(w, value));
        });
}

} // namespace memsim::workload
