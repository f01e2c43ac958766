"""SAP's memory manager in another machine: CXL-GPU's or Ohm-GPU's.

    build/memsim configs/sap_hints.py --system cxl_gpu --platform cxl-sr --workload bfs [--media z-nand] [--without] ...
    build/memsim configs/sap_hints.py --system ohm --platform ohm-base --workload pagerank [--without] ...

Hints of upcoming accesses feed the speculative reads of CXL-GPU's root ports, or count as accesses for Ohm-GPU's planar
migration. Without the manager the machine has the same crossbars, so that nothing else differs.
"""

import memsim
from memsim.options import script_parser
from memsim.systems import cxl_gpu, ohm
from memsim.systems.sap.watch import hint_path, watch
from memsim.systems.scale import footprint

parser = script_parser(__doc__)
parser.add_argument("--system", default="cxl_gpu", choices=["cxl_gpu", "ohm"])
parser.add_argument("--platform", help="platform of that system (default: cxl-sr, ohm-base)")
parser.add_argument("--workload", help="workload of that system (default: bfs, pagerank)")
parser.add_argument("--media", default="z-nand", help=f"of CXL-GPU: one of {', '.join(cxl_gpu.MEDIA)}")
parser.add_argument("--scale", default="default", help="scale of that system")
parser.add_argument("--without", action="store_true", help="no hints")
parser.add_argument(
    "--period",
    type=int,
    default=100,
    help="cycles between queries of the schedulers",
)
parser.add_argument(
    "--lookahead",
    type=int,
    default=2,
    help="memory operations of a warp visible to its scheduler",
)
parser.add_argument(
    "--max-instructions",
    type=int,
    help="thread instructions after which no block starts (0: no limit; default: the scale's)",
)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

if args.system == "cxl_gpu":
    platform, workload = args.platform or "cxl-sr", args.workload or "bfs"
    program, region = cxl_gpu.workloads.program(workload, args.scale, args.seed)
    limit = region if args.max_instructions is None else args.max_instructions
    root = cxl_gpu.machine(
        cxl_gpu.MachineParameters(
            platform,
            program,
            args.media,
            size=cxl_gpu.scale.scale(footprint(program)),
            seed=args.seed,
            dispatcher=dict(max_instructions=limit),
        )
    )
    unit, clock = "256B", cxl_gpu.values.CLOCK
else:
    platform, workload = args.platform or "ohm-base", args.workload or "pagerank"
    program, region = ohm.workloads.program(workload, args.scale, args.seed)
    if args.max_instructions is not None:
        region["max_instructions"] = args.max_instructions
    size = ohm.machine_scale("planar", platform, program, l2_floor=ohm.workloads.L2_FLOOR)
    root = ohm.machine(ohm.MachineParameters("planar", platform, program, size, seed=args.seed, dispatcher=region))
    unit, clock = ohm.modes.INTERLEAVE, "1200MHz"

entrance = hint_path(root, hints=not args.without)
if not args.without:
    watch(root, clock, unit=unit, trigger="period", period=args.period, lookahead=args.lookahead).hints = entrance

memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")
hints = "" if args.without else f"; {root.manager.stats.hints} hints"
print(
    f"{platform}, {workload}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms; "
    f"{root.gpu.dispatcher.stats.ipc:.4f} thread instructions a cycle{hints}"
)
