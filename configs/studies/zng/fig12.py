"""Fig. 12 of ZnG: how often the flash arrays read a page again, as the L2 is made to hold more.

    build/memsim configs/studies/zng/fig12.py [--scale small] [--workloads betw back]

All on ZnG with its registers, where one sensing serves all reads that wait: SRAM is zng-wropt's L2, STT-MRAM zng's
without prefetch, then with it, then with lines of thrashing registers in pinned ways.
"""

from memsim.systems import zng

fig = zng.points.Points("fig12", zng.points.arguments(__doc__, workloads=zng.workloads.TABLE_II))
fig.add("zng-wropt", options=("--set", "flash.package[*].reuse=waiting"), name="zng SRAM")
fig.add("zng", arguments=["--prefetch", "nopref", "--no-redirect"], variant=" STT-MRAM")
fig.add("zng", arguments=["--no-redirect"], variant=" prefetch")
fig.add("zng")
fig.run()
fig.show("re_accesses")

fig.judge("zng-16", "zng-17", "zng-18")
fig.close()
