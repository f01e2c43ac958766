#pragma once

#include "cmd/detect/ecc.hh"
#include "core/base/rng.hh"
#include "core/state/archive.hh"

#include <catch2/catch.hpp>

namespace memsim::cmd::test {

inline BlockBytes random_block(Rng& r) {
    BlockBytes block;
    for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(r.next());
    return block;
}
template <class T>
void set_element(BlockBytes& block, std::uint32_t i, T value) {
    std::memcpy(block.data() + i * sizeof value, &value, sizeof value);
}
/// A block of words of 4 bytes, f(0) to f(31).
template <class F>
BlockBytes words_block(F&& f) {
    BlockBytes block;
    for (std::uint32_t i = 0; i < 32; ++i) set_element(block, i, static_cast<std::uint32_t>(f(i)));
    return block;
}

/// Four bits of a word whose change leaves its check bits, by search: the code is linear, so the
/// columns of two of them add up to the other two's.
inline std::uint64_t undetected_change(Rng& r) {
    const auto bit = [](std::uint64_t i) { return std::uint64_t {1} << i; };
    for (;;) {
        const std::uint64_t a = r.below(64), b = r.below(64), c = r.below(64);
        const std::uint64_t three = bit(a) | bit(b) | bit(c);
        if (std::popcount(three) < 3) continue;
        for (std::uint64_t d = 0; d < 64; ++d)
            if ((three & bit(d)) == 0 && check_bits(three) == check_bits(bit(d)))
                return three | bit(d);
    }
}
/// Another block with the same fingerprint (ecc_of): the words of a random set, at least one, are
/// changed where the code does not see it.
inline BlockBytes same_ecc(const BlockBytes& block, Rng& r) {
    BlockBytes other = block;
    const std::uint64_t words = 1 + r.below((1u << ecc_words) - 1);
    for (std::uint32_t w = 0; w < ecc_words; ++w)
        if (words >> w & 1)
            set_element(other, w, element<std::uint64_t>(block, w) ^ undetected_change(r));
    return other;
}

template <class T>
std::string saved(const T& value) {
    Saver s;
    s(value);
    return s.bytes;
}
/// Loads bytes into a value that has its sizes; what they are refused for, or "".
template <class T>
std::string load(const std::string& bytes, T& value) {
    Loader l(bytes);
    try {
        l(value);
    } catch (const ConfigError& e) {
        const std::string what = e.what();
        return what.substr(0, what.find(':'));
    }
    REQUIRE(l.done());
    return "";
}

} // namespace memsim::cmd::test
