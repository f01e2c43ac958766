"""Requests over time of two concurrent programs on ZnG, while log blocks of one are merged (Fig. 17b).

    build/memsim configs/zng_gc.py [--workload betw-back] [--filled 92% 95%] [--every 20us] [--scale small]

--filled: minimum and maximum fill of log blocks at the start (drawn from the seed). They are nearly full by default,
because the paper's figure begins shortly before a collection. Requests are those that leave SMs with translated
addresses: a held application has none.
"""

import memsim
from memsim import mem
from memsim.options import script_parser
from memsim.model.ports import unbind
from memsim.systems import zng
from memsim.systems.scale import footprint

parser = script_parser(__doc__)
parser.add_argument("--workload", default="betw-back", help="such as betw-back")
parser.add_argument("--scale", default="default", help=f"one of {', '.join(zng.workloads.SCALES)}")
parser.add_argument(
    "--filled",
    nargs=2,
    default=["92%", "95%"],
    metavar="SHARE",
    help="fill of log blocks at the start, minimum and maximum",
)
parser.add_argument(
    "--collect",
    choices=zng.flash.COLLECT_WHEN,
    default="low",
    help="condition for merging log blocks: few pages left, or also no erased blocks left in their plane",
)
parser.add_argument(
    "--registers", type=int, default=8, help="registers per plane (few, because 8 would hold all written data)"
)
parser.add_argument("--every", default="20us", help="time between two samples")
parser.add_argument(
    "--max-instructions",
    type=int,
    help="thread instructions; after its part of them an application starts no block "
    "(0: no limit; default: the scale's)",
)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

programs = zng.workloads.programs(args.workload, args.scale, args.seed)
most = args.max_instructions if args.max_instructions is not None else zng.workloads.REGION[args.scale]
size = zng.scale.scale(sum(footprint(p) for p in programs))
root = zng.machine(
    zng.MachineParameters(
        "zng",
        programs,
        size,
        seed=args.seed,
        on_flash=dict(
            registers=args.registers,
            collect=args.collect,
            for_package=dict(log_filled_least=args.filled[0], log_filled=args.filled[1]),
        ),
        dispatcher=dict(application_instructions=most // len(programs)),
    )
)
root.watch = [mem.Monitor(outstanding=4096, applications=len(programs)) for _ in root.gpu.l1]
for l1, monitor in zip(root.gpu.l1, root.watch):
    above = unbind(l1.cpu_side)
    above.owner.mem_side = monitor.cpu_side
    monitor.mem_side = l1.cpu_side

memsim.instantiate(root, args)
memsim.stats.series(args.every, [f"watch[{i}].application_requests*" for i in range(len(root.watch))])
end = memsim.simulate()
memsim.stats.dump("end")

stats, collector = root.gpu.dispatcher.stats, root.gpu.collector.stats
print(
    f"{args.workload}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms; {collector.merges} log blocks "
    f"merged, {collector.moved_pages} pages moved"
)
for i, name in enumerate(zng.workloads.names(args.workload)):
    print(
        f"  {name}: {stats.application_ipc[i]:.3f} thread instructions a cycle, held for "
        f"{collector.held_time[i] / 1e9:.3f} ms"
    )
