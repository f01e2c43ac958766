#pragma once

#include "core/base/units.hh"

/// Power of light along a route and what a receiver makes of it. Floating point: the figures are
/// shown, nothing in a run hangs on them.
namespace memsim::optical {

/// What a bit 1 and a bit 0 leave of the light at some place, as shares of what enters there.
struct Eye {
    double one = 1;
    double zero = 0;

    double opening() const { return one - zero; }
};

/// A transmitter's ring on light `in`: a 0 is absorbed whole, or, half coupled, to a half. What the
/// light carried before remains in it as a factor; `in` is the least strength that it may have.
constexpr Eye modulated(double in, bool half_coupled) { return {in, half_coupled ? in / 2 : 0}; }

/// A half-coupled receiver takes one half of the light and lets the other pass.
constexpr Eye half_of(Eye e) { return {e.one / 2, e.zero / 2}; }

double milliwatts(Power p);
double dbm(double milliwatts);
/// What a loss leaves of it.
double attenuated(double milliwatts, Decibel loss);

/// Bit-error rate of a receiver whose noise does not hang on the light (thermal): Q is the opening
/// of the eye over the noise of both levels, BER = erfc(Q / sqrt 2) / 2.
double q_factor(double opening_milliwatts, double noise_milliwatts);
double bit_error_rate(double q);

} // namespace memsim::optical
