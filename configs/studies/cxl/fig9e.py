"""Fig. 9e of CXL-GPU: latencies of loads and stores and the endpoint's ingress queue over time, around collections.

    build/memsim configs/studies/cxl/fig9e.py [--scale small]

The store-intensive programs on Z-NAND, with speculative reads alone (cxl-sr) and with deterministic stores (cxl-ds), on
a used drive and on a fresh one, which does not collect. The claims are about bfs. The whole series stands in the view
`samples` of the database.
"""

from memsim.systems import cxl_gpu

points = cxl_gpu.points
fig = points.Points(
    "fig9e",
    points.arguments(
        __doc__,
        workloads=cxl_gpu.workloads.STORES,
        more=lambda parser: parser.add_argument("--every", default="20us", help="of a sample"),
    ),
)
for name, drive in ("", "used"), ("fresh", "fresh"):
    fig.add("cxl-sr", "cxl-ds", media="z-nand", arguments=("--series", fig.args.every, "--drive", drive), name=name)
fig.run()
for workload in fig.args.workloads:
    fig.show_over_time(workload)
for metric in "collections", "gc_ingress", "gc_latency", "read_latency", "write_latency", "suspensions":
    fig.show(metric)

fig.judge_stores("cxl-32", "cxl-41", "cxl-42")
fig.close()
