"""Which claims of Ohm-GPU hang on which assumption: each over its bracket, the others as they are.

    build/memsim configs/studies/ohm/sensitivity.py [--scale small] [--workloads betw FDTD] [--only psi]

The assumptions and their brackets: docs/models/ohm.md. A claim is listed when its figure moves by more
than 5 %, with the verdict that it would then have.
"""

from memsim.systems import ohm

DUAL = "hetero", "ohm-base", "auto-rw", "ohm-wom", "ohm-bw"

args = ohm.assumptions.arguments(__doc__)
fig = ohm.points.Points("sensitivity", args)
for mode in ohm.points.MODES:
    fig.add(mode, "origin", *DUAL, "oracle")
    fig.add(mode, "ohm-base", arguments=["--migration-channel", "dedicated"], variant=" dedicated")
for a in ohm.assumptions.chosen(args.only):
    for mode in ohm.points.MODES:
        fig.add(
            mode,
            *(p for p in a.platforms if a.applies(mode, p)),
            arguments=a.arguments,
            options=a.options,
            variant=a.variant,
        )
fig.run()

fig.show_moved(ohm.points.CLAIMS, [a.variant for a in ohm.assumptions.chosen(args.only)])
fig.close()
