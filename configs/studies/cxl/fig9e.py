"""Fig. 9e of CXL-GPU: latencies of loads and stores and the endpoint's ingress queue over time, around collections.

    build/memsim configs/studies/cxl/fig9e.py [--scale small]

bfs on Z-NAND, with speculative reads alone (cxl-sr) and with deterministic stores (cxl-ds). The series stands in the
table `series` of the database.
"""

from memsim.systems import cxl_gpu

points = cxl_gpu.points
fig = points.Points("fig9e", points.arguments(
    __doc__, workloads=("bfs",), more=lambda parser: parser.add_argument("--every", default="20us", help="of a sample")))
fig.add("cxl-sr", "cxl-ds", media="z-nand", arguments=("--series", fig.args.every))
fig.run()
fig.show("collections")
fig.show("ingress")
fig.show("read_latency")
fig.show("write_latency")
fig.show("gc_latency")

fig.judge("cxl-32", "cxl-41", "cxl-42")
fig.close()
