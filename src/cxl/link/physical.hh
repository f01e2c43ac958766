#pragma once

#include "core/base/error.hh"
#include "core/base/rng.hh"
#include "core/base/units.hh"

#include <algorithm>
#include <span>
#include <vector>

/// The wires of the Flex Bus physical layer: rate of the lanes, overhead of SKP ordered sets, and
/// bit errors.
namespace memsim::cxl {

/// Bytes per second of one direction. Without the bypass of sync headers each block of 128 bits
/// takes 130. At 64 GT/s there are no such blocks (1b/1b encoding of PCI Express 6.0; the standard
/// was not looked up).
inline Rate lanes_rate(unsigned generation, unsigned lanes, bool bypass) {
    const std::int64_t transfers = std::int64_t {1'000'000'000} << generation; // 3: 8 GT/s, 6: 64
    const std::int64_t bytes = transfers * lanes / 8;
    return {bypass ? bytes : bytes / 130 * 128 + bytes % 130 * 128 / 130};
}

/// SKP ordered sets: a block of 16 bytes on each lane, after every `blocks` blocks, regardless of
/// the traffic. They are sent between flits; sets that find the wires idle have no effect.
struct SkipClock {
    Tick next = 0; ///< when the next one is due

    /// The time, in bytes, that a flit leaving now must wait for an ordered set.
    std::uint32_t wait(Tick now, Tick wires_free, Tick interval, Tick takes, std::uint32_t bytes) {
        if (now < next) return 0;
        const Tick since = (now - next) / interval * interval + next;
        next = since + interval;
        const Tick ends = std::max(since, wires_free) + takes;
        if (ends <= now) return 0;
        const Tick left = std::min(ends - now, takes);
        return static_cast<std::uint32_t>((left * bytes + takes - 1) / takes);
    }
};

/// Flips each bit independently with a fixed probability. The position of the next flipped bit is
/// drawn from its distribution, with one draw per flit without an error.
class BitErrors {
  public:
    static constexpr std::uint64_t unit =
        1'000'000'000'000'000; ///< `rate` counts errors in these bits
    BitErrors() = default;
    /// `bits`: maximum number of bits per call of flip().
    BitErrors(std::uint64_t rate, std::uint32_t bits) {
        if (rate == 0) return;
        // 2^64 (1 - p)^n, rounded down at each step
        std::uint64_t none = ~std::uint64_t {0};
        for (std::uint32_t n = 0; n < bits; ++n) {
            none -= static_cast<std::uint64_t>(static_cast<Uint128>(none) * rate / unit);
            hit_.push_back(~none);
        }
    }
    /// Returns true if any bit was flipped.
    bool flip(std::span<std::uint8_t> bytes, Rng& random) const {
        if (hit_.empty()) return false;
        bool flipped = false;
        const auto bits = static_cast<std::uint32_t>(8 * bytes.size());
        MEMSIM_ASSERT(bits <= hit_.size(), "more bits are transferred at once than configured");
        for (std::uint32_t at = 0; at < bits; ++at) {
            const std::uint64_t draw = random.next();
            const std::uint32_t left = bits - at;
            if (draw >= hit_[left - 1]) break;
            at += static_cast<std::uint32_t>(
                std::upper_bound(hit_.begin(), hit_.begin() + left, draw) - hit_.begin());
            bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] ^ 1u << at % 8);
            flipped = true;
        }
        return flipped;
    }

  private:
    std::vector<std::uint64_t> hit_; ///< [n]: one of the first n + 1 bits is flipped
};

} // namespace memsim::cxl
