#include "optical/light.hh"

#include <cmath>

namespace memsim::optical {

double milliwatts(Power p) { return static_cast<double>(p.raw) * 1e-6; }
double dbm(double milliwatts) { return 10 * std::log10(milliwatts); }
double attenuated(double milliwatts, Decibel loss) {
    return milliwatts * std::pow(10.0, -static_cast<double>(loss.raw) * 1e-4);
}
double q_factor(double opening_milliwatts, double noise_milliwatts) {
    return opening_milliwatts / (2 * noise_milliwatts);
}
double bit_error_rate(double q) { return std::erfc(q / std::sqrt(2.0)) / 2; }

} // namespace memsim::optical
