"""Fig. 3b of CXL-GPU: the round trip through the layers of our controller and of the prototypes', without a medium.

    build/memsim configs/studies/cxl/fig3b.py
"""

from memsim import study
from memsim.systems import cxl_gpu

LAYERS = "cxl_conversion", "cxl_transaction", "cxl_link", "cxl_physical", "cxl_wires"

fig = study.Study("cxl_gpu", "fig3b", jobs=study.jobs(__doc__))
for controller in cxl_gpu.CONTROLLERS:
    fig.point(
        cxl_gpu.points.config("cxl_link.py"),
        "--controller",
        controller,
        options=("--stamps", "1"),
        controller=controller,
    )
fig.run()
table = fig.table(
    round_trip="SELECT value FROM result WHERE run = :run AND path = 'generator' AND name = 'read_latency.mean'",
    **{
        layer: f"SELECT coalesce(sum(value), 0) FROM result WHERE run = :run AND path = 'stages' AND name = '{layer}.mean'"
        for layer in LAYERS
    },
)
print(table.to_string(float_format="%.1f ns"))

ours, smt, tpp = (table.round_trip[c] for c in cxl_gpu.CONTROLLERS)
fig.claim("cxl-03", (smt + tpp) / 2)
fig.claim("cxl-04", (smt + tpp) / 2 / ours)
fig.claim("cxl-33", ours)
fig.close()
