"""Fig. 19 of Ohm-GPU: where the energy of the memory goes (memsim.systems.ohm.energy).

    build/memsim configs/studies/ohm/fig19.py [--scale small] [--workloads betw FDTD]
"""

import itertools

from memsim.systems import ohm

DUAL = "ohm-base", "auto-rw", "ohm-wom", "ohm-bw"

fig = ohm.points.Points("fig19", ohm.points.arguments(__doc__))
for mode in ohm.points.MODES:
    fig.add(mode, "hetero", *DUAL)
fig.run()
parts = ["static_energy", "dynamic_energy", "xpoint_energy", "wires_energy", "energy", "total_by_power"]
for mode in ohm.points.MODES:
    mean = fig.frame.loc[mode].groupby("platform", sort=False)[parts].mean() * 1e6
    print(f"{mode}, uJ a workload and slice, on average\n{mean.to_string(float_format='%.1f')}")

fig.judge("ohm-26", "ohm-27", "ohm-28", "ohm-29", "ohm-30")
# All are to be equal: the ratio that is furthest from 1.
if fig.has(ohm.points.MODES, *DUAL):

    def furthest():
        ratios = [
            fig.ratio("dynamic_and_xpoint", mode, a, b)
            for mode in ohm.points.MODES
            for a, b in itertools.permutations(DUAL, 2)
        ]
        return max(ratios, key=lambda r: abs(r - 1))

    fig.claim("ohm-54", fig.over_seeds(furthest))
else:
    fig.not_modelled("ohm-54")
fig.close()
