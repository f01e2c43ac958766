"""Fig. 14 of ZnG: instructions a cycle with registers grouped by software, full wiring, or NiF.

    build/memsim configs/studies/zng/fig14.py [--scale small] [--workloads betw-back bfs1-gaus]
"""

from memsim.systems import zng

fig = zng.points.Points("fig14", zng.points.arguments(__doc__))
fig.add("zng", arguments=["--register-network", "swnet"], variant=" swnet")
fig.add("zng", arguments=["--register-network", "fcnet"], variant=" fcnet")
fig.add(
    "zng",
    arguments=["--register-network", "fcnet"],
    options=["--set", "flash.package[*].fcnet_holds=true"],
    variant=" fcnet, registers held until tPROG is over",
)
fig.add("zng")
fig.run()
fig.show("ipc", relative_to="zng")

fig.judge("zng-22", "zng-23")
fig.close()
