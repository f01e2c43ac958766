"""Fig. 3 of Ohm-GPU: what takes the time of GPU programs whose data is on a drive (a), and what the wires
of the memory add (b). A GPU, a host and a Z-SSD: no heterogeneous memory.

    build/memsim configs/studies/ohm/fig03.py [--scale small] [--workloads betw FDTD]

Storage access is what a run takes longer with the data on the drive than in host memory, transfer what
that takes longer than with the data in the GPU.
"""

import pandas
from memsim import study
from memsim.systems import ohm

# Wires and column commands that take no time.
NO_WIRES = [
    "--set",
    "memory.dram[*].channel_rate=1000000GB/s",
    "--set",
    "memory.dram[*].changes=ranks=2 tCCD_S=1fs tCCD_L=1fs tCK=1fs",
]
TIME = "SELECT sim_time_fs * 1e-12 FROM run WHERE id = :run"

args = ohm.points.arguments(__doc__)
fig = study.Study("ohm", "fig03", jobs=args.jobs, seeds=args.seeds)
fig.preview = study.preview(args, ohm.workloads.TABLE_II)
for workload in args.workloads:
    for data, options in (("drive", []), ("host", []), ("resident", []), ("no wires", NO_WIRES)):
        fig.point(
            ohm.points.config("ohm_testbed.py"),
            "--data",
            data if not options else "resident",
            "--workload",
            workload,
            "--scale",
            args.scale,
            *study.limit(args),
            options=options,
            workload=workload,
            data=data,
        )
fig.run()


def shares():
    """In percent, of each workload: of the time with the data on the drive; what wires add of that without."""
    time = fig.table(ms=TIME)["ms"].unstack("data")
    parts = {
        "storage": time["drive"] - time["host"],
        "transfer": time["host"] - time["resident"],
        "computing": time["resident"],
    }
    return (
        pandas.DataFrame(parts)
        .div(time["drive"] / 100, axis=0)
        .assign(**{"wires add": 100 * (time["resident"] / time["no wires"] - 1)})
    )


print(shares().to_string(float_format="%.1f %%"))
means = fig.over_seeds(lambda: shares().mean())
fig.claim("ohm-47", [mean["storage"] for mean in means])
fig.claim("ohm-48", [mean["transfer"] for mean in means])
fig.claim("ohm-52", [(mean["storage"] + mean["transfer"]) / mean["computing"] for mean in means])
fig.claim("ohm-53", [mean["wires add"] for mean in means])
fig.close()
