#pragma once

#include "workload/llm/decoder.hh"
#include "workload/llm/serving/batch_memory.hh"

namespace memsim::workload {

/// The kernels of a step.
enum class BatchKernel : u32 {
    embed,
    attention_norm,
    qkv,
    rotate,
    attend_prompt,
    attend,
    merge,
    output,
    ffn_norm,
    router,
    top_k,
    align,
    place,
    gate_up,
    down,
    combine,
    last_norm,
    head,
    choose,
    swap_out,
    swap_in,
    predict,
    predict_top_k,
    signal,
};
inline constexpr u32 batch_kernels = static_cast<u32>(BatchKernel::signal) + 1;

/// The shape of a product's tile: up to 16 rows of an expert without shared memory, or a square.
/// sliced: a small one of which several groups of warps compute the sums (sliced K).
enum class Tile : u32 { skinny, small, sliced, large };
inline constexpr u32 tile_shapes = 4;
constexpr u32 tile_tokens(Tile tile) {
    return tile == Tile::skinny ? 16 : tile == Tile::large ? 128 : 64;
}
/// Rows of the matrix in a tile.
constexpr u32 tile_rows(Tile tile) { return tile_tokens(tile); }
constexpr u32 tile_groups(Tile tile) { return tile == Tile::sliced ? 4 : 1; } ///< TiledProduct
constexpr u32 tile_threads(Tile tile) {
    return tile == Tile::skinny ? 256 : tile_groups(tile) * 128;
}
/// For tiles of so many rows of an expert.
constexpr Tile tile_for(u32 rows) {
    return rows <= 16 ? Tile::skinny : rows <= 64 ? Tile::small : Tile::large;
}
/// For so many rows of activations and a matrix of so many rows and columns that all of them use:
/// as libraries do, the largest tile of which there are enough blocks to occupy a GPU, or else
/// small tiles in slices.
Tile tile_for(u32 tokens, u32 rows, u32 columns);

/// Rows of queries that a block of attend_prompt processes for a head of keys and values.
inline constexpr u32 prompt_rows = 64, prompt_threads = 128;

/// Threads of a block that copies a part of a swapped block of the cache, and words of a thread.
inline constexpr u32 swap_threads = 256, swap_words = 4;

/// Warps of a block that chooses experts or signals them, one for each row or expert.
inline constexpr u32 routing_warps = 4, routing_threads = routing_warps * warp_lanes;

struct PlannedLaunch {
    BatchKernel kernel;
    Tile tile; ///< of a product
    u32 step, layer;
    std::array<u32, 3> grid;
    u32 threads;
};

/// The launches of a step in order.
std::vector<PlannedLaunch> plan_step(const BatchShape& shape, const Step& step, u32 number);

/// A tile of a prompt: rows of a span that a block of attend_prompt processes.
struct PromptTile {
    u32 span, first, rows; ///< of the span's rows
};
std::vector<PromptTile> prompt_tiles(const BatchShape& shape, const Step& step);
/// The spans of one row.
std::vector<const Span*> single_rows(const Step& step);

} // namespace memsim::workload
