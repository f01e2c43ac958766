"""Which claims of ZnG hang on which assumption: each over its bracket, the others as they are.

    build/memsim configs/studies/zng/sensitivity.py [--scale small] [--workloads betw-back] [--only firmware]

The assumptions and their brackets: docs/models/zng.md. A claim is listed when its figure moves by more
than 5 %, with the verdict that it would then have.
"""

from memsim.systems import zng

args = zng.assumptions.arguments(__doc__)
fig = zng.points.Points("sensitivity", args)
swept = zng.assumptions.chosen(args.only)
fig.add(*zng.assumptions.EVERY)
for a in swept:
    fig.add(*a.platforms, arguments=a.arguments, options=a.options, variant=a.variant)
fig.run()

fig.show_moved(zng.points.CLAIMS, [a.variant for a in swept])
fig.close()
