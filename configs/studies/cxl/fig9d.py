"""Fig. 9d of CXL-GPU: what each step of speculative reads gains, and the hit rate of the endpoint's DRAM.

    build/memsim configs/studies/cxl/fig9d.py [--scale small] [--workloads vadd bfs]
"""

from memsim.systems import cxl_gpu

points = cxl_gpu.points
fig = points.Points("fig9d", points.arguments(__doc__, workloads=points.PATTERNS))
fig.add("gpu-dram")
fig.add("cxl", "cxl-naive", "cxl-dyn", "cxl-sr", media="z-nand")
fig.add("cxl-dyn", media="z-nand", arguments=("--read-ahead", "fixed"), name="fixed")
# The reading that was not chosen: a miss brings 4 KiB.
fig.add("cxl", "cxl-naive", "cxl-dyn", "cxl-sr", media="z-nand", arguments=("--unit", "4KiB"), name="4KiB fill")
fig.run()
fig.show("time", relative_to="gpu-dram")
fig.show("hits")

fig.judge(
    *(f"cxl-{n}-{pattern}" for n in (22, 23, 28) for pattern in ("seq", "around", "rand")),
    "cxl-21",
    "cxl-24",
    "cxl-25",
    "cxl-26",
    "cxl-27",
    "cxl-29",
    "cxl-30",
    "cxl-31",
    "cxl-39",
    "cxl-40",
)
fig.close()
