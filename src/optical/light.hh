#pragma once

#include "core/base/units.hh"

/// The power of light along a route and at a receiver. Floating point: the values are only reported
/// and do not affect a run.
namespace memsim::optical {

/// The light of a bit 1 and of a bit 0 at some place, as shares of the input.
struct Eye {
    double one = 1;
    double zero = 0;

    double opening() const { return one - zero; }
};

/// A transmitter's ring on light `in`: a 0 is absorbed completely or, half coupled, to a half. The
/// earlier modulation of the light remains as a factor; `in` is its minimum.
constexpr Eye modulated(double in, bool half_coupled) { return {in, half_coupled ? in / 2 : 0}; }

/// A half-coupled receiver takes half of the light and passes the rest.
constexpr Eye half_of(Eye e) { return {e.one / 2, e.zero / 2}; }

double milliwatts(Power p);
double dbm(double milliwatts);
/// The power after a loss.
double attenuated(double milliwatts, Decibel loss);

/// Bit-error rate of a receiver whose noise is independent of the light (thermal): Q is the eye
/// opening over the noise of both levels, BER = erfc(Q / sqrt 2) / 2.
double q_factor(double opening_milliwatts, double noise_milliwatts);
double bit_error_rate(double q);

} // namespace memsim::optical
