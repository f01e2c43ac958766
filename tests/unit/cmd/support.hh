#pragma once

#include "cmd/block.hh"
#include "core/archive.hh"
#include "core/rng.hh"

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
