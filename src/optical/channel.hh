#pragma once

#include "core/kernel/component.hh"
#include "optical/light.hh"
#include "optical/ring_layout.hh"

namespace memsim::optical {

using namespace memsim::literals;

/// How the data route leaves light for the memory route of a swap (Ohm-GPU V-B).
enum class Coding : std::uint8_t {
    none, ///< one sender per light: no memory route
    wom,  ///< two bits in three pulses, see wom_code.hh: 2/3 of the rate while a swap shares it
    half_coupled ///< a 0 keeps half of the light: full rate, but again twice the laser power
};
constexpr std::array<std::string_view, 3> names_of(Coding) {
    return {"none", "wom", "half_coupled"};
}

/// The optics of all virtual channels: VCSELs feed wavelengths into waveguides (DWDM), each virtual
/// channel has a fixed share of the wavelengths, and ring resonators modulate and detect.
///
/// Models        The optics have no events in a run. The power budget is checked before time 0;
///               rates, powers, error rates and ring counts are reported as results. The controller
///               models the time of a transfer, with rate(). The loss of a route includes splitter,
///               waveguide, the sender's modulator, passed rings, and the receiver's filter and
///               detector (Table I). On a memory route the light already carries the data route's
///               pulses, and each half-coupled receiver on the way has taken half of it.
/// Not modelled  Crosstalk between wavelengths, temperature, nonlinear loss, dispersion.
class Channel final : public StaticModel<Channel> {
  public:
    struct Params {
        Param<unsigned> wavelengths {
            96, {1, 4096}, "Wavelengths of a waveguide", stated("Ohm-GPU table I: 96 bits")};
        Param<unsigned> waveguides {
            1, {1, 64}, "Parallel waveguides", stated("Ohm-GPU fig. 20a: 1 to 8")};
        Param<unsigned> virtual_channels {6,
                                          {1, 4096},
                                          "Shares of the wavelengths, one per memory controller",
                                          stated("Ohm-GPU table I: 6")};
        Param<Frequency> bit_rate {30_GHz,
                                   {1_MHz, 1000_GHz},
                                   "Pulse rate of a wavelength",
                                   stated("Ohm-GPU table I: 30 GHz")};
        Param<bool> auto_rw {false, "Include rings for auto-read/write", stated("Ohm-GPU IV-B")};
        Param<bool> swap {false, "Include rings for the swap function", stated("Ohm-GPU IV-B")};
        Param<bool> reverse_write {false, "Include rings for reverse-write",
                                   stated("Ohm-GPU IV-B")};
        Param<Coding> coding {Coding::none, "How a swap shares the light of the data route",
                              switched_off()};
        Param<Power> laser {Power {730'000},
                            {1_uW, Power {1'000'000'000}},
                            "Laser power of a wavelength",
                            stated("Ohm-GPU VI: 0.73 mW")};
        Param<unsigned> laser_factor {1,
                                      {1, 64},
                                      "Factor on the laser power",
                                      stated("Ohm-GPU VI: 1, auto-rw 2, WOM 2, half coupled 4")};
        Param<Fraction> wall_plug {10_pct,
                                   {Fraction {1}, 100_pct},
                                   "Light per electric power",
                                   assumed("VCSELs; range 5 to 30 %")};
        Param<Length> length {10_cm,
                              {1_um, Length {100'000'000}},
                              "Length of the waveguide from laser to receiver",
                              assumed("a board's memory channel; range 5 to 20 cm")};
        Param<Decibel> waveguide_loss {
            0.3_dB, {0_dB, 100_dB}, "Loss of the waveguide per cm", stated("Ohm-GPU table I")};
        Param<Decibel> splitter_loss {
            0.2_dB, {0_dB, 100_dB}, "Loss of one splitter", stated("Ohm-GPU table I")};
        Param<Decibel> modulator_loss {1_dB,
                                       {0_dB, 100_dB},
                                       "Loss of the sender",
                                       stated("Ohm-GPU table I: 0 to 1 dB; the worst")};
        Param<Decibel> filter_loss {
            1.5_dB, {0_dB, 100_dB}, "Loss of the filter drop", stated("Ohm-GPU table I")};
        Param<Decibel> detector_loss {
            0.1_dB, {0_dB, 100_dB}, "Loss of the receiver", stated("Ohm-GPU table I")};
        Param<Decibel> ring_loss {0.01_dB,
                                  {0_dB, 10_dB},
                                  "Loss of each ring passed without use",
                                  assumed("no source gives it; range 0-0.05")};
        Param<Power> noise {
            Power {12'000},
            {Power {1}, 1_mW},
            "Noise of the receiver, as light. The only calibrated constant: the plain route has "
            "the bit-error rate of Ohm-GPU fig. 20b, 7.2e-16 (Q = 7.98)",
            inferred("Ohm-GPU fig. 20b: a bit-error rate of 7.2e-16")};
        Param<Decibel> sensitivity {
            Decibel {-8'000},
            {Decibel {-60'000}, 30_dB},
            "Minimum eye opening at a receiver, in dB over 1 mW",
            assumed(
                "Q = 6.6, 2e-11; 0.8 dB below the plain route, so that designs that miss 1e-15 by "
                "hundredths of a dB still run, and designs that are wrong by a factor do not")};
        Param<Energy> tuning {200_fJ,
                              {0_fJ, 1_nJ},
                              "Energy to tune rings for a bit",
                              stated("Ohm-GPU table I: 200 fJ/bit")};
    };
    struct Stats {
        Figure rate {Unit::byte_per_second, "Bandwidth of a virtual channel's data route"};
        Figure shared_rate {Unit::byte_per_second, "Bandwidth of a virtual channel's data route "
                                                   "while a swap's memory route shares its light"};
        Figure laser_light {Unit::milliwatt, "Light of all lasers"};
        Figure laser_power {Unit::milliwatt, "Electric power of all lasers"};
        Figure tuning_power {Unit::milliwatt,
                             "Power to tune the rings of all virtual channels at their full rate"};
        Figure received {Unit::dbm, "Eye opening at the end of the plain route"};
        Figure received_snarfed {Unit::dbm, "Eye opening behind a half-coupled receiver"};
        Figure received_swap {Unit::dbm,
                              "Eye opening of the memory route on the data route's light"};
        Figure ber {Unit::ratio, "Bit-error rate of the plain route"};
        Figure ber_snarfed {Unit::ratio, "Bit-error rate behind a half-coupled receiver"};
        Figure ber_swap {Unit::ratio, "Bit-error rate of the memory route"};
        Figure worst_ber {Unit::ratio, "The highest bit-error rate of this design's routes"};
        Figure rings {Unit::count,
                      "Rings of a wavelength for one DRAM, one XPoint and the controller"};
        Figure controller_rings {Unit::count, "Rings of a wavelength at the memory controller"};
        Figure dram_rings {Unit::count, "Rings of a wavelength at the DRAM"};
        Figure xpoint_rings {Unit::count, "Rings of a wavelength at the XPoint"};
        Figure general_rings {Unit::count,
                              "Rings of a wavelength in the general design (Fig. 15a)"};
    };

    explicit Channel(const Params& p) : params(p) {}
    void init() override;

    const Params params;
    Stats stat;

  private:
    std::uint8_t functions() const;
    /// Light of a bit 1, in mW, at the end of a route that passes this number of rings.
    double arriving(unsigned rings) const;
    void judge(Figure& received, Figure& ber, double opening, const char* route);
};

} // namespace memsim::optical
