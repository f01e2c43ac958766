"""SAP's seven policies over three memories of other machines, on every workload of each.

    build/memsim configs/studies/sap/policies.py [--scale tiny] [--hosts endpoint buffer mmu] [--workloads bfs]

endpoint: CXL-GPU's endpoint cache of Z-NAND; buffer: HybridGPU's page buffer; mmu: GPU memory under page faults. Time
over that under LRU, and what was found there of what was looked up, in per cent (mmu: of walks).
"""

from memsim import study
from memsim.options import script_parser
from memsim.systems import cxl_gpu, sap, zng
from memsim.systems.platform_study import config
from memsim.systems.sap.hinted import total

WORKLOADS = {
    "endpoint": cxl_gpu.workloads.names(),
    "buffer": list(zng.workloads.TABLE_II),
    "mmu": cxl_gpu.workloads.names(),
}
PART = {"endpoint": ".medium.cache", "buffer": "memory.buffer"}  # whose statistics say what was found


def found(values, host):
    if host == "mmu":
        walks = values["gpu.mmu", "walks"]
        return 100 * (1 - values["host", "faults"] / walks) if walks else 100.0
    looked_up = sum(total(values, name, PART[host]) for name in ("hits", "merged", "misses"))
    return 100 * total(values, "hits", PART[host]) / max(1, looked_up)


parser = study.add_options(script_parser(__doc__))
parser.add_argument("--hosts", nargs="+", default=list(WORKLOADS), choices=WORKLOADS, metavar="HOST")
parser.add_argument("--policies", nargs="+", default=sap.policies(), metavar="NAME")
parser.add_argument("--workloads", nargs="+", metavar="NAME", help="of the hosts' systems (else all)")
args = parser.parse_args()

fig = study.Study("sap", "policies", jobs=args.jobs, seeds=args.seeds)
chosen = {host: [w for w in WORKLOADS[host] if not args.workloads or w in args.workloads] for host in args.hosts}
for host, workloads in chosen.items():
    for policy in args.policies:
        for workload in workloads:
            fig.point(
                config("sap_policies.py"),
                "--host",
                host,
                "--policy",
                policy,
                "--workload",
                workload,
                "--scale",
                args.scale,
                *study.limit(args),
                host=host,
                policy=policy,
                workload=workload,
            )
fig.run()
shown = {}
for point in fig.selected:
    values = fig.values(point)
    shown[tuple(point.keys.values())] = (values["gpu.dispatcher", "cycles"], found(values, point.keys["host"]))
for host, workloads in chosen.items():
    if not workloads:
        continue
    print(
        f"\n{host}: time over that under LRU, and found (per cent)\n{'':14}"
        + "".join(f"{w[:13]:>14}" for w in workloads)
        + f"{'mean time':>12}"
    )
    for policy in args.policies:
        ratios = [
            shown[host, policy, w][0] / shown[host, args.policies[0] if "lru" not in args.policies else "lru", w][0]
            for w in workloads
        ]
        print(
            f"{policy:14}"
            + "".join(f"{r:8.3f}{shown[host, policy, w][1]:6.1f}" for r, w in zip(ratios, workloads))
            + f"{sum(ratios) / len(ratios):12.3f}"
        )
fig.close()
