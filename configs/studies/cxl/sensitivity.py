"""What speculative reads and deterministic stores gain under each assumption alone.

    build/memsim configs/studies/cxl/sensitivity.py [--scale small] [--only "what a miss brings"]
"""

from memsim.systems import cxl_gpu

args = cxl_gpu.points.arguments(
    __doc__,
    more=lambda parser: (
        parser.add_argument("--only", nargs="+", default=cxl_gpu.assumptions.NAMES, metavar="NAME", help="assumptions"),
        parser.add_argument("--media", default="z-nand"),
    ),
)
PLATFORMS = "gpu-dram", "cxl", "cxl-sr", "cxl-ds"
fig = cxl_gpu.points.Points("sensitivity", args)
fig.add(*PLATFORMS, media=args.media)
chosen = cxl_gpu.assumptions.chosen(args.only)
for a in chosen:
    for platform in PLATFORMS:
        if a.applies("", platform):
            fig.add(platform, media=args.media, arguments=a.arguments, options=a.options, name=a.variant.strip())
fig.run()
print(f"{'assumption':44}{'cxl/gpu-dram':>14}{'sr/cxl':>10}{'ds/sr':>10}")
labels = fig.frame.index.get_level_values(0)
for variant in ("", *(a.variant for a in chosen)):

    def time(platform):
        plain = f"{platform} {args.media}"
        return fig.frame.time.loc[plain + variant if plain + variant in labels else plain]

    dram, cxl, sr, ds = map(time, PLATFORMS)
    print(f"{variant or ' none':44}{(cxl / dram).mean():14.2f}{(cxl / sr).mean():10.2f}{(sr / ds).mean():10.2f}")
fig.close()
