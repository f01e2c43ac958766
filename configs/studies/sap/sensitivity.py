"""SAP's hit ratio and effective access time under each assumption alone.

    build/memsim configs/studies/sap/sensitivity.py [--scale small] [--only period lookahead] [--size 1]
"""

from memsim.systems import sap

args = sap.points.arguments(
    __doc__,
    more=lambda parser: (
        parser.add_argument("--only", nargs="+", default=sap.assumptions.NAMES, metavar="NAME", help="assumptions"),
        parser.add_argument("--size", type=int, default=1, choices=sap.points.sizes(), help="MiB of DRAM"),
    ),
)
fig = sap.points.Points("sensitivity", args, ("fifo", "lru", "sap"))
fig.add()
chosen = sap.assumptions.chosen(args.only)
for a in chosen:
    fig.add(arguments=a.arguments, options=a.options, name=a.variant)
fig.run()
print(
    f"at {args.size} MiB, means of {len(args.workloads)} workloads\n"
    f"{'assumption':28}{'hits, LRU':>12}{'hits, SAP':>12}{'time, SAP / LRU':>18}{'useless':>10}"
)
for variant in ("", *(a.variant for a in chosen)):
    mean = fig.frame.loc[variant].xs(args.size, level="mib")
    lru, ours = mean.xs("lru", level="policy"), mean.xs("sap", level="policy")
    print(
        f"{variant.strip() or 'none':28}{lru.hit_ratio.mean():12.4f}{ours.hit_ratio.mean():12.4f}"
        f"{(ours.once / lru.once).mean():18.3f}{ours.useless.mean():10.3f}"
    )
fig.close()
