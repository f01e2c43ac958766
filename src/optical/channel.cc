#include "optical/channel.hh"

#include "core/kernel/registry.hh"

#include <algorithm>
#include <cstdio>

namespace memsim::optical {

static const Registration<Channel> channel {
    "Wavelengths, virtual channels, rings and light of an optical memory channel."};

std::uint8_t Channel::functions() const {
    return static_cast<std::uint8_t>(plain | (params.auto_rw() ? auto_rw : 0) |
                                     (params.swap() ? swap : 0) |
                                     (params.reverse_write() ? reverse_write : 0));
}

double Channel::arriving(unsigned rings) const {
    const Decibel loss =
        params.splitter_loss() + params.modulator_loss() + params.filter_loss() +
        params.detector_loss() + params.ring_loss() * rings +
        Decibel {params.waveguide_loss->raw * params.length->raw / Length(1_cm).raw};
    return attenuated(milliwatts(params.laser()) * params.laser_factor(), loss);
}

void Channel::judge(Figure& received, Figure& ber, double opening, const char* route) {
    received.set(dbm(opening));
    ber.set(bit_error_rate(q_factor(opening, milliwatts(params.noise()))));
    stat.worst_ber.set(std::max(stat.worst_ber.value(), ber.value()));
    const double missing = static_cast<double>(params.sensitivity->raw) / 1000 - dbm(opening);
    if (missing <= 0) return;
    char text[32];
    std::snprintf(text, sizeof text, "%.2f dB", missing);
    refuse("laser", std::string("the light of the ") + route + " arrives " + text +
                        " below the receiver's sensitivity of " +
                        Text<Decibel>::show(params.sensitivity()) +
                        ": raise laser or laser_factor, or shorten the channel");
}

void Channel::init() {
    const unsigned lit = params.wavelengths() * params.waveguides();
    if (lit % params.virtual_channels() != 0)
        refuse("virtual_channels",
               "there are " + std::to_string(params.virtual_channels()) + " virtual channels for " +
                   std::to_string(lit) +
                   " wavelengths: each channel needs an equal number, at least one");
    const bool shares = params.coding() != Coding::none;
    if (shares != params.swap())
        refuse("coding", shares ? "a swap would share the light, but no rings for a swap are "
                                  "included: set swap, or set coding to none"
                                : "is none, but rings for a swap are included: a swap needs wom or "
                                  "half_coupled to share the data route's light");
    const double rate =
        static_cast<double>(params.bit_rate->raw) / 8 * lit / params.virtual_channels();
    stat.rate.set(rate);
    stat.shared_rate.set(params.coding() == Coding::wom ? rate * 2 / 3 : rate);
    const double light = milliwatts(params.laser()) * params.laser_factor() * lit;
    stat.laser_light.set(light);
    stat.laser_power.set(light * 1e9 / static_cast<double>(params.wall_plug->raw));
    stat.tuning_power.set(static_cast<double>(params.tuning->raw) * 1e-15 * 1e3 *
                          static_cast<double>(params.bit_rate->raw) * lit);
    stat.rings.set(rings_of(functions()));
    stat.controller_rings.set(rings_at(Endpoint::controller, functions()));
    stat.dram_rings.set(rings_at(Endpoint::dram, functions()));
    stat.xpoint_rings.set(rings_at(Endpoint::xpoint, functions()));
    stat.general_rings.set(static_cast<double>(general_layout().size()));

    const auto passed = [&](Path p, Endpoint from, Endpoint to) {
        return rings_passed(functions(), p, from, to);
    };
    const unsigned plain_rings = passed(Path::forward, Endpoint::controller, Endpoint::xpoint);
    // In a design with snarfing receivers the plain route, too, follows one that takes half of the
    // light.
    const bool snarfs = params.auto_rw() || params.reverse_write() || params.swap();
    const Eye plain_eye = modulated(1, params.coding() == Coding::half_coupled);
    const double arrives = arriving(plain_rings);
    if (!snarfs) {
        judge(stat.received, stat.ber, arrives * plain_eye.opening(), "data route");
        return;
    }
    const Eye snarfed = half_of(plain_eye);
    judge(stat.received, stat.ber, arrives * snarfed.opening(), "data route");
    judge(stat.received_snarfed, stat.ber_snarfed,
          arriving(passed(Path::backward, Endpoint::controller, Endpoint::xpoint)) *
              half_of(modulated(1, false)).opening(),
          "snarfed route");
    if (!params.swap()) return;
    // The memory route modulates the remainder of the data route's weakest pulse: a lit pulse of
    // WOM behind a half-coupled receiver, or the half of a half that a half-coupled 0 leaves.
    const double left = params.coding() == Coding::half_coupled ? snarfed.zero : snarfed.one;
    judge(stat.received_swap, stat.ber_swap,
          arriving(passed(Path::forward, Endpoint::dram, Endpoint::xpoint)) *
              modulated(left, false).opening(),
          "memory route");
}

} // namespace memsim::optical
