"""CMD's platforms: deduplication and compression in front of a GPU's memory, with the values that programs compute.

    build/memsim configs/cmd.py [--platform baseline|l2-5mb|bpc|bcd|esd|dedup|...|cmd|cmd-bpc] [--workload bfs] ...

--workload is one of the thirteen of table I, at a --scale. One of the paper's eight controllers is built, with its
share of SMs and L2.
"""

import memsim
from memsim.options import script_parser
from memsim.systems import cmd
from memsim.systems.scale import footprint, print_proportions

parser = script_parser(__doc__)
parser.add_argument("--platform", default="cmd", help=f"one of {', '.join(cmd.platforms())}")
parser.add_argument("--workload", default="bfs", help=f"one of {', '.join(cmd.workloads.names())}")
parser.add_argument("--scale", default="default", help=f"one of {', '.join(cmd.workloads.SCALES)}")
parser.add_argument("--bandwidth", type=int, default=224, help="GB/s of all eight controllers: 224, 448 or 896")
parser.add_argument("--fifo", type=int, help="sectors of a read-only FIFO, by default 16 (Fig. 18)")
parser.add_argument("--ratio", type=float, default=cmd.scale.RATIO, help="footprint to L2 (an assumption)")
parser.add_argument(
    "--hash-share", type=float, help="entries of the hash store, as a share of the paper's 384 KB (default: 1)"
)
parser.add_argument(
    "--tables-share", type=float, help="size of the metadata caches as a share of the paper's (default: 1; Fig. 17)"
)
parser.add_argument(
    "--max-instructions",
    type=int,
    help="thread instructions after which no block starts (0: no limit; default: the scale's)",
)
parser.add_argument("--check-contents", action="store_true", help="compare all memory with the program's at the end")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

program, region = cmd.workloads.program(args.workload, args.scale, args.seed)
shares = {name: value for name in ("hash_share", "tables_share") if (value := getattr(args, name)) is not None}
cmd.fronts.check_options(args.platform, **shares)
size = cmd.scale.scale(footprint(program), args.ratio, **shares)
print_proportions(size.invariants)
root = cmd.machine(
    cmd.MachineParameters(
        args.platform,
        program,
        size,
        seed=args.seed,
        bandwidth=args.bandwidth,
        fifo=args.fifo,
        dispatcher=dict(max_instructions=region if args.max_instructions is None else args.max_instructions),
    )
)

simulation = memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")

stats, front = root.gpu.dispatcher.stats, root.front.stats
print(
    f"{args.platform}, {args.workload}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms; "
    f"{stats.ipc:.3f} thread instructions a cycle; {front.writes} blocks written back, "
    f"{front.write_requests} writes and {front.data_reads + front.read_only_reads} reads of memory"
)
if args.check_contents:
    report = simulation.check_contents()
    print(f"contents: {report['bytes']} bytes equal those of the program; {report['overtaken']} stores came late")
