"""Figs 15 and 20b and Table III of Ohm-GPU: rings, light, error rates and cost. Nothing is simulated in
time: all of it follows from the layout.

    build/memsim configs/studies/ohm/optics.py
"""

import memsim
from memsim import study
from memsim.systems import ohm

MODES = ("planar", "two-level")
designs = [(mode, platform) for mode in MODES for platform in ("ohm-base", "auto-rw", "ohm-wom", "ohm-bw")]

root = memsim.Root()
root.channel = [ohm.optics.channel(mode, platform) for mode, platform in designs]
memsim.instantiate()
memsim.stats.dump("optics")

of = {design: channel.stats for design, channel in zip(designs, root.channel)}
print(f"{'design':20} rings  received dBm      BER  behind half  memory route  lasers W")
for (mode, platform), s in of.items():
    print(
        f"{platform + ' ' + mode:20} {s.rings:5.0f}  {s.received:12.3f} {s.ber:8.1e} "
        f"{s.ber_snarfed:12.1e} {s.ber_swap:13.1e} {s.laser_power / 1000:9.2f}"
    )

optics = study.Study("ohm", "optics")
general = of["planar", "ohm-base"].general_rings
optics.claim("ohm-33", of["planar", "ohm-base"].ber)
optics.claim("ohm-34", of["two-level", "ohm-wom"].ber_snarfed)
optics.claim("ohm-35", of["planar", "ohm-wom"].ber_swap)
optics.claim("ohm-36", of["planar", "ohm-bw"].worst_ber)
optics.claim("ohm-37", of["planar", "ohm-bw"].rings / general)
optics.claim("ohm-38", of["two-level", "ohm-bw"].rings / general)

# Table III: of each wavelength of a virtual channel, what the layout has for its controller and devices.
DEVICES = {"planar": (2, 2), "two-level": (1, 2)}  # DRAMs and XPoints of a controller (Table III)


def rings(platform, mode):
    """Modulators and detectors of all virtual channels."""
    s = of[mode, platform]
    drams, xpoints = DEVICES[mode]
    wavelengths = 96
    return wavelengths * (s.controller_rings + drams * s.dram_rings + xpoints * s.xpoint_rings)


optics.claim("ohm-39", rings("ohm-base", "planar"))
optics.claim("ohm-40", rings("ohm-base", "two-level"))
optics.claim("ohm-41", rings("ohm-bw", "planar"))
optics.claim("ohm-42", rings("ohm-bw", "two-level"))
optics.claim("ohm-45", ohm.cost.share_of_gpu("ohm-bw", "planar"))
optics.claim("ohm-46", ohm.cost.share_of_gpu("ohm-bw", "two-level"))
optics.claim("ohm-50", sum(rings("ohm-bw", mode) for mode in MODES) / sum(rings("ohm-base", mode) for mode in MODES))
optics.close()
