#include "workload/llm/serving/batch_plan.hh"

namespace memsim::workload {

namespace {

constexpr u32 enough_blocks = 128;  ///< about one for each SM of an A100 or H100
constexpr u32 least_columns = 1024; ///< of four slices: four steps of each

constexpr u32 whole(u32 n, u32 of) { return (n + of - 1) / of; }
u32 warps_for(u32 n, u32 most) { return std::min(most, whole(n, warp_lanes) * warp_lanes); }

class StepPlanner {
  public:
    StepPlanner(const BatchShape& shape, const Step& step, u32 number)
        : shape_(shape), step_(step), number_(number), rows_(step.rows()) {}

    std::vector<PlannedLaunch> run() {
        const DecoderShape& m = shape_.model;
        add_swaps(BatchKernel::swap_out, step_.outs);
        add_swaps(BatchKernel::swap_in, step_.ins);
        if (m.vocabulary) add(BatchKernel::embed, {whole(m.hidden / 4, 256), rows_, 1}, 256);
        for (layer_ = 0; layer_ < m.layers; ++layer_) {
            add_attention();
            add(BatchKernel::ffn_norm, {rows_, 1, 1}, norm_threads());
            add_feed_forward();
        }
        layer_ = 0;
        if (const u32 ends = step_.ends(); m.vocabulary && ends) {
            add(BatchKernel::last_norm, {ends, 1, 1}, norm_threads());
            product(BatchKernel::head, m.vocabulary, m.hidden, ends);
            add(BatchKernel::choose, {ends, 1, 1}, 1024);
        }
        return std::move(all_);
    }

  private:
    void add_swaps(BatchKernel kernel, const std::vector<Swap>& swaps) {
        for (layer_ = 0; layer_ < shape_.model.layers && !swaps.empty(); ++layer_)
            add(kernel,
                {static_cast<u32>(swaps.size()),
                 whole(shape_.block_words(), swap_words * swap_threads), 1},
                swap_threads);
        layer_ = 0;
    }
    void add_attention() {
        const DecoderShape& m = shape_.model;
        add(BatchKernel::attention_norm, {rows_, 1, 1}, norm_threads());
        product(BatchKernel::qkv, m.qkv_size(), m.hidden, rows_);
        add(BatchKernel::rotate, {whole(m.qkv_size() / 4, 128), rows_, 1}, 128);
        if (const auto tiles = static_cast<u32>(prompt_tiles(shape_, step_).size()))
            add(BatchKernel::attend_prompt, {m.kv_heads, tiles, 1}, prompt_threads);
        u32 longest = 0, singles = 0;
        for (const Span* span : single_rows(step_))
            longest = std::max(longest, span->position + 1), ++singles;
        if (singles) {
            add(BatchKernel::attend, {m.kv_heads, whole(longest, tokens_in_part), singles},
                attention_threads);
            add(BatchKernel::merge, {m.heads, singles, 1}, warp_lanes);
        }
        product(BatchKernel::output, m.hidden, m.query_size(), rows_);
    }
    void add_feed_forward() {
        const DecoderShape& m = shape_.model;
        if (!shape_.experts) {
            product(BatchKernel::gate_up, 2 * m.ffn, m.hidden, rows_);
            product(BatchKernel::down, m.hidden, m.ffn, rows_);
            return;
        }
        const u32 pairs = rows_ * shape_.used, tiles = expert_tiles(shape_, rows_);
        product(BatchKernel::router, shape_.experts, m.hidden, rows_);
        add(BatchKernel::top_k, {whole(rows_, routing_warps), 1, 1}, routing_threads);
        add(BatchKernel::align, {1, 1, 1}, warp_lanes);
        add(BatchKernel::place, {whole(pairs, 128), 1, 1}, 128);
        if (shape_.predicts() && layer_ + 1 < m.layers) add_prediction();
        const Tile tile = tile_for(expert_tile(shape_, rows_));
        add(BatchKernel::gate_up, {tiles, whole(2 * m.ffn, product_rows(tile, true)), 1},
            tile_threads(tile), tile);
        add(BatchKernel::down, {tiles, whole(m.hidden, tile_rows(tile)), 1}, tile_threads(tile),
            tile);
        add(BatchKernel::combine, {whole(m.hidden / 4, 256), rows_, 1}, 256);
    }
    /// The experts of the next layer, before this layer's feed-forward part begins.
    void add_prediction() {
        product(BatchKernel::predict, shape_.experts, shape_.model.hidden, rows_);
        add(BatchKernel::predict_top_k, {whole(rows_, routing_warps), 1, 1}, routing_threads);
        add(BatchKernel::signal, {whole(shape_.experts, routing_warps), 1, 1}, routing_threads);
    }
    /// Rows in a block, of the matrix and of a second matrix (`beside`).
    static u32 product_rows(Tile tile, bool beside) {
        return tile_rows(tile) * (tile == Tile::skinny && beside ? 2 : 1);
    }
    void product(BatchKernel kernel, u32 rows, u32 columns, u32 tokens) {
        const Tile tile = tile_for(tokens, rows, columns);
        const u32 in_block = product_rows(tile, kernel == BatchKernel::gate_up);
        add(kernel, {whole(tokens, tile_tokens(tile)), whole(rows, in_block), 1},
            tile_threads(tile), tile);
    }
    void add(BatchKernel kernel, std::array<u32, 3> grid, u32 threads, Tile tile = Tile::skinny) {
        all_.push_back({kernel, tile, number_, layer_, grid, threads});
    }
    u32 norm_threads() const { return warps_for(shape_.model.hidden / 4, 256); }

    const BatchShape& shape_;
    const Step& step_;
    u32 number_, rows_, layer_ = 0;
    std::vector<PlannedLaunch> all_;
};

} // namespace

Tile tile_for(u32 tokens, u32 rows, u32 columns) {
    const Tile largest = tokens <= tile_tokens(Tile::small) ? Tile::small : Tile::large;
    const auto blocks = [&](Tile tile) {
        return whole(tokens, tile_tokens(tile)) * whole(rows, tile_rows(tile));
    };
    if (blocks(largest) >= enough_blocks || columns < least_columns) return largest;
    return blocks(Tile::small) >= enough_blocks ? Tile::small : Tile::sliced;
}

std::vector<PlannedLaunch> plan_step(const BatchShape& shape, const Step& step, u32 number) {
    return StepPlanner(shape, step, number).run();
}

std::vector<PromptTile> prompt_tiles(const BatchShape& shape, const Step& step) {
    const u32 rows = prompt_rows / shape.model.group();
    std::vector<PromptTile> tiles;
    for (u32 i = 0; i < step.spans.size(); ++i)
        for (u32 at = 0; step.spans[i].rows > 1 && at < step.spans[i].rows; at += rows)
            tiles.push_back({i, at, std::min(rows, step.spans[i].rows - at)});
    return tiles;
}

std::vector<const Span*> single_rows(const Step& step) {
    std::vector<const Span*> all;
    for (const Span& span : step.spans)
        if (span.rows == 1) all.push_back(&span);
    return all;
}

} // namespace memsim::workload
