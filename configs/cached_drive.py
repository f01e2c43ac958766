"""A GPU whose memory is a drive with DRAM as its cache: pages move without an MMU and without a host.

    build/memsim configs/cached_drive.py [--dram 256] [--replacement clock] ...

Four SMs and an L2 run a workload. Its data are on the drive; the DRAM is empty at the start.
"""

import memsim
from memsim import flash, mem, systems, workload
from memsim.options import script_parser
from memsim.systems import scale

parser = script_parser(__doc__)
parser.add_argument("--kernel", default="bfs1", help="a workload's name; `memsim workloads` lists them")
parser.add_argument(
    "--scale",
    type=int,
    default=12,
    help="size of the generated input; for graphs, the binary logarithm of the vertices",
)
parser.add_argument("--dram", type=int, default=256, help="KiB of DRAM")
parser.add_argument("--unit", type=int, default=4, help="KiB of a unit, which is fetched and replaced as a whole")
parser.add_argument("--replacement", default="lru", help="page policy that selects the unit to replace")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()

root = memsim.Root(seed=args.seed)
root.program = workload.Program(name=args.kernel, size=args.scale, seed=args.seed)
root.gpu = systems.gpu(sms=4, l1="48KiB", l2="64KiB", memory=None, slices=1)
root.program.dispatcher = root.gpu.dispatcher.host
root.cache = mem.PageCache(capacity=f"{args.dram}KiB", unit=f"{args.unit}KiB", replacement=args.replacement)
root.dram = mem.DramController(timing="hbm2")
root.drive = flash.FixedDrive()
root.gpu.l2[0].mem_side = root.cache.cpu_side
root.cache.dram_side = root.dram.cpu_side
root.cache.drive_side = root.drive.requests

memsim.instantiate(root, args)
end = memsim.simulate()
memsim.stats.dump("end")

stats = root.cache.stats
print(
    f"{args.kernel}, {scale.footprint(root.program) // 1024} KiB, {args.dram} KiB of DRAM, {args.replacement}: "
    f"{end.getCause()} at {memsim.curTick() / 1e12:.3f} ms"
)
print(
    f"{stats.hits} hits, {stats.merged} merged, {stats.misses} misses; {stats.evictions} evictions, "
    f"{stats.units_out} units written to the drive; {stats.fetch_time.mean / 1000:.1f} us a fetch"
)
