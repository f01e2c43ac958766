#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace memsim {

/// Steele, Lea and Flood's SplitMix64 (OOPSLA 2014): spreads a seed over 64 bits.
constexpr std::uint64_t split_mix(std::uint64_t& x) {
    std::uint64_t z = (x += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// A stream of random numbers that belongs to one State field. It is seeded from the machine's
/// seed, the component's path and the field's name, so that adding a component changes no other
/// stream. Blackman and Vigna's xoshiro256** (ACM TOMS 2021). Draw at most once per statement: the
/// order of evaluation inside an expression is unspecified.
class Rng {
  public:
    static constexpr std::string_view archived_as = "Rng";
    template <class Archive>
    void archive(Archive& a) {
        a(state_);
    }

    constexpr Rng() { seed(0, ""); }
    constexpr Rng(std::uint64_t machine_seed, std::string_view name) { seed(machine_seed, name); }

    constexpr void seed(std::uint64_t machine_seed, std::string_view name) {
        std::uint64_t x = machine_seed;
        for (char c : name) x = split_mix(x) ^ static_cast<unsigned char>(c);
        for (std::uint64_t& word : state_) word = split_mix(x);
    }
    constexpr std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }
    /// Uniform in [0, n); n > 0. Multiply-shift: the bias is below n / 2^64.
    constexpr std::uint64_t below(std::uint64_t n) {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<Wide>(next()) * n) >> 64);
    }
    /// True with a probability of `ppb` / 10^9.
    constexpr bool chance(std::int64_t ppb) {
        return static_cast<std::int64_t>(below(1'000'000'000)) < ppb;
    }

  private:
    std::array<std::uint64_t, 4> state_ {};
};

} // namespace memsim
