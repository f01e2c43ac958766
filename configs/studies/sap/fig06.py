"""Fig. 6 of SAP: hit ratio of the DRAM by policy and size; and what share of the prefetched units nobody accessed.

    build/memsim configs/studies/sap/fig06.py [--scale tiny] [--workloads AES BFS]
"""

from memsim.systems import sap

fig = sap.points.Points("fig06", sap.points.arguments(__doc__))
fig.add()
fig.run()
fig.show_sizes("hit_ratio")
fig.show_sizes("useless", ("sap", "page-on-page"))
fig.plot("hit_ratio", "hit ratio")
fig.judge("sap-02", "sap-03", "sap-04", "sap-06")
fig.close()
