"""ZnG's platforms: a GPU over flash, GDDR5, Optane, an SSD controller or a host, running graph and scientific programs.

    build/memsim configs/zng.py [--platform zng|zng-base|hybridgpu|...] [--workload betw-back] ...

--workload is one of the sixteen of table II, a pair such as betw-back, or a multiple such as betw*8, at a --scale. All
programs run concurrently, each in its own memory.
"""

import argparse

import memsim
from memsim.options import script_parser, whole
from memsim.systems import zng
from memsim.systems.scale import footprint, print_proportions


def planes(text):
    """A number of planes, or "all"."""
    return text if text == "all" else whole(1)(text)


parser = script_parser(__doc__)
parser.add_argument("--platform", default="zng", help=f"one of {', '.join(zng.platforms())}")
parser.add_argument("--workload", default="betw-back", help="such as betw, betw-back, betw*8")
parser.add_argument("--scale", default="default", help=f"one of {', '.join(zng.workloads.SCALES)}")
parser.add_argument(
    "--prefetch",
    choices=["nopref", "1KBpref", "4KBpref", "predict-4KBpref", "dyn-pref"],
    help="prefetcher next to the L2 (Fig. 16b; default: the platform's)",
)
parser.add_argument(
    "--graphs",
    choices=["social", "communities", "kronecker"],
    default=zng.workloads.GRAPHS,
    help="kind of generated graphs (an assumption)",
)
parser.add_argument(
    "--sized-for",
    metavar="WORKLOAD",
    help="size the machine for this workload, such as betw*8 (default: that of --workload)",
)
for_flash = parser.add_argument_group("for ZnG's own flash (default: the platform's values)")
for_flash.add_argument("--registers", type=int, help="registers per plane (2 or 8 in the paper)")
for_flash.add_argument("--register-network", dest="network", help="network of the registers: none, swnet, fcnet or nif")
for_flash.add_argument(
    "--redirect",
    action=argparse.BooleanOptionalAction,
    default=None,
    help="keep written lines in pinned L2 ways while registers thrash",
)
for_flash.add_argument("--span", type=planes, help="planes over which a mapped block extends, or all of them: all")
for_flash.add_argument(
    "--across",
    action=argparse.BooleanOptionalAction,
    default=None,
    help="spread a mapped block over the planes of all packages",
)
for_flash.add_argument(
    "--collect",
    choices=zng.flash.COLLECT_WHEN,
    help="condition for merging log blocks: few pages left (Fig. 17), or also no erased blocks left in their plane",
)
parser.add_argument(
    "--whole",
    type=whole(1),
    default=zng.scale.FOOTPRINT,
    help="footprint of the paper's programs in bytes (an assumption)",
)
parser.add_argument(
    "--buffer",
    type=whole(1),
    default=zng.scale.BUFFER,
    help="capacity of the paper's HybridGPU buffer in bytes (an assumption)",
)
parser.add_argument(
    "--optane",
    default="printed",
    help="reading of table I's times and rows of Optane: printed, table, dimm or measured",
)
parser.add_argument(
    "--max-instructions",
    type=int,
    help="thread instructions; after its part of them an application starts no block "
    "(0: no limit; default: the scale's)",
)
parser.add_argument(
    "--check-contents",
    action="store_true",
    help="carry the values of stores, and compare all memory with the programs' at the end",
)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

programs = zng.workloads.programs(args.workload, args.scale, args.seed, args.graphs)
most = args.max_instructions if args.max_instructions is not None else zng.workloads.REGION[args.scale]
sized_for = zng.workloads.programs(args.sized_for, args.scale, args.seed, args.graphs) if args.sized_for else programs
size = zng.scale.scale(sum(footprint(p) for p in sized_for), args.whole, args.buffer)
print_proportions(size.invariants)
on_flash = {
    n: getattr(args, n)
    for n in ("registers", "network", "redirect", "span", "across", "collect")
    if getattr(args, n) is not None
}
root = zng.machine(
    zng.MachineParameters(
        args.platform,
        programs,
        size,
        seed=args.seed,
        prefetch=args.prefetch,
        on_flash=on_flash,
        optane=args.optane,
        contents=args.check_contents,
        dispatcher=dict(application_instructions=most // len(programs)),
    )
)

simulation = memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")

stats = root.gpu.dispatcher.stats
print(
    f"{args.platform}, {args.workload}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms; "
    f"{stats.ipc:.3f} thread instructions a cycle"
)
if len(programs) > 1:
    for i, name in enumerate(zng.workloads.names(args.workload)):
        print(f"  {name}: {stats.application_ipc[i]:.3f} thread instructions a cycle")
if args.check_contents:
    report = simulation.check_contents()
    print(
        f"contents: {report['bytes']} bytes equal those of the programs; {report['left_out']} more belong to "
        f"atomics; {report['overtaken']} stores came late"
    )
