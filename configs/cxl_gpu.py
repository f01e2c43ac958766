"""CXL-GPU's configurations: a GPU with a program of ten times its memory, behind the host's runtime or CXL root ports.

    build/memsim configs/cxl_gpu.py [--platform gpu-dram|uvm|gds|cxl|...|cxl-ds] [--workload vadd] [--media z-nand] ...
"""

import memsim
from memsim.options import script_parser
from memsim.systems import cxl_gpu
from memsim.systems.scale import footprint, print_proportions

parser = script_parser(__doc__)
parser.add_argument("--platform", default="cxl-ds", help=f"one of {', '.join(cxl_gpu.platforms())}")
parser.add_argument("--workload", default="vadd", help=f"one of {', '.join(cxl_gpu.workloads.names())}")
parser.add_argument("--media", default="z-nand", help=f"medium of the endpoint: one of {', '.join(cxl_gpu.MEDIA)}")
parser.add_argument("--controller", default="ours", help=f"one of {', '.join(cxl_gpu.CONTROLLERS)}")
parser.add_argument("--flit", default="68B", help=f"flit format of the links: one of {', '.join(cxl_gpu.values.FLITS)}")
parser.add_argument("--scale", default="default", help=f"one of {', '.join(cxl_gpu.workloads.SCALES)}")
parser.add_argument(
    "--read-ahead", help="policy of the queues, such as naive, dynamic, window, fixed (default: the platform's)"
)
parser.add_argument(
    "--unit", help="bytes that an endpoint's cache fetches and replaces as a whole (default: 128B on z-nand, else 256B)"
)
parser.add_argument(
    "--reserve",
    type=int,
    help=f"GPU memory divided by this is the reserve of deterministic stores (default: {cxl_gpu.values.RESERVE})",
)
parser.add_argument("--ports", type=int, default=1, help="root ports, each with an endpoint")
parser.add_argument(
    "--drive", default="used", help=f"previous use of a flash drive: one of {', '.join(cxl_gpu.drives.DRIVES)}"
)
parser.add_argument("--fault", default=cxl_gpu.values.FAULT, help="for uvm and gds: the host's time for a page fault")
parser.add_argument(
    "--prefetch",
    default="none",
    help=f"for uvm and gds: the host's page prefetcher, such as {cxl_gpu.values.TREE}",
)
parser.add_argument(
    "--threads",
    default="serial",
    help=f"threads of programs: one of {', '.join(cxl_gpu.values.THREADS)}",
)
parser.add_argument(
    "--series",
    metavar="TIME",
    help="sample latencies and queues of root ports each TIME (Fig. 9e; default: no samples)",
)
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

program, region = cxl_gpu.workloads.program(args.workload, args.scale, args.seed)
size = cxl_gpu.scale.scale(footprint(program))
print_proportions(size.invariants)
root = cxl_gpu.machine(
    cxl_gpu.MachineParameters(
        args.platform,
        program,
        args.media,
        args.controller,
        size,
        seed=args.seed,
        contents=args.check_contents,
        fault=args.fault,
        prefetch=args.prefetch,
        threads=args.threads,
        read_ahead=args.read_ahead,
        unit=args.unit,
        reserve=args.reserve,
        ports=args.ports,
        flit=args.flit,
        medium=dict(state=args.drive),
        dispatcher=dict(max_instructions=region if args.max_instructions is None else args.max_instructions),
    )
)

simulation = memsim.instantiate(root, args)
if args.series and args.platform.startswith("cxl"):
    memsim.stats.series(args.series, cxl_gpu.series.sampled(args.platform, args.media))
end = memsim.simulate()
memsim.stats.dump("end")

print(
    f"{args.platform}, {args.media}, {args.workload}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms; "
    f"{root.gpu.dispatcher.stats.ipc:.4f} thread instructions a cycle"
)
if args.check_contents:
    report = simulation.check_contents()
    print(f"contents: {report['bytes']} bytes equal those of the program; {report['overtaken']} stores came late")
