"""The maximum bandwidth of a memory of ZnG's Figs 1b and 4c: lines are read as fast as possible.

    build/memsim configs/zng_peak.py [--memory ideal|optane|hybridgpu|hetero|desktop] ...

The machine is the paper's, unscaled. Traffic sources represent its 16 SMs, monitors the slices of its L2. The
measurement begins after `--warm`, when HybridGPU's buffer is full. For hetero, whose pages move by faults, a program
adds two vectors that are on its SSD.
"""

import memsim
from memsim import mem, workload
from memsim.options import script_parser
from memsim.systems import zng
from memsim.systems.scale import GIB
from memsim.units import Bytes


def desktop(root, size, needed):
    """Two channels of DDR4-3200 (assumption: a typical desktop computer)."""
    capacity = zng.memory.up_to(needed // size.controllers + 1, 1 << 20)
    zng.memory.one_each(
        root,
        [
            mem.DramController(timing="ddr4_3200", capacity=Bytes(capacity), **channel)
            for channel in zng.memory.channels(size)
        ],
    )


MEMORIES = {
    "ideal": zng.memory.ideal,
    "optane": zng.memory.optane,
    "hybridgpu": zng.hybrid.hybridgpu,
    "desktop": desktop,
}


def under_load(size, args):
    """Traffic sources, a crossbar, monitors and the memory."""
    root = memsim.Root()
    root.gpu, root.memory = memsim.System(), memsim.System()
    share = zng.memory.up_to(args.range // args.sources, 4096)
    apart = share + 7 * 4096  # so that sources do not begin in the same set of the buffer or the same bank
    root.gpu.source = [
        mem.TrafficGen(pattern=args.pattern, size=128, outstanding=512, base=Bytes(i * apart), range=Bytes(share))
        for i in range(args.sources)
    ]
    interleave = zng.scale.interleave(size, zng.memory.chunk(args.memory))
    root.gpu.network = mem.Crossbar(inputs=args.sources, width="128B", **interleave.crossbar)
    root.gpu.l2 = [mem.Monitor(outstanding=1 << 16) for _ in range(size.controllers)]
    for i, source in enumerate(root.gpu.source):
        source.mem_side = root.gpu.network.cpu_side[i]
    for i, l2 in enumerate(root.gpu.l2):
        root.gpu.network.mem_side[i] = l2.cpu_side
    MEMORIES[args.memory](root, size, args.sources * apart)
    return root


parser = script_parser(__doc__)
parser.add_argument("--memory", default="ideal", choices=["hetero", *MEMORIES])
parser.add_argument("--pattern", default="sequential", choices=["sequential", "random"])
parser.add_argument("--range", type=int, default=GIB, help="bytes read by all sources together")
parser.add_argument(
    "--sources", type=int, default=4, help="number of sources, each of which reads its part of the range"
)
parser.add_argument("--warm", default="200us", help="time before the measurement")
parser.add_argument("--time", default="500us", help="time of the measurement")
args = parser.parse_args()

size = zng.scale.scale(zng.scale.FOOTPRINT)
if args.memory == "desktop":
    size.controllers = 2
root = (
    under_load(size, args)
    if args.memory != "hetero"
    else zng.machine(zng.MachineParameters("hetero", [workload.Program(name="vadd", size=args.range // 12)], size))
)

memsim.instantiate(root, args)
memsim.simulate(args.warm)
memsim.stats.reset()
begin = memsim.curTick()
memsim.simulate(args.time)
memsim.stats.dump("end")

seconds = (memsim.curTick() - begin) * 1e-15
if args.memory == "hetero":
    lines = pages = root.ssd.drive.stats.read_bytes
else:
    lines = sum(l2.stats.read_bytes for l2 in root.gpu.l2)
    pages = root.ssd.drive.stats.host_page_reads * 4096 if args.memory == "hybridgpu" else 0
print(f"{args.memory}: {lines / seconds / 1e9:.2f} GB/s")
if pages:
    print(f"  {pages / seconds / 1e9:.2f} GB/s of pages come from the flash")
