#pragma once

#include "workload/llm/bf16.hh"
#include "workload/llm/decoder.hh"

/// Steps of kernels over vectors that decode steps of one request and of batches share.
namespace memsim::workload {

/// The factor of a norm of n elements, 1 / sqrt(mean square + epsilon), from the sums of squares of
/// the block's warps.
template <class Site>
Lanes<float> norm_factor(Warp& w, const Block& b, Site site, const Shared<float>& sums, u32 n) {
    const auto lane = w.lane();
    Lanes<float> square;
    square.flow = &w;
    in_lanes(w, b.warps() == warp_lanes, lane, b.warps(),
             [&] { square = w.load(site, sums, lane); });
    add_lanes(w, square, 1, warp_lanes);
    const auto mean = square * (1.0f / static_cast<float>(n)) + norm_epsilon;
    const auto root = w.square_root(mean);
    return w.divide(Lanes<float>(1.0f), root);
}

/// Rotates the pairs of neighbouring dimensions of a word. `angle` + `plus` is the index of the
/// first cosine; its sine follows it.
template <class Site, class Values>
void rotate_pairs(Warp& w, Site site, const Array<float>& rotation, const Lanes<u32>& angle,
                  u32 plus, Values& value) {
    for (u32 j = 0; j < values_in_word; j += 2) {
        const auto cosine = w.load(site, rotation, angle, plus + j);
        const auto sine = w.load(site, rotation, angle, plus + j + 1);
        // C++ does not define which of two products in an expression is first.
        const auto subtracted = value[j + 1] * sine;
        const auto x = value[j] * cosine - subtracted;
        const auto added = value[j + 1] * cosine;
        value[j + 1] = value[j] * sine + added;
        value[j] = x;
    }
}

/// Stores four values as a word of a layer's cache, which has 16 or 8 bits a value.
template <class Site, class Layer, class Values>
void append_word(Warp& w, Site site, const Layer& layer, u32 kv_bits, const Lanes<u32>& at,
                 const Values& value) {
    constexpr u32 instructions = 3;
    const auto append = [&]<class Word>(const Array<Word>& cache) {
        const auto word = w.apply<Word>(
            instructions,
            [&](u32 i) { return pack_values<Word>([&](u32 j) { return value[j][i]; }); }, value[0],
            value[1], value[2], value[3]);
        w.store(site, cache, at, word);
    };
    if (kv_bits == 16)
        append(layer.cache);
    else
        append(layer.small_cache);
}

} // namespace memsim::workload
