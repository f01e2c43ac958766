"""Fig. 5 of SAP: effective access time by policy and size of the DRAM, in three accountings of a group of units.

    build/memsim configs/studies/sap/fig05.py [--scale tiny] [--workloads AES BFS]

Nanoseconds of an access: 'once' has what comes with a missing unit for nothing, 'each' pays its transfer, 'full' latency
and transfer; 'clean' does not pay for written units that make room. Claims are judged by 'once' with them.
"""

from memsim.systems import sap

fig = sap.points.Points("fig05", sap.points.arguments(__doc__))
fig.add()
fig.run()
for accounting in ("once", "each", "full", "once clean", "each clean", "full clean"):
    fig.show_sizes(accounting)
fig.plot("once", "ns of an access", log="xy")
print("\nReduction by SAP at the most, of FIFO or LRU:")
for how in ("once", "each", "full"):
    for dirty in ("", " clean"):
        table = fig.frame[f"{how}{dirty}"].unstack("policy")
        worst = table[["fifo", "lru"]].min(axis=1)
        print(f"  {how + dirty:14}{100 * (1 - (table['sap'] / worst).min()):.1f} %")
fig.judge("sap-01", "sap-07", "sap-08")
fig.close()
