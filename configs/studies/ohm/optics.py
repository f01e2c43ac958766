"""Figs 15 and 20b and Table III of Ohm-GPU: rings, light, error rates and cost. Nothing is simulated in
time: all of it follows from the layout.

    build/memsim configs/studies/ohm/optics.py
"""

import memsim
from memsim import optical, study
from memsim.systems import ohm_cost

DESIGNS = {  # what a platform has besides the plain routes (Ohm-GPU VI)
    "ohm-base": {},
    "auto-rw": dict(auto_rw=True, laser_factor=2),
    "ohm-wom planar": dict(swap=True, coding="wom", laser_factor=2),
    "ohm-wom two-level": dict(auto_rw=True, reverse_write=True, laser_factor=2),
    "ohm-bw planar": dict(swap=True, coding="half_coupled", laser_factor=4),
    "ohm-bw two-level": dict(auto_rw=True, reverse_write=True, laser_factor=4),
}

root = memsim.Root()
root.channel = [optical.Channel(**design) for design in DESIGNS.values()]
memsim.instantiate()
memsim.stats.dump("optics")

of = {name: channel.stats for name, channel in zip(DESIGNS, root.channel)}
print(f"{'design':20} rings  received dBm      BER  behind half  memory route  lasers W")
for name, s in of.items():
    print(f"{name:20} {s.rings:5.0f}  {s.received:12.3f} {s.ber:8.1e} {s.ber_snarfed:12.1e} "
          f"{s.ber_swap:13.1e} {s.laser_power / 1000:9.2f}")

optics = study.Study("ohm", "optics")
general = of["ohm-base"].general_rings
optics.claim("ohm-33", of["ohm-base"].ber)
optics.claim("ohm-34", of["ohm-wom two-level"].ber_snarfed)
optics.claim("ohm-35", of["ohm-wom planar"].ber_swap)
optics.claim("ohm-36", of["ohm-bw planar"].worst_ber)
optics.claim("ohm-37", of["ohm-bw planar"].rings / general)
optics.claim("ohm-38", of["ohm-bw two-level"].rings / general)

# Table III: of each wavelength of a virtual channel, what the layout has for its controller and devices.
DEVICES = {"planar": (2, 2), "two-level": (1, 2)}  # DRAMs and XPoints of a controller (Table III)


def rings(design, mode):
    """Modulators and detectors of all virtual channels."""
    channel = root.channel[list(DESIGNS).index(design)]
    drams, xpoints = DEVICES[mode]
    wavelengths = 96
    return wavelengths * (channel.stats.controller_rings + drams * channel.stats.dram_rings +
                          xpoints * channel.stats.xpoint_rings)


optics.claim("ohm-39", rings("ohm-base", "planar"))
optics.claim("ohm-40", rings("ohm-base", "two-level"))
optics.claim("ohm-41", rings("ohm-bw planar", "planar"))
optics.claim("ohm-42", rings("ohm-bw two-level", "two-level"))
optics.claim("ohm-45", ohm_cost.share_of_gpu("ohm-bw", "planar"))
optics.claim("ohm-46", ohm_cost.share_of_gpu("ohm-bw", "two-level"))
optics.claim("ohm-50", (rings("ohm-bw planar", "planar") + rings("ohm-bw two-level", "two-level")) /
             (rings("ohm-base", "planar") + rings("ohm-base", "two-level")))
optics.close()
