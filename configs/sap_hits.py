"""Hits of every policy at every size of DRAM, from one run of SAP's GPU with sufficient memory.

    build/memsim configs/sap_hits.py [--workload AES] [--policies fifo lru sap ...] ...
"""

import memsim
from memsim.options import script_parser
from memsim.systems import sap
from memsim.systems.scale import footprint

parser = script_parser(__doc__)
parser.add_argument("--policies", nargs="+", default=sap.policies(), help=f"of {', '.join(sap.policies())}")
parser.add_argument("--workload", default="AES", help=f"one of {', '.join(sap.workloads.names())}")
parser.add_argument("--scale", default="default", help=f"one of {', '.join(sap.workloads.SCALES)}")
parser.add_argument("--period", type=int, help="cycles between queries of the schedulers (default: the platform's)")
parser.add_argument(
    "--lookahead", type=int, help="memory operations of a warp visible to its scheduler (default: the platform's)"
)
parser.add_argument("--record", type=int, help="units that the memory manager records (default: the platform's)")
parser.add_argument(
    "--max-instructions",
    type=int,
    help="thread instructions after which no block starts (0: no limit; default: the scale's)",
)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

program, region = sap.workloads.program(args.workload, args.scale, args.seed)
manager = {name: value for name in ("period", "lookahead", "record") if (value := getattr(args, name)) is not None}
root = sap.shadows(
    sap.ShadowParameters(
        program,
        args.policies,
        seed=args.seed,
        manager=manager,
        dispatcher=dict(max_instructions=region if args.max_instructions is None else args.max_instructions),
    )
)

memsim.instantiate(root, args)
memsim.simulate()
memsim.stats.dump("end")

accesses = root.distances.stats.accesses
print(
    f"{args.workload}: {footprint(program) // 1024} KiB, {accesses} accesses of memory\n{'hit ratio, MiB':16}"
    + "".join(f"{mib:7}" for mib in sap.metrics.sizes())
)
for policy in args.policies:
    held = sap.machines.shadow_of(root, policy).stats
    print(f"{policy:16}" + "".join(f"{held.hits[i] / accesses:7.3f}" for i in range(sap.machines.CAPACITIES)))
