"""How ZnG's flash wears (VI): writes merged into a program, programs of a page, write amplification, erases, their
spread, and years at the measured rate. No figure of the paper.

    build/memsim configs/studies/zng/endurance.py [--scale small] [--workloads betw-back bfs1-gaus]

Log blocks are filled from the seed as in the long run. Years: endurance of Z-NAND (100,000, II-B) x pages of
the flash / programs a second, if all blocks wear alike; and if it were always the block that is erased most.
"""

from math import sqrt

from memsim.systems import zng

args = zng.points.arguments(__doc__)
fig = zng.points.Points("endurance", args)
fig.add(
    "zng-base",
    "zng-wropt",
    "zng",
    arguments=["--collect", "low"],
    options=["--set", "flash.package[*].log_filled=100%"],
    variant=" in the long run",
)
fig.run()

print(
    f"{'':42} {'lines/program':>13} {'programs/page':>13} {'amplification':>13} {'erases':>7} {'most':>5} "
    f"{'spread':>6}  years: alike, one block"
)
for point in fig.points:
    values = fig.values(point)
    wear = zng.wear.wear(values, values["gpu.dispatcher", "cycles"] / 1.2e9)
    squares = sum(v for (p, n), v in values.items() if n == "erase_squares.peak" and p.startswith("flash.package"))
    mean = wear.mean_erases
    deviation = sqrt(max(0.0, squares / wear.erased_blocks - mean**2)) if wear.erased_blocks else 0.0
    print(
        f"{point.name:42} {wear.writes_per_page:13.1f} {wear.programs_per_page:13.2f} "
        f"{wear.amplification:13.2f} {wear.erases:7.0f} {wear.most_erases:5.0f} "
        f"{deviation / mean if mean else 0.0:6.2f}  {wear.years:12.3g} {wear.years_unlevelled:9.3g}"
    )
fig.close()
