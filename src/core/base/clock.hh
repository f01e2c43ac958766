#pragma once

#include "core/base/units.hh"

#include <algorithm>
#include <limits>

namespace memsim {

/// One edge of a clock of f hertz: edge n lies at ceil(n x 10^15 / f), exactly, however long the
/// run. A plain value for State, advanced by additions.
struct ClockEdge {
    std::int64_t cycle = 0;
    Tick tick = 0;
    std::int64_t remainder = 0; ///< tick x f - cycle x 10^15, in [0, f)
};

/// A clock with an exact rational period. 30 GHz rounded to a femtosecond would drift by 300 cycles
/// per millisecond.
class Clock {
  public:
    explicit constexpr Clock(Frequency f)
        : f_(f.raw), whole_(ticks_per_second / f.raw), part_(ticks_per_second % f.raw),
          inverse_(~std::uint64_t {0} / static_cast<std::uint64_t>(f.raw)),
          near_(std::numeric_limits<std::int64_t>::max() / f.raw - 1) {}

    /// The edge after e.
    constexpr ClockEdge next(ClockEdge e) const {
        ++e.cycle;
        e.tick += whole_;
        e.remainder -= part_;
        if (e.remainder < 0) {
            ++e.tick;
            e.remainder += f_;
        }
        return e;
    }
    /// Edge n.
    constexpr ClockEdge edge(std::int64_t n) const {
        const Int128 exact = Int128 {n} * ticks_per_second;
        const Tick tick = static_cast<Tick>((exact + f_ - 1) / f_);
        return {n, tick, static_cast<std::int64_t>(Int128 {tick} * f_ - exact)};
    }
    constexpr bool has(const ClockEdge& e) const {
        const ClockEdge same = edge(e.cycle);
        return e.tick == same.tick && e.remainder == same.remainder;
    }
    /// The first edge at or after t.
    constexpr ClockEdge at_or_after(Tick t) const {
        if (t <= 0) return {};
        return edge(static_cast<std::int64_t>(Int128 {t - 1} * f_ / ticks_per_second) + 1);
    }
    /// The same, starting from an edge: faster if that edge is at most 9000 cycles before t.
    constexpr ClockEdge at_or_after(ClockEdge from, Tick t) const {
        const Tick ahead = t - from.tick;
        if (ahead <= 0) return from;
        if (ahead > near_) return at_or_after(t);
        return advance(from, ((ahead - 1) * f_ + from.remainder) / ticks_per_second + 1);
    }
    /// n cycles later; n is at most 2^28.
    constexpr ClockEdge advance(ClockEdge e, std::int64_t n) const {
        // In 64 bits while n x part_ fits: part_ is below f, at most 2^35 for 30 GHz.
        const std::int64_t late = n * part_ - e.remainder;
        const std::int64_t carried = quotient(late + f_ - 1);
        return {e.cycle + n, e.tick + n * whole_ + carried, carried * f_ - late};
    }
    /// Ticks between neighbouring edges, rounded down.
    constexpr Tick whole() const { return whole_; }
    /// The time of n cycles, rounded up.
    constexpr Tick cycles(std::int64_t n) const { return edge(n).tick; }

  private:
    /// x / f for x >= 0: a multiplication and a correction.
    constexpr std::int64_t quotient(std::int64_t x) const {
        const auto q = static_cast<std::int64_t>(
            static_cast<Uint128>(static_cast<std::uint64_t>(x)) * inverse_ >> 64);
        return q + (x - q * f_ >= f_);
    }
    std::int64_t f_, whole_, part_;
    std::uint64_t inverse_; ///< 2^64 / f
    Tick near_;             ///< a time whose product with f fits in 64 bits
};

/// Finds the edges at or after times that mostly rise. It caches its last result to find the next
/// one cheaply. Results do not depend on the cache, so it is not State.
class EdgeFinder {
  public:
    EdgeFinder() : clock_(Frequency {1}) {}
    explicit EdgeFinder(Frequency f) : clock_(f) {}
    const Clock& clock() const { return clock_; }

    const ClockEdge& at_or_after(Tick t) {
        if (t > last_.tick)
            last_ = clock_.at_or_after(last_, t);
        else if (last_.tick - t >= clock_.whole()) // otherwise it is the same edge
            last_ = clock_.at_or_after(t);
        return last_;
    }

  private:
    Clock clock_;
    ClockEdge last_;
};

/// The exact time that bytes take at a rate: the fraction of a femtosecond is carried from transfer
/// to transfer. Sizes repeat, so the last division is cached.
class WireTime {
  public:
    explicit WireTime(Rate rate = {0}) : rate_(rate.raw) {}
    std::int64_t rate() const { return rate_; }
    /// `remainder`, in [0, rate), is the fraction left by the previous transfer; it is updated.
    Tick take(std::uint32_t bytes, std::int64_t& remainder) {
        if (bytes != bytes_) divide(bytes);
        Tick time = whole_;
        for (remainder += part_; remainder >= rate_; remainder -= rate_) ++time;
        return time;
    }
    /// Occupies a serial wire from `start` on, which is not before `free_at`, and returns when the
    /// last byte has left. The fraction is carried only between back-to-back transfers.
    Tick occupy(Tick start, std::uint32_t bytes, Tick& free_at, std::int64_t& remainder) {
        if (start != free_at) remainder = 0;
        return free_at = start + take(bytes, remainder);
    }

  private:
    [[gnu::noinline]] void divide(std::uint32_t bytes) {
        bytes_ = bytes;
        if (bytes <= 18'000) { // fits in 64 bits, which are divided faster
            const auto work = std::uint64_t {bytes} * std::uint64_t {ticks_per_second};
            whole_ = static_cast<Tick>(work / static_cast<std::uint64_t>(rate_));
            part_ = static_cast<std::int64_t>(work % static_cast<std::uint64_t>(rate_));
        } else {
            const auto work = static_cast<Uint128>(bytes) * ticks_per_second;
            whole_ = static_cast<Tick>(work / static_cast<Uint128>(rate_));
            part_ = static_cast<std::int64_t>(work % static_cast<Uint128>(rate_));
        }
    }
    std::int64_t rate_;
    std::uint32_t bytes_ = 0;
    Tick whole_ = 0;
    std::int64_t part_ = 0; ///< bytes x 10^15 - whole x rate
};

/// A wire that carries one transfer after another. A value for State.
struct SerialWire {
    Tick free_at = 0;           ///< when the last transfer ends
    std::int64_t remainder = 0; ///< of bytes / rate

    /// Returns when these bytes have been transferred, after all earlier ones.
    Tick transfer(WireTime& rate, std::uint32_t bytes, Tick now) {
        return rate.occupy(std::max(now, free_at), bytes, free_at, remainder);
    }
};

} // namespace memsim
