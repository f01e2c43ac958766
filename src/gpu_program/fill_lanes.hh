#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace memsim::gpu_program {

/// Sets all lanes to one value, by stores of 16 bytes. For a loop over zeros, and for std::fill, a
/// compiler generates a string instruction, which takes longer than the work on the lanes that
/// follows.
template <class T, std::size_t n>
void fill_lanes(std::array<T, n>& lanes, T value) {
    static_assert(sizeof lanes % 16 == 0);
    using Piece [[gnu::vector_size(16), gnu::aligned(1), gnu::may_alias]] = T;
    Piece piece;
    for (std::size_t i = 0; i < 16 / sizeof(T); ++i) piece[i] = value;
    const auto to = reinterpret_cast<Piece*>(lanes.data());
    [&]<std::size_t... I>(std::index_sequence<I...>) { ((to[I] = piece), ...); }
    (std::make_index_sequence<sizeof lanes / 16> {});
}

} // namespace memsim::gpu_program
