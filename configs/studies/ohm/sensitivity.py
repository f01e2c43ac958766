"""Which claims of Ohm-GPU hang on which assumption: each over its bracket, the others as they are.

    build/memsim configs/studies/ohm/sensitivity.py [--scale small] [--workloads betw FDTD] [--only psi]

The assumptions and their brackets: docs/models/ohm.md. A claim is listed when its figure moves by more
than 5 %, with the verdict that it would then have.
"""

from memsim.systems import ohm_assumptions, ohm_points

DUAL = "hetero", "ohm-base", "auto-rw", "ohm-wom", "ohm-bw"

args = ohm_assumptions.arguments(__doc__)
fig = ohm_points.Points("sensitivity", args)
for mode in ohm_points.MODES:
    fig.add(mode, "origin", *DUAL, "oracle")
    fig.add(mode, "ohm-base", arguments=["--migration-channel", "dedicated"], variant=" dedicated")
for a in ohm_assumptions.chosen(args.only):
    for mode in ohm_points.MODES:
        fig.add(mode, *(p for p in a.platforms if a.applies(mode, p)), arguments=a.arguments,
                options=a.options, variant=a.variant)
fig.run()

fig.show_moved(ohm_points.CLAIMS, [a.variant for a in ohm_assumptions.chosen(args.only)])
fig.close()
