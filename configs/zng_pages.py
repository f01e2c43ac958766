"""Counts of reads and writes of each 4 KiB page by one of ZnG's workloads (Figs 5b, 5c).

    build/memsim configs/zng_pages.py [--workload betw] [--scale small]

Pages are counted at the SMs (after the coalescer) and at the memory side of the L2. The machine is that of table I at a
scale, without address translation, so that no page walks are counted; its memory has the latency of Z-NAND, 3 us.
"""

import memsim
from memsim import mem
from memsim.options import script_parser
from memsim.model.ports import unbind
from memsim.systems import zng
from memsim.systems.scale import footprint

parser = script_parser(__doc__)
parser.add_argument("--workload", default="betw", choices=list(zng.workloads.TABLE_II), metavar="NAME")
parser.add_argument("--scale", default="default", help=f"one of {', '.join(zng.workloads.SCALES)}")
parser.add_argument(
    "--max-instructions",
    type=int,
    help="thread instructions after which no block starts (0: no limit; default: the scale's)",
)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()


def watched(below):
    """Inserts a monitor in front of `below`."""
    above = unbind(below)
    monitor = mem.Monitor(outstanding=1024, page="4KiB")
    monitor.mem_side = below
    return monitor, above


programs = zng.workloads.programs(args.workload, args.scale, args.seed)
most = args.max_instructions if args.max_instructions is not None else zng.workloads.REGION[args.scale]
size = zng.scale.scale(footprint(programs[0]))
root = memsim.Root(seed=args.seed)
root.program = programs
root.gpu = zng.machines.gpu_of(size, 1, zng.machines.SRAM, max_instructions=most)
programs[0].dispatcher = root.gpu.dispatcher.host
root.memory = [mem.SimpleMemory(capacity="1TiB", latency="3us", bandwidth="1000GB/s", queue=1024) for _ in root.gpu.l2]
# Each page belongs to one slice, so counts of slices can be added. Counts of SMs cannot.
root.sms, root.l1s, root.l2s = (
    [mem.Monitor(outstanding=1024, page=page) for _ in parts]
    for page, parts in (("0B", root.gpu.sm), ("4KiB", root.gpu.l2), ("4KiB", root.gpu.l2))
)
for sm, l1, monitor in zip(root.gpu.sm, root.gpu.l1, root.sms):
    unbind(sm.mem_side)
    sm.mem_side = monitor.cpu_side
    monitor.mem_side = l1.cpu_side
for i, (l2, memory) in enumerate(zip(root.gpu.l2, root.memory)):
    unbind(root.gpu.network.mem_side[i])
    root.gpu.network.mem_side[i] = root.l1s[i].cpu_side
    root.l1s[i].mem_side = l2.cpu_side
    l2.mem_side = root.l2s[i].cpu_side
    root.l2s[i].mem_side = memory.cpu_side

memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")


def total(monitors, *names):
    return sum(getattr(m.stats, name) for m in monitors for name in names)


print(f"{args.workload}: {end.getCause()} at {memsim.curTick() / 1e12:.3f} ms")
for kind, pages in ("reads", "pages_read"), ("writes", "pages_written"):
    touched = total(root.l1s, pages)
    counts = [total(m, kind, "atomics") / max(1, touched) for m in (root.sms, root.l1s, root.l2s)]
    print(
        f"{kind} per page of {touched}: {counts[0]:.1f} by SMs, {counts[1]:.1f} behind L1s, "
        f"{counts[2]:.1f} behind the L2"
    )
