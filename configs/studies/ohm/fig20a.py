"""Fig. 20a of Ohm-GPU: waveguides side by side. (Fig. 20b: optics.py.)

    build/memsim configs/studies/ohm/fig20a.py [--scale small] [--workloads betw FDTD]
"""

from memsim.systems import ohm

fig = ohm.points.Points("fig20a", ohm.points.arguments(__doc__))
for mode in ohm.points.MODES:
    fig.add(mode, "hetero")
    for n in 1, 2, 4, 8:
        fig.add(
            mode,
            "ohm-base",
            "ohm-bw",
            arguments=["--waveguides", n] if n > 1 else [],
            variant=f" x{n}" if n > 1 else "",
        )
fig.run()
fig.show("ipc", relative_to="hetero")

fig.judge("ohm-31", "ohm-32")
fig.close()
