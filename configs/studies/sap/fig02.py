"""Fig. 2 of SAP: hit ratio of the DRAM under FIFO and LRU, by its size.

    build/memsim configs/studies/sap/fig02.py [--scale tiny] [--workloads AES BFS]
"""

from memsim.systems import sap

fig = sap.points.Points("fig02", sap.points.arguments(__doc__))
fig.add()
fig.run()
fig.show_sizes("hit_ratio", ("fifo", "lru"))
fig.plot("hit_ratio", "hit ratio", policies=("fifo", "lru"))
fig.judge("sap-05")
fig.close()
