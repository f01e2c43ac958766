"""SAP's machine: a GTX 480 whose DRAM caches a PCIe SSD, with policies for replacement and prefetching.

    build/memsim configs/sap.py [--policy fifo|lru|sap|arc|car|clock-pro|page-on-page] [--dram 8MiB] ...
"""

import memsim
from memsim.options import script_parser
from memsim.systems import sap
from memsim.systems.scale import footprint

parser = script_parser(__doc__)
parser.add_argument("--policy", default="sap", help=f"one of {', '.join(sap.policies())}")
parser.add_argument("--dram", default="8MiB", help="capacity of the DRAM, such as 1MiB")
parser.add_argument("--workload", default="AES", help=f"one of {', '.join(sap.workloads.names())}")
parser.add_argument("--scale", default="default", help=f"one of {', '.join(sap.workloads.SCALES)}")
parser.add_argument(
    "--drive",
    default="table",
    help=f"one of {', '.join(sap.machines.DRIVES)}: the paper's latencies, or a drive with this flash",
)
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
parser.add_argument(
    "--check-contents",
    action="store_true",
    help="carry the values of stores, and compare all memory with the program's at the end",
)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

program, region = sap.workloads.program(args.workload, args.scale, args.seed)
manager = {name: value for name in ("period", "lookahead", "record") if (value := getattr(args, name)) is not None}
root = sap.machine(
    sap.MachineParameters(
        args.policy,
        program,
        dram=args.dram,
        drive=args.drive,
        seed=args.seed,
        contents=args.check_contents,
        manager=manager,
        dispatcher=dict(max_instructions=region if args.max_instructions is None else args.max_instructions),
    )
)

simulation = memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")

cache = root.gpu.memory[0].stats
print(
    f"{args.policy}, {args.workload}, {footprint(program) // 1024} KiB on {args.dram} of DRAM: {end.getCause()} at "
    f"{memsim.curTick() / 1e12:.3f} ms; {root.gpu.dispatcher.stats.ipc:.4f} thread instructions a cycle"
)
print(
    f"{cache.hits} hits, {cache.merged} merged, {cache.misses} misses; {cache.prefetches} units prefetched, "
    f"{cache.unused_prefetches} of them unused; {cache.units_out} units written to the drive"
)
if args.check_contents:
    report = simulation.check_contents()
    print(f"contents: {report['bytes']} bytes equal those of the program; {report['overtaken']} stores came late")
