#include "core/base/rng.hh"
#include "cxl/flit/flit256.hh"

#include <catch2/catch.hpp>

#include <algorithm>

namespace memsim::flit256_check_test {

using namespace memsim::cxl;

namespace {

using FlitBytes = std::array<std::uint8_t, Flit256::bytes>;

FlitBytes random_flit(Layout256 layout, Rng& random) {
    Flit256 flit;
    for (std::uint64_t& w : flit.words) w = random.next();
    flit.credits = static_cast<std::uint16_t>(random.next());
    FlitBytes bytes {};
    layout.write(Header256::of(static_cast<std::uint16_t>(random.next())), flit, bytes.data());
    return bytes;
}

std::uint8_t nonzero(Rng& random) { return static_cast<std::uint8_t>(1 + random.below(255)); }

bool passes(Layout256 layout, const FlitBytes& b) {
    return layout.passes(b.data()) && (!layout.optimised() || layout.passes(b.data(), 1));
}

/// Errors in bytes followed by check bytes, by the result of the correction.
template <unsigned n>
std::vector<std::uint64_t> syndromes(std::uint32_t bytes) {
    std::vector<std::uint64_t> all;
    std::vector<std::uint8_t> e(bytes);
    for (std::uint32_t i = 0; i < bytes; ++i) {
        for (unsigned v = 1; v < 256; ++v) {
            e[i] = static_cast<std::uint8_t>(v);
            all.push_back(ByteCrc<n>::of(e));
        }
        e[i] = 0;
    }
    for (unsigned i = 0; i < n; ++i) // the check bytes themselves
        for (std::uint64_t v = 1; v < 256; ++v) all.push_back(v << 8 * i);
    return all;
}

} // namespace

TEST_CASE("the CRC of a flit is the remainder that has the roots alpha to alpha^8, or to alpha^6",
          "[cxl][flit256]") {
    using Field = Galois<0x12b>;
    Rng random(1, "crc");
    std::array<std::uint8_t, 250> word {};
    const auto sum = [&](std::uint32_t size, std::uint32_t root) { // by Horner's rule
        std::uint8_t s = 0;
        for (std::uint32_t i = 0; i < size; ++i) s = Field::times(s, Field::power(root)) ^ word[i];
        return s;
    };
    for (int i = 0; i < 50; ++i) {
        for (std::uint8_t& b : word) b = static_cast<std::uint8_t>(random.next());
        ByteCrc<8>::write({word.data(), 242}, word.data() + 242);
        for (std::uint32_t root = 1; root <= 8; ++root) CHECK(sum(250, root) == 0);
        ByteCrc<6>::write({word.data(), 122}, word.data() + 122);
        for (std::uint32_t root = 1; root <= 6; ++root) CHECK(sum(128, root) == 0);
    }
}

TEST_CASE("the CRC finds every error of one or two bytes", "[cxl][flit256]") {
    const auto all_different = [](std::vector<std::uint64_t> s) {
        std::sort(s.begin(), s.end());
        return s.front() != 0 && std::adjacent_find(s.begin(), s.end()) == s.end();
    };
    CHECK(all_different(syndromes<8>(242)));
    CHECK(all_different(syndromes<6>(122)));
    CHECK(all_different(syndromes<6>(116)));
}

TEST_CASE("the CRC finds as many wrong bytes as it has, and every burst over them",
          "[cxl][flit256]") {
    Rng random(2, "errors");
    for (const bool optimised : {false, true}) {
        const Layout256 layout(optimised);
        const FlitBytes good = random_flit(layout, random);
        const std::uint32_t most = optimised ? 6 : 8, size = optimised ? 128 : 250;
        std::uint64_t missed = 0;
        for (int i = 0; i < 30'000; ++i) {
            FlitBytes b = good;
            const auto errors = static_cast<std::uint32_t>(1 + random.below(most));
            const bool burst = random.below(2);
            const auto begin = random.below(size - most);
            for (std::uint32_t n = 0; n < errors; ++n)
                b[burst ? begin + n : random.below(size)] =
                    static_cast<std::uint8_t>(random.next());
            missed += b != good && layout.passes(b.data());
        }
        CHECK(missed == 0);
        CHECK(passes(layout, good));
    }
}

TEST_CASE("the FEC corrects every wrong bit, byte and burst of up to three bytes",
          "[cxl][flit256]") {
    Rng random(3, "fec");
    for (const bool optimised : {false, true}) {
        const Layout256 layout(optimised);
        const FlitBytes good = random_flit(layout, random);
        FlitBytes b = good;
        CHECK(Fec::correct(b.data()) == Fec::Found::nothing);
        std::uint64_t wrong = 0;
        const auto corrects = [&] {
            wrong += Fec::correct(b.data()) != Fec::Found::corrected || b != good;
            b = good;
        };
        for (std::size_t i = 0; i < b.size(); ++i)
            for (unsigned v = 1; v < 256; ++v) { // all single bits among them
                b[i] ^= static_cast<std::uint8_t>(v);
                corrects();
            }
        for (std::size_t i = 0; i + 3 <= b.size(); ++i)
            for (int n = 0; n < 100; ++n) {
                for (std::size_t j = 0; j < 3; ++j) b[i + j] ^= nonzero(random);
                corrects();
            }
        for (int n = 0; n < 20'000; ++n) { // one in each of two or three ways
            const std::size_t a = random.below(256), c = random.below(256), d = random.below(256);
            b[a] ^= nonzero(random);
            if (c % 3 != a % 3) b[c] ^= nonzero(random);
            if (c % 3 != a % 3 && d % 3 != a % 3 && d % 3 != c % 3) b[d] ^= nonzero(random);
            corrects();
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("the CRC detects wrong corrections of the FEC", "[cxl][flit256]") {
    Rng random(4, "miscorrected");
    for (const bool optimised : {false, true}) {
        const Layout256 layout(optimised);
        const FlitBytes good = random_flit(layout, random);
        std::uint64_t accepted = 0, wrong = 0, unnoticed = 0;
        const auto check = [&](FlitBytes b) {
            if (passes(layout, b)) { // only bytes that no CRC is of may be wrong
                const std::uint32_t fec = optimised ? 244 : 250;
                std::copy_n(good.begin() + fec, 6, b.begin() + fec);
                accepted += b != good;
                return;
            }
            const auto found = Fec::correct(b.data());
            unnoticed += found == Fec::Found::nothing;
            if (found != Fec::Found::corrected) return;
            wrong += b != good;
            accepted += b != good && passes(layout, b);
        };
        // Each pair of places in each way: more than the FEC corrects.
        for (std::size_t i = 0; i < good.size(); ++i)
            for (std::size_t j = i + 3; j < good.size(); j += 3)
                for (int n = 0; n < 4; ++n) {
                    FlitBytes b = good;
                    b[i] ^= nonzero(random), b[j] ^= nonzero(random);
                    check(b);
                }
        CHECK(unnoticed == 0); // two wrong bytes of a way show
        // Five wrong bytes become seven at most, four become six.
        for (int n = 0; n < 50'000; ++n) {
            FlitBytes b = good;
            for (std::uint64_t e = 1 + random.below(optimised ? 4 : 5); e > 0; --e)
                b[random.below(256)] ^= nonzero(random);
            check(b);
        }
        CHECK(wrong > 1000); // it does happen
        CHECK(accepted == 0);
    }
}

} // namespace memsim::flit256_check_test
