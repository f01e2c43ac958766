"""What SAP's policies give in time: the whole machine with its DRAM and its drive, of the paper's latencies or of flash.

    build/memsim configs/studies/sap/run_time.py [--scale tiny] [--workloads AES BFS] [--dram 1MiB 8MiB]

Run time over that of LRU with the same DRAM and drive; a group's latencies overlap there, and its transfers share the
drive's wires, so none of Fig. 5's accountings is assumed.
"""

from memsim import study
from memsim.systems import sap
from memsim.systems.platform_study import config

args = sap.points.arguments(
    __doc__,
    more=lambda parser: (
        parser.add_argument(
            "--dram", nargs="+", default=["1MiB", "8MiB"], metavar="SIZE", help="capacities of the DRAM"
        ),
        parser.add_argument("--policies", nargs="+", default=sap.policies(), help=f"of {', '.join(sap.policies())}"),
    ),
)
fig = study.Study("sap", "run_time", jobs=args.jobs, seeds=args.seeds)
for drive in sap.machines.DRIVES:
    for dram in args.dram:
        for policy in args.policies:
            for workload in args.workloads:
                fig.point(
                    config("sap.py"),
                    "--policy",
                    policy,
                    "--dram",
                    dram,
                    "--drive",
                    drive,
                    "--workload",
                    workload,
                    "--scale",
                    args.scale,
                    *study.limit(args),
                    drive=drive,
                    dram=dram,
                    policy=policy,
                    workload=workload,
                )
fig.run()
value = "SELECT value FROM result WHERE run = :run AND path = '{}' AND name = '{}'".format
table = fig.table(
    cycles=value("gpu.dispatcher", "cycles"),
    hits=value("gpu.memory[0]", "hits"),
    merged=value("gpu.memory[0]", "merged"),
    misses=value("gpu.memory[0]", "misses"),
).sort_index()
table["hit_ratio"] = table.hits / (table.hits + table.merged + table.misses)
for drive in sap.machines.DRIVES:
    for dram in args.dram:
        here = table.loc[drive, dram]
        print(f"\ndrive: {drive}, {dram} of DRAM: time over LRU's, and hit ratio (a unit on its way is no hit)")
        print(f"{'':14}" + "".join(f"{w:>16}" for w in args.workloads))
        for policy in args.policies:
            print(
                f"{policy:14}"
                + "".join(
                    f"{here.cycles[policy, w] / here.cycles['lru', w]:8.3f}{here.hit_ratio[policy, w]:8.3f}"
                    for w in args.workloads
                )
            )
fig.close()
