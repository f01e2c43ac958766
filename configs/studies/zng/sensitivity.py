"""Which claims of ZnG hang on which assumption: each over its bracket, the others as they are.

    build/memsim configs/studies/zng/sensitivity.py [--scale small] [--workloads betw-back] [--only firmware]

The assumptions and their brackets: docs/models/zng.md. A claim is listed when its figure moves by more
than 5 %, with the verdict that it would then have.
"""

from memsim import study
from memsim.systems import zng_assumptions, zng_points

MOVES = 0.05

args = zng_assumptions.arguments(__doc__)
fig = zng_points.Points("sensitivity", args)
swept = zng_assumptions.chosen(args.only)
fig.add(*(p for p in zng_assumptions.EVERY if p != "znand"))
for a in swept:
    fig.add(*(p for p in a.platforms if p != "znand"), arguments=a.arguments, options=a.options,
            variant=a.variant)
fig.run()

claims = study.claims("zng")
default = {id: fig.measured(id) for id in zng_points.CLAIMS}
print(f"{'assumption':34} claims that it moves: paper, default -> here")
for variant in dict.fromkeys(a.variant for a in swept):
    moved = []
    for id, before in default.items():
        after = before and fig.measured(id, variant)
        if before and abs(after / before - 1) > MOVES:
            moved.append(f"{id} {claims[id].expected:.3g}: {before:.3g} -> {after:.3g} "
                         f"({claims[id].verdict(after)})")
    print(f"{variant.strip():34} " + ("; ".join(moved) or "none"))
fig.close()
